// Stream, Datasets and Queries, and what is said of addresses that lead nowhere.

import assert from "node:assert/strict";
import { live } from "./streaming.js";

export function screenTests(watched) {
  watched("26: the stream shows what arrives, and a pause holds still", async ({ page, service }) => {
    await page.goto(`${service.address}/stream?dataset=web`);
    await page.getByRole("log").waitFor();
    await live(page);
    await service.call("/v1/datasets/web/ingest", [{ message: "seen in the stream", level: "warn" }]);
    await page.getByText("seen in the stream").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    const before = await page.locator(".event").count();
    await service.call("/v1/datasets/web/ingest", [{ message: "came while paused" }]);
    await page.getByRole("button", { name: /1 new below/ }).waitFor();
    assert.equal(await page.locator(".event").count(), before);
    await page.getByRole("button", { name: /1 new below/ }).click();
    await page.getByText("came while paused").waitFor();
  });

  watched(
    "datasets: list, fields, virtual field with its values, deletion with dry figures",
    async ({ page, service }) => {
      await page.goto(`${service.address}/datasets`);
      await page.getByRole("link", { name: "gen", exact: true }).click();
      await page.getByRole("table", { name: "Fields" }).getByText("duration_ms").waitFor();
      await page.getByRole("tab", { name: "Virtual fields" }).click();
      await page.getByRole("button", { name: "New virtual field" }).click();
      await page.getByLabel("Name").fill("failed");
      await page.getByLabel("Expression").fill("status >= 500");
      await page.getByText("On the newest events:").waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("cell", { name: "failed", exact: true }).waitFor();
      await page.getByRole("tab", { name: "Care" }).click();
      await page.getByLabel("where").fill('level == "debug"');
      await page.getByRole("button", { name: "See what would go" }).last().click();
      await page.getByText(/\d events, from/).waitFor();
      await page.getByRole("button", { name: "Delete them…" }).click();
      assert.equal(await page.getByRole("button", { name: "Delete", exact: true }).isDisabled(), true);
      await page.getByRole("button", { name: "Keep everything" }).click();
    },
  );

  watched("queries: a starred query is kept, found, opened and removed", async ({ page, service }) => {
    await page.goto(`${service.address}/explore?${new URLSearchParams({ q: "demo | where status >= 500" })}`);
    await page.getByRole("button", { name: "Star", exact: true }).click();
    await page.getByLabel("Name").fill("Failures");
    await page.getByRole("dialog").getByRole("button", { name: "Star", exact: true }).click();
    await page.goto(`${service.address}/queries`);
    const own = page.getByRole("row", { name: /Failures/ });
    await own.getByRole("cell", { name: "you", exact: true }).waitFor();
    await page.getByRole("button", { name: "Mine", exact: true }).click();
    await page.waitForURL(/who=me/);
    await own.waitFor();
    await page.getByRole("link", { name: "Failures" }).click();
    await page.waitForURL(/status/);
    await page.goto(`${service.address}/queries?view=history`);
    await page
      .getByRole("link", { name: /status >= 500/ })
      .first()
      .waitFor();
    await page.goto(`${service.address}/queries`);
    await page.getByRole("button", { name: "Remove the star of Failures" }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("No query is starred yet").waitFor();
  });

  watched(
    "queries: a starred query is renamed, and changed from Explore",
    async ({ page, service }) => {
      const kept = {
        apl: "demo | where status >= 500",
        startTime: "now-1h",
        endTime: "now",
        queryOptions: { kept: "yes" },
      };
      const { id } = await service.call("/v2/apl-starred-queries", {
        kind: "apl",
        name: "Faults",
        who: "me",
        dataset: "demo",
        metadata: { of: "another client" },
        query: kept,
      });
      await page.goto(`${service.address}/queries`);
      await page.getByRole("button", { name: "Rename Faults" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("Server faults");
      await dialog.getByRole("button", { name: "Rename", exact: true }).click();
      await page.getByRole("link", { name: "Server faults" }).click();
      await page.waitForURL(/\/explore\?.*star=/);
      await page.getByRole("button", { name: /Remove the filter status/ }).click();
      await page.waitForURL((now) => now.searchParams.get("q") === "demo");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("dialog", { name: "Save “Server faults”" }).waitFor();
      assert.equal(await dialog.getByLabel("Name").inputValue(), "Server faults");
      assert.equal(await dialog.getByRole("button", { name: "Star as a new one" }).isDisabled(), true);
      await dialog.getByRole("button", { name: "Save over it" }).click();
      await page.getByText("“Server faults” is saved.").waitFor();
      const saved = await service.call(`/v2/apl-starred-queries/${id}`);
      assert.deepEqual(
        [saved.name, saved.query.apl, saved.query.startTime, saved.query.queryOptions, saved.metadata],
        ["Server faults", "demo", "now-1h", { kept: "yes" }, { of: "another client" }],
      );
      // Under another name it becomes a second one, from which the next change goes on.
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await dialog.getByLabel("Name").fill("All of them");
      await dialog.getByRole("button", { name: "Star as a new one" }).click();
      await page.getByText("“All of them” is starred.").waitFor();
      const second = new URL(page.url()).searchParams.get("star");
      assert.notEqual(second, id);
      for (const gone of [id, second]) await service.call(`/v2/apl-starred-queries/${gone}`, undefined, "DELETE");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("dialog", { name: "Star this query" }).getByRole("button", { name: "Close" }).last().click();
    },
    [/status of 404/],
  );

  watched("an unknown page and a wrong range are said, not shown empty", async ({ page, service }) => {
    await page.goto(`${service.address}/explore?q=demo&from=now&to=now-1h`);
    await page.getByText("The range of time cannot be read").waitFor();
  });
}
