// Dashboards in links: what is typed into a filter, the range, the numbers of a panel as they are; and what was kept of an
// answer before.

import assert from "node:assert/strict";
import { board, cellOf, EVENTS, put, query } from "./boards.js";
import { memberPage } from "./members.js";

const search = (page) => new URL(page.url()).searchParams;

export function sharedDashboardTests(watched) {
  watched("dashboards: what is typed into a filter narrows its panels, and goes along in the link", async (at) => {
    const { page, service, browser } = at;
    const declared = 'declare query_parameters (path_part:string = "");\n';
    const charts = [
      { id: "bar", type: "SmartFilter", name: "", filters: [{ type: "search", id: "path_part", name: "Path has" }] },
      {
        id: "part",
        type: "Statistic",
        name: "Part",
        query: query(`${declared}${EVENTS} | where path contains path_part | count`),
      },
      { id: "all", type: "Statistic", name: "All", query: query(`${EVENTS} | count`) },
    ];
    const cells = [
      { i: "bar", x: 0, y: 0, w: 12, h: 2 },
      { i: "part", x: 0, y: 2, w: 6, h: 4 },
      { i: "all", x: 6, y: 2, w: 6, h: 4 },
    ];
    await put(service, "typed", board("Typed", charts, cells));
    await page.goto(`${service.address}/dashboards/typed?from=now-6h&to=now`);
    const figure = (where, id) => cellOf(where, id).locator(".value").textContent();
    await cellOf(page, "part").locator(".value").waitFor();
    await cellOf(page, "all").locator(".value").waitFor();
    assert.equal(await figure(page, "part"), await figure(page, "all"));
    const field = page.getByRole("searchbox", { name: "Path has" });
    await field.fill('a"b');
    await field.press("Enter");
    await page.waitForURL((address) => address.searchParams.get("v.path_part") === 'a"b');
    await page.waitForFunction(() => document.querySelector('[data-cell="part"] .value')?.textContent === "0");
    await field.fill("/");
    await field.press("Enter");
    const whole = await figure(page, "all");
    await page.waitForFunction(
      (text) => document.querySelector('[data-cell="part"] .value')?.textContent === text,
      whole,
    );
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('[data-cell="part"] .value')?.textContent === "0");
    assert.equal(await field.inputValue(), 'a"b');

    await page.getByRole("button", { name: "More about this dashboard" }).click();
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Share" });
    const moving = new URL(await dialog.getByLabel("Moves with the time", { exact: true }).inputValue());
    assert.deepEqual([moving.searchParams.get("from"), moving.searchParams.get("v.path_part")], ["now-6h", 'a"b']);
    await dialog.getByRole("button", { name: "Copy the link: This very range" }).click();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const range = new URL(link).searchParams;
    assert.equal(Date.parse(range.get("to")) - Date.parse(range.get("from")), 6 * 3_600_000);
    await page.keyboard.press("Escape");
    const colleague = await memberPage(service, browser, "Silvia", "user");
    await colleague.page.goto(link);
    await cellOf(colleague.page, "part").locator(".value").waitFor();
    assert.equal(await figure(colleague.page, "part"), "0");
    assert.equal(search(colleague.page).get("from"), range.get("from"));
    assert.deepEqual(colleague.faults, []);
    await colleague.context.close();
  });

  watched(
    "dashboards: a link to these very numbers shows them also after the data changed",
    async ({ page, service }) => {
      await service.call("/v1/datasets/moving/ingest", [{ n: 1 }, { n: 2 }]);
      const charts = [
        { id: "count", type: "Table", name: "Count", query: query("moving | summarize found = count()") },
      ];
      await put(service, "numbers", board("Numbers", charts, [{ i: "count", x: 0, y: 0, w: 6, h: 5 }]));
      await page.goto(`${service.address}/dashboards/numbers?from=now-1h&to=now`);
      await cellOf(page, "count").locator(".row", { hasText: "2" }).waitFor();
      await page.getByRole("button", { name: "Menu of Count" }).click();
      await page.getByRole("button", { name: "Copy a link to these very numbers" }).click();
      await page.getByText(/copied/).waitFor();
      const link = await page.evaluate(() => navigator.clipboard.readText());
      const late = new Date(Date.now() - 600_000).toISOString();
      await service.call("/v1/datasets/moving/ingest", [{ n: 3, _time: late }]);
      await page.goto(link);
      await page.getByText(/This answer was kept on/).waitFor();
      await page.getByText("2", { exact: true }).first().waitFor();
      await page.getByRole("button", { name: "Ask it now" }).click();
      await page.getByText("3", { exact: true }).first().waitFor();
    },
  );

  watched(
    "dashboards: a link to the numbers of all panels shows them after data and dashboard have changed",
    async ({ page, service }) => {
      await service.call("/v1/datasets/moving-all/ingest", [{ n: 1 }, { n: 2 }]);
      const counted = "moving-all";
      const wanted = `declare query_parameters (least:string = "0");\n['${counted}'] | where n >= toint(least) | count`;
      const charts = [
        { id: "bar", type: "SmartFilter", name: "", filters: [{ type: "search", id: "least", name: "At least" }] },
        { id: "all", type: "Statistic", name: "All", query: query(`['${counted}'] | count`) },
        { id: "some", type: "Statistic", name: "Some", query: query(wanted) },
        { id: "words", type: "Note", text: "as it **was**" },
      ];
      const cells = charts.map(({ id }, place) => ({ i: id, x: 0, y: place * 3, w: 12, h: 3 }));
      await put(service, "numbers-of-all", board("Numbers of all", charts, cells));
      await page.goto(`${service.address}/dashboards/numbers-of-all?from=now-1h&to=now&v.least=2`);
      const figure = (id) => cellOf(page, id).locator(".value");
      await figure("all").getByText("2", { exact: true }).waitFor();
      await figure("some").getByText("1", { exact: true }).waitFor();
      await page.getByRole("button", { name: "More about this dashboard" }).click();
      await page.getByRole("button", { name: "Share", exact: true }).click();
      const dialog = page.getByRole("dialog", { name: "Share" });
      await dialog.getByText("takes 2 of the 200 answers").waitFor();
      await dialog.getByRole("button", { name: "Keep the numbers of all panels" }).click();
      const link = await dialog.getByLabel("These very numbers", { exact: true }).inputValue();
      assert.match(link, /[?&]version=1&.*numbers=1\./);

      const late = new Date(Date.now() - 600_000).toISOString();
      await service.call("/v1/datasets/moving-all/ingest", [{ n: 3, _time: late }]);
      await put(service, "numbers-of-all", board("Another name", [charts[3]], [cells[3]]));
      const asked = [];
      page.on("request", (request) => request.url().includes("/v1/query/batch") && asked.push(request.url()));
      await page.goto(link);
      await page.getByText(/These numbers were kept on/).waitFor();
      await page.getByRole("heading", { name: "Numbers of all" }).waitFor();
      await figure("all").getByText("2", { exact: true }).waitFor();
      await figure("some").getByText("1", { exact: true }).waitFor();
      await cellOf(page, "bar").getByText("At least: 2").waitFor();
      await cellOf(page, "words").locator("strong").waitFor();
      assert.deepEqual(asked, []);
      await page.getByRole("button", { name: "Menu of Some" }).click();
      await page.getByRole("button", { name: "Open in Explore" }).click();
      await page.getByText(/This answer was kept on/).waitFor();
      await page.goBack();
      await page.getByRole("link", { name: "As it is now" }).click();
      await page.getByRole("heading", { name: "Another name" }).waitFor();
    },
  );

  watched("dashboards: a panel says what was kept from the same question before", async ({ page, service }) => {
    // Parts of an answer are kept for events that are in blocks, to which a trim brings them; none is as old as this.
    await service.call(`/v1/datasets/${EVENTS}/trim`, { maxDuration: "87600h" });
    const apl = `${EVENTS} | where status != 12345 | summarize count() by bin(_time, 10m), service`;
    const charts = [{ id: "again", type: "TimeSeries", name: "Again", query: query(apl) }];
    await put(service, "again", board("Again", charts, [{ i: "again", x: 0, y: 0, w: 12, h: 6 }]));
    await page.goto(`${service.address}/dashboards/again?from=now-7h&to=now`);
    await cellOf(page, "again").locator("canvas").waitFor();
    // All events lie in this range, so that no block of theirs begins before it.
    // What is asked a second time is kept, and used from the third on.
    const kept = cellOf(page, "again").locator(".kept");
    for (let round = 0; round < 5 && (await kept.count()) === 0; round++) {
      const answered = page.waitForResponse(/\/v1\/query\/batch/);
      await page.getByRole("button", { name: "Ask now" }).click();
      await (await answered).finished();
      await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
    }
    await kept.waitFor();
    await cellOf(page, "again")
      .getByText("Parts were kept from the same question before.")
      .waitFor({ state: "attached" });
  });
}
