// Datasets and what is done to them: how long events are kept, what is trimmed and deleted, fields, views.

import assert from "node:assert/strict";
import { keepsTaste } from "./browser.js";

const dataset = (service, name, view) => `${service.address}/datasets/${name}?view=${view}`;
const DAY = 86_400_000;

export function keepingTests(watched) {
  watched("datasets: a new one; how long its events are kept is saved", async ({ page, service }) => {
    await page.goto(`${service.address}/datasets`);
    await page.getByRole("button", { name: "New dataset" }).click();
    await page.getByLabel("Name", { exact: true }).fill("kept");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^(Make|Create)/ })
      .click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.goto(dataset(service, "kept", "care"));
    await page.getByLabel("Description").fill("of the shop");
    await page.getByLabel(/Delete events by themselves/).check();
    await page.getByLabel("after").fill("45");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.").waitFor();
    const saved = (await service.call("/v2/datasets")).find(({ name }) => name === "kept");
    assert.deepEqual([saved.description, saved.useRetentionPeriod, saved.retentionDays], ["of the shop", true, 45]);
    await page.reload();
    await page.getByLabel("after").waitFor();
    assert.equal(await page.getByLabel("after").inputValue(), "45");
  });

  watched("datasets: trimming and deleting show figures first, then do it", async ({ page, service }) => {
    const old = Array.from({ length: 30 }, (_, place) => ({
      _time: new Date(Date.now() - 100 * DAY - place * 1000).toISOString(),
      message: "old",
    }));
    await service.call("/v1/datasets/kept/ingest", old);
    await service.call("/v1/datasets/kept/ingest", [
      { message: "stays", user: "u1" },
      { message: "goes", user: "u42" },
      { message: "goes too", user: "u42" },
    ]);
    const count = async () => {
      const range = { startTime: "1970-01-01T00:00:00Z", endTime: "now" };
      const answer = await service.call("/v1/query/_apl?format=tabular", { apl: "kept | count", ...range });
      return answer.tables[0].columns[0][0];
    };
    await page.goto(dataset(service, "kept", "care"));
    await page.getByLabel("older than").fill("60");
    await page.getByRole("button", { name: "See what would go" }).first().click();
    await page.getByText(/At most 30 of 33 events/).waitFor();
    assert.equal(await count(), 33, "looking takes nothing away");
    await page.getByRole("button", { name: "Trim", exact: true }).click();
    await page.getByText(/blocks were removed/).waitFor();

    await page.getByLabel("where").fill('user == "u42"');
    await page.getByRole("button", { name: "See what would go" }).last().click();
    await page.getByText(/^2 events, from/).waitFor();
    await page.getByRole("button", { name: "Delete them…" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete these events?" });
    await dialog.getByText("2 events of kept will be gone.").waitFor();
    await dialog.getByRole("textbox").fill("kep");
    assert.equal(await dialog.getByRole("button", { name: "Delete", exact: true }).isDisabled(), true);
    await dialog.getByRole("textbox").fill("kept");
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("2 events were deleted.").waitFor();
    const answer = await service.call("/v1/query/_apl?format=tabular", {
      apl: 'kept | where message in ("stays", "goes", "goes too") | project message',
      startTime: "now-1h",
      endTime: "now",
    });
    assert.deepEqual(answer.tables[0].columns[0], ["stays"]);
  });

  watched(
    "datasets: fields that no event has are forgotten, once a day",
    async ({ page, service }) => {
      await service.call("/v1/datasets/faded/ingest", [{ gone: 1, also_gone: 2 }, { here: 1 }]);
      const names = async () => (await service.call("/v1/datasets/faded/info")).fields.map(({ name }) => name);
      await service.call("/v2/datasets/_apl/delete", {
        apl: "faded | where isnotnull(gone)",
        startTime: "1970-01-01T00:00:00Z",
        endTime: new Date(Date.now() + 60_000).toISOString(),
        commit: true,
      });
      await page.goto(dataset(service, "faded", "care"));
      assert.ok((await names()).includes("gone"));
      await page.getByRole("button", { name: "Forget fields that no event has" }).click();
      await page.getByText("2 fields forgotten.").waitFor();
      const left = await names();
      assert.ok(left.includes("here") && !left.includes("gone") && !left.includes("also_gone"), `${left}`);
      await page.getByRole("button", { name: "Forget fields that no event has" }).click();
      await page.getByText("the dataset was vacuumed in the last day").waitFor();
    },
    [/429/],
  );

  watched("datasets: a field is described, and objects of a field stay whole", async ({ page, service }) => {
    await page.goto(dataset(service, "kept", "fields"));
    await page.getByRole("button", { name: "Describe user" }).click();
    const dialog = page.getByRole("dialog", { name: "Describe user" });
    await dialog.getByLabel("Description").fill("who was it");
    await dialog.getByLabel("Unit").fill("id");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("row", { name: /user.*id.*who was it/ }).waitFor();
    await page.getByLabel("Find a field", { exact: true }).fill("who was");
    await page.getByRole("table", { name: "Fields" }).getByText("user", { exact: true }).waitFor();
    await page.getByLabel("New map field").fill("labels");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "labels is no map field" }).waitFor();
    await service.call("/v1/datasets/kept/ingest", [{ labels: { a: 1, b: { c: 2 } } }]);
    const { fields } = await service
      .call("/v1/datasets/kept/info")
      .catch(() => service.call("/v2/datasets/kept/fields").then((list) => ({ fields: list })));
    const names = fields.map(({ name }) => name);
    assert.ok(names.includes("labels") && !names.some((name) => name.startsWith("labels.")), names.join());
    await page.getByRole("button", { name: "labels is no map field" }).click();
    await page.getByRole("button", { name: "labels is no map field" }).waitFor({ state: "detached" });
  });

  watched(
    "datasets: a field that is hidden is left out in Explore, and shown when asked for",
    async ({ page, service }) => {
      await service.call("/v1/datasets/kept/ingest", [{ message: "has noise", noise: "static" }]);
      await page.goto(dataset(service, "kept", "fields"));
      await page.getByRole("button", { name: "Describe noise" }).click();
      const dialog = page.getByRole("dialog", { name: "Describe noise" });
      await dialog.getByLabel(/Hidden in lists/).check();
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("row", { name: /noise.*hidden/ }).waitFor();
      const explore = (more) =>
        `${service.address}/explore?${new URLSearchParams({ q: 'kept | where message == "has noise"', from: "now-1h", ...more })}`;
      // Without a reload: the rest of the page knows it too.
      await page.evaluate((to) => {
        history.pushState(null, "", to);
        dispatchEvent(new PopStateEvent("popstate"));
      }, explore({}));
      const row = page.locator(".row", { hasText: "has noise" });
      await row.waitFor();
      const inPanel = page.locator('.field button[title^="noise "]');
      await page.locator('.field button[title^="message "]').waitFor();
      await inPanel.waitFor({ state: "detached" });
      await row.filter({ hasNotText: "static" }).waitFor();
      await page.goto(explore({ mode: "builder" }));
      const proposed = (name) => page.locator(`datalist option[value="${name}"]`);
      await proposed("message").waitFor({ state: "attached" });
      assert.equal(await proposed("noise").count(), 0);

      await keepsTaste(page, () => page.getByRole("button", { name: "1 hidden" }).click());
      await inPanel.waitFor();
      await row.filter({ hasText: "static" }).waitFor();
      await proposed("noise").waitFor({ state: "attached" });
      await keepsTaste(page, () => page.getByRole("button", { name: "1 hidden" }).click());
      await inPanel.waitFor({ state: "detached" });
      // What a query names is meant to be seen.
      await page.goto(explore({ q: "kept | where isnotnull(noise) | project _time, noise" }));
      await page.locator(".row", { hasText: "static" }).waitFor();
    },
  );

  watched(
    "datasets: a view is made, asked, changed and deleted",
    async ({ page, service }) => {
      await page.goto(dataset(service, "kept", "views"));
      await page.getByRole("button", { name: "New view" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("kept-few");
      await dialog.getByLabel("Query").fill("kept | where strln(message) > 1");
      await dialog.getByRole("button", { name: "Save" }).click();
      // What is wrong stands in the dialog, which stays open.
      await dialog
        .getByText(/strlen/)
        .first()
        .waitFor();
      await dialog.getByLabel("Query").fill('kept | where message == "stays"');
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("link", { name: "kept-few" }).click();
      await page.waitForURL(/\/explore\?/);
      await page.locator(".row", { hasText: "stays" }).waitFor();
      assert.equal(await page.locator(".row").count(), 1);
      await page.goto(dataset(service, "kept", "views"));
      await page.getByRole("button", { name: "Change kept-few" }).click();
      await dialog.getByLabel("Description").fill("few of them");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByRole("cell", { name: "few of them" }).waitFor();
      await page.getByRole("button", { name: "Delete kept-few" }).click();
      await page.getByText("kept-few is deleted.").waitFor();
      await page.getByText("No views of this dataset").waitFor();
    },
    [/status of 400/],
  );

  watched(
    "datasets: the whole is deleted behind its name, and what leads to it says so",
    async ({ page, service }) => {
      await page.goto(dataset(service, "kept", "care"));
      await page.getByRole("button", { name: "Delete kept…" }).click();
      const dialog = page.getByRole("dialog", { name: "Delete the dataset?" });
      await dialog.getByRole("textbox").fill("kept");
      await dialog.getByRole("button", { name: "Delete", exact: true }).click();
      await page.waitForURL((address) => address.pathname === "/datasets");
      await page.locator("table.plain").waitFor();
      assert.equal(await page.getByRole("link", { name: "kept", exact: true }).count(), 0);
      await page.goto(`${service.address}/datasets/kept`);
      await page.locator(".problem").waitFor();
    },
    [/status of 404/],
  );
}
