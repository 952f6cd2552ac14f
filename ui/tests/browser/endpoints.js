// Endpoints by their screen: made, with an address that is shown once and works; figures that rise while they are looked
// at; why something was refused; changed; deleted. And what somebody sees who may only look.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { openPage } from "./browser.js";

const run = promisify(execFile);
const PASSWORD = "a long enough secret 44";

export function endpointTests(watched) {
  watched("endpoints: made by the screen, the address works and is shown once", async ({ page, service }) => {
    // What tests before this one made is not looked at here.
    for (const { id } of await service.call("/v2/endpoints"))
      await service.call(`/v2/endpoints/${id}`, undefined, "DELETE");
    await page.goto(`${service.address}/endpoints`);
    await page.getByRole("heading", { name: "There is no endpoint yet" }).waitFor();
    await page.keyboard.press("n");
    await page.getByRole("heading", { name: "New endpoint" }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Shop webhooks");
    await page.getByLabel("Its senders speak").selectOption({ label: "Events as JSON" });
    await page.getByLabel("Everything goes to").selectOption({ label: "A new dataset…" });
    await page.getByLabel("Name of the new dataset").fill("hooks");
    await page.getByRole("button", { name: "Add a label" }).click();
    await page.keyboard.type("site");
    await page.keyboard.press("Tab");
    await page.keyboard.type("pier");
    await page.keyboard.press("Enter");
    const url = await page.locator("[data-secret]").textContent();
    assert.match(url, /\/e\/[\w-]{43}$/);
    // Esc does not lose it.
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Copy the address" }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), url);
    const dialog = page.getByRole("dialog");
    for (const way of await dialog.getByRole("tab").allTextContents()) {
      await dialog.getByRole("tab", { name: way, exact: true }).click();
      assert.ok((await dialog.locator(".ways pre").allTextContents()).join("\n").includes(new URL(url).pathname), way);
    }
    await dialog.getByRole("tab", { name: "curl" }).click();
    await command(await dialog.locator(".ways pre").textContent());
    await page.getByRole("button", { name: "I have it" }).click();
    await page.waitForURL(/\/endpoints\/endpoint_[0-9a-f]{32}/);
    const id = new URL(page.url()).pathname.split("/")[2];
    await page.getByText("arriving").waitFor();
    assert.equal(await figure(page, "Events"), "1");

    // The figures go on by themselves.
    await post(service, url, '[{"n": 1}, {"n": 2, "site": "own"}]');
    await page.waitForFunction(() => document.querySelector(".figures dd").textContent === "3");
    const answer = await service.call("/v1/query/_apl?format=tabular", { apl: "hooks | summarize count() by site" });
    assert.deepEqual(answer.tables[0].columns, [["pier"], [3]]);

    // The secret is nowhere any more.
    const secret = url.split("/").at(-1);
    for (const again of [false, true]) {
      if (again) await page.reload();
      await page.locator(".ways").waitFor();
      assert.ok(!(await page.content()).includes(secret));
      assert.ok(!page.url().includes(secret));
      const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, history.state]));
      assert.ok(!kept.includes(secret));
    }
    assert.match(await page.locator(".ways pre").first().textContent(), /\/e\/SECRET$/m);

    // What came in by it is a click away.
    await page.getByRole("link", { name: "Explore", exact: true }).last().click();
    await page.locator(".row .cell").first().waitFor();
    assert.match(new URL(page.url()).searchParams.get("q"), /^hooks\n\| where site == "pier"$/);

    // Settings: the address stays, the label changes.
    await page.goto(`${service.address}/endpoints/${id}?view=settings`);
    await page.getByLabel("Name", { exact: true }).fill("Webhooks of the shop");
    await page.getByLabel("Value of label 1").fill("quay");
    await page.getByRole("button", { name: "Save the changes" }).click();
    await page.getByRole("heading", { name: "Webhooks of the shop" }).waitFor();
    await page.getByText("site=quay").waitFor();
    const changed = await service.call(`/v2/endpoints/${id}`);
    assert.deepEqual(
      [changed.name, changed.kind, changed.dataset, changed.labels, changed.events],
      ["Webhooks of the shop", "ingest", "hooks", { site: "quay" }, 3],
    );
    assert.equal((await post(service, url, '[{"n": 3}]')).status, 200);

    // Deleted after a question, and the address ends with it.
    await page.goto(`${service.address}/endpoints`);
    const row = page.getByRole("row", { name: /Webhooks of the shop/ });
    await row.getByRole("cell", { name: "4", exact: true }).waitFor();
    await row.getByRole("button", { name: "Delete Webhooks of the shop" }).click();
    await page
      .getByRole("dialog")
      .getByText(/Events last came in/)
      .waitFor();
    await page.getByRole("button", { name: "Keep it" }).click();
    assert.equal((await post(service, url, '[{"n": 4}]')).status, 200);
    await row.getByRole("button", { name: "Delete Webhooks of the shop" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("heading", { name: "There is no endpoint yet" }).waitFor();
    assert.equal((await post(service, url, '[{"n": 5}]')).status, 401);
  });

  watched("endpoints: why a sender's events do not arrive is told, with what to do", async ({ page, service }) => {
    const made = await service.call("/v2/endpoints", {
      name: "Collector",
      kind: "otlp",
      dataset: "web",
      labels: { via: "otlp", tier: 2 },
    });
    await page.goto(`${service.address}/endpoints`);
    const row = page.getByRole("row", { name: /Collector/ });
    await row.getByText("nothing came yet").waitFor();
    await post(service, `${made.url}/loki/api/v1/push`, '{"streams": []}');
    // Without a reload: the count, the reason and when.
    await row.getByText("the endpoint takes otlp, and this is loki").waitFor();
    await row.getByText("refused", { exact: true }).waitFor();
    await row.getByText(/just now|\d+ s ago/).waitFor();
    await row.getByRole("cell", { name: "1", exact: true }).waitFor();
    await row.getByRole("link", { name: "Collector" }).click();
    await page.getByText("Its sender speaks Loki.").waitFor();
    await page.getByRole("link", { name: "Make one for Loki" }).click();
    await page.getByRole("heading", { name: "New endpoint" }).waitFor();
    assert.equal(await page.getByLabel("Its senders speak").inputValue(), "loki");
    assert.equal(await page.getByLabel("Everything goes to").inputValue(), "web");
    assert.equal(await page.getByLabel("Value of label 2").inputValue(), "2");

    // Some of a request, and then all of one.
    const part = await service.call("/v2/endpoints", { name: "Half", kind: "ingest", dataset: "web" });
    await post(service, part.url, '[{"a": 1}, {"_time": "tomorrow"}]');
    await page.goto(`${service.address}/endpoints/${part.id}`);
    await page.getByText("refused in part", { exact: true }).waitFor();
    await page.getByText(/its time "tomorrow" cannot be read/).waitFor();
    assert.deepEqual([await figure(page, "Events"), await figure(page, "Failures")], ["1", "1"]);
    await post(service, part.url, '[{"a": 2}]');
    await page.getByText("events were stored since").waitFor();
    await page.getByText("arriving", { exact: true }).waitFor();

    // A dataset that is gone.
    await service.call("/v2/datasets", { name: "for-a-while" });
    const lost = await service.call("/v2/endpoints", { name: "Lost", kind: "ingest", dataset: "for-a-while" });
    await service.call("/v2/datasets/for-a-while", undefined, "DELETE");
    assert.equal((await post(service, lost.url, '[{"a": 1}]')).status, 404);
    await page.goto(`${service.address}/endpoints/${lost.id}`);
    await page.getByText("There is no dataset for-a-while any more.").waitFor();
    await page.getByText("dataset not found").waitFor();
    await page.goto(`${service.address}/endpoints`);
    for (const { id } of [made, part, lost]) await service.call(`/v2/endpoints/${id}`, undefined, "DELETE");
  });

  watched("endpoints: the command for each kind works as it stands", async ({ page, service }) => {
    const ran = [];
    await page.goto(`${service.address}/endpoints/new?dataset=web`);
    await page.getByLabel("Its senders speak").waitFor();
    const kinds = await page
      .getByLabel("Its senders speak")
      .locator("option")
      .evaluateAll((options) => options.map(({ value }) => value));
    assert.ok(kinds.length >= 14, kinds.join(" "));
    for (const kind of kinds) {
      await page.goto(`${service.address}/endpoints/new?dataset=web&kind=${kind}`);
      await page.getByLabel("Name", { exact: true }).fill(`by ${kind}`);
      await page.getByRole("button", { name: "Make the endpoint" }).click();
      if (kind === "syslog" || kind === "fluent") {
        // A listener has the id in its settings, and no address is shown.
        await page.waitForURL(/\/endpoints\/endpoint_/);
        const [, id] = /\/(endpoint_[0-9a-f]{32})/.exec(page.url());
        await page.locator(".ways pre", { hasText: `${kind}_endpoint = "${id}"` }).waitFor();
        await page.goto(`${service.address}/endpoints`);
        await service.call(`/v2/endpoints/${id}`, undefined, "DELETE");
        continue;
      }
      await page.locator("[data-secret]").waitFor();
      const curl = page.getByRole("dialog").getByRole("tab", { name: "curl" });
      const hasCurl = (await curl.count()) > 0;
      if (hasCurl) {
        await curl.click();
        await command(await page.getByRole("dialog").locator(".ways pre").textContent());
        ran.push(kind);
      }
      await page.getByRole("button", { name: "I have it" }).click();
      await page.waitForURL(/\/endpoints\/endpoint_/);
      await page.getByText(hasCurl ? "arriving" : "nothing came yet").waitFor();
      if (hasCurl) assert.equal(await figure(page, "Events"), "1", kind);
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
      await page.waitForURL((address) => address.pathname === "/endpoints");
    }
    assert.deepEqual(ran.sort(), [
      "cloudevents",
      "datadog",
      "elastic",
      "gelf",
      "hec",
      "honeycomb",
      "ingest",
      "loki",
      "otlp",
    ]);
  });

  watched("endpoints: a dataset shows its own, and begins a new one", async ({ page, service }) => {
    const made = await service.call("/v2/endpoints", { name: "To the web", kind: "loki", dataset: "web" });
    await page.goto(`${service.address}/datasets/web?view=send`);
    await page.getByRole("link", { name: "Make an endpoint for it" }).click();
    await page.getByRole("heading", { name: "New endpoint" }).waitFor();
    assert.equal(await page.getByLabel("Everything goes to").inputValue(), "web");
    await page.goBack();
    await page.getByRole("tab", { name: "Endpoints" }).click();
    await page.getByRole("link", { name: "To the web" }).waitFor();
    await page.goto(`${service.address}/datasets/hooks?view=endpoints`);
    await page.getByRole("heading", { name: "No endpoint leads to hooks" }).waitFor();
    await service.call(`/v2/endpoints/${made.id}`, undefined, "DELETE");
  });

  watched(
    "endpoints: waiting, a mistake and a failure are told",
    async ({ page, service }) => {
      await page.route("**/v2/endpoints", (route) =>
        route.fulfill({ status: 500, body: '{"message": "the catalogue is away"}' }),
      );
      await page.goto(`${service.address}/endpoints`);
      await page.getByText("the catalogue is away").waitFor();
      await page.unroute("**/v2/endpoints");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("heading", { name: "There is no endpoint yet" }).waitFor();
      await page.goto(`${service.address}/endpoints/endpoint_00000000000000000000000000000000`);
      await page.getByText("endpoint not found").waitFor();
      await page.goto(`${service.address}/endpoints/new?dataset=web`);
      await page.getByLabel("Name", { exact: true }).fill("Twice");
      for (const place of [1, 2]) {
        await page.getByRole("button", { name: "Add a label" }).click();
        await page.getByLabel(`Name of label ${place}`).fill("site");
      }
      await page.getByRole("button", { name: "Make the endpoint" }).click();
      await page.getByText("The label site is there twice.").waitFor();
      await page.getByRole("button", { name: "Take away label 2" }).click();
      await page.getByLabel("Name of label 1").fill("x".repeat(4100));
      await page.getByRole("button", { name: "Make the endpoint" }).click();
      await page.locator(".wrong").waitFor();
      assert.deepEqual(await service.call("/v2/endpoints"), []);
    },
    [/status of (500|404|4\d\d)/],
  );

  watched("37: who may only read endpoints changes none, and others do not see them", async ({ service, browser }) => {
    const made = await service.call("/v2/endpoints", { name: "Looked at", kind: "loki", dataset: "web" });
    await post(service, made.url, "{}");
    const looker = await member(service, browser, "Endpoint reader", "read-only");
    await looker.page.goto(`${service.address}/endpoints`);
    await looker.page.getByRole("link", { name: "Looked at" }).waitFor();
    const none = async (page, names) => {
      for (const name of names)
        for (const role of ["button", "link", "tab"])
          assert.equal(await page.getByRole("main").getByRole(role, { name }).count(), 0, `${page.url()}: ${name}`);
    };
    const changing = [/^New endpoint/, /^Delete/, /^Settings$/, /^Make one/, /^make another/];
    await none(looker.page, changing);
    await looker.page.keyboard.press("n");
    assert.equal(new URL(looker.page.url()).pathname, "/endpoints");
    await looker.page.getByRole("link", { name: "Looked at" }).click();
    await looker.page.getByText("the endpoint takes loki, and this is ingest").waitFor();
    await none(looker.page, changing);
    await looker.page.goto(`${service.address}/endpoints/new`);
    await looker.page.getByText("You cannot make endpoints here").waitFor();
    await looker.page.goto(`${service.address}/datasets/web?view=endpoints`);
    await looker.page.getByRole("link", { name: "Looked at" }).waitFor();
    await none(looker.page, changing);
    await looker.page.getByRole("tab", { name: "Send" }).click();
    await none(looker.page, [/^Make an endpoint/]);
    assert.deepEqual(looker.faults, []);
    await looker.context.close();

    const role = await service.call("/v2/rbac/roles", {
      name: "Only monitors",
      orgCapabilities: { monitors: ["read"] },
    });
    const other = await member(service, browser, "Endpoint stranger", role.id);
    const refused = [];
    other.page.on("response", (answer) => {
      if (answer.status() === 403) refused.push(answer.url());
    });
    await other.page.goto(`${service.address}/endpoints`);
    await other.page.getByText("You cannot see the endpoints").waitFor();
    assert.equal(await other.page.getByRole("navigation").getByRole("link", { name: "Endpoints" }).count(), 0);
    await other.page.goto(`${service.address}/datasets/web?view=endpoints`);
    await other.page.locator("main header").waitFor();
    assert.ok(!refused.some((url) => url.includes("/v2/endpoints")), refused.join(" "));
    await other.context.close();
    await service.call(`/v2/endpoints/${made.id}`, undefined, "DELETE");
  });
}

/** Runs a command of the page as it stands. */
async function command(text) {
  await run("bash", ["-c", `${text.trimEnd()} --fail --silent --show-error`], { timeout: 120_000 });
}

function post(service, url, body) {
  const headers = { "content-type": "application/json" };
  return fetch(url.replace(service.address, service.direct), { method: "POST", headers, body });
}

function figure(page, name) {
  return page
    .locator(".figures > div", { has: page.getByText(name, { exact: true }) })
    .locator("dd")
    .textContent();
}

/** Somebody with a browser of their own. */
async function member(service, browser, name, role) {
  const email = `${name.toLowerCase().replaceAll(" ", "-")}@example.com`;
  const { id } = await service.call("/v2/users", { name, email, role });
  const { link } = await service.call(`/v2/users/${id}/invitation`, undefined, "POST");
  const opened = await openPage(browser);
  await opened.page.goto(link.replace(new URL(link).origin, service.address));
  for (const field of await opened.page.locator('input[type="password"]').all()) await field.fill(PASSWORD);
  await opened.page.locator('main button[type="submit"]').first().click();
  await opened.page.waitForURL((address) => !address.pathname.startsWith("/setup"));
  return opened;
}
