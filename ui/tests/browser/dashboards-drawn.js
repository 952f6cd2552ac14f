// What dashboards draw of charts as their documents say: points over time, columns of tables, what is cut, how monitors
// went, and the moments that somebody marked.

import assert from "node:assert/strict";
import { board, cellOf, EVENTS, hide, put, query, read } from "./boards.js";
import { keepDrawnTexts, until } from "./browser.js";
import { memberPage } from "./members.js";

const HOUR = 3_600_000;
const side = (charts, h = 6) =>
  charts.map(({ id }, place) => ({ i: id, x: (place % 2) * 6, y: h * (place >> 1), w: 6, h }));

export function drawnDashboardTests(watched) {
  watched("dashboards: points have time across, and what is cut is told", async ({ page, service }) => {
    const start = Math.floor(Date.now() / HOUR) * HOUR - 3 * HOUR;
    const many = Array.from({ length: 6000 }, (_, place) => ({
      _time: new Date(start + place * 1000).toISOString(),
      size: place % 97,
      host: `host-${place % 70}`,
    }));
    await service.call("/v1/datasets/crowd/ingest", many);
    const charts = [
      { id: "time", type: "Scatter", name: "Over time", query: query("crowd | summarize count() by bin(_time, 10m)") },
      { id: "all", type: "Scatter", name: "All", query: query("crowd | project _time, size | take 6000") },
      {
        id: "heat",
        type: "Heatmap",
        name: "Heat",
        query: query("crowd | summarize count() by bin(_time, 10m), host"),
      },
      { id: "top", type: "TopK", name: "Top", numSeries: 5, query: query("crowd | summarize count() by host") },
    ];
    await put(service, "crowd", board("Crowd", charts, side(charts)));
    await page.goto(`${service.address}/dashboards/crowd?from=now-6h&to=now`);
    const points = cellOf(page, "time").locator("svg[role=img]");
    await points.locator("circle").first().waitFor();
    // Its axis goes over the range, so events of the last three hours are in the right half, and it has hours as marks.
    const places = await points
      .locator("circle")
      .evaluateAll((list) => list.map((dot) => Number(dot.getAttribute("cx"))));
    const width = (await points.boundingBox()).width;
    assert.ok(Math.min(...places) > width * 0.3 && Math.max(...places) <= width, `${places} of ${width}`);
    assert.ok(new Set(places).size > 5);
    assert.match(await points.getAttribute("aria-label"), /_time across, from .*; count_ up, from 0 to 600/);
    const marks = await points.locator("text.mark").allTextContents();
    assert.ok(marks.length >= 2 && marks.every((text) => /^\d\d:00|:30$/.test(text)), `${marks}`);
    assert.ok((await points.locator("text.up").count()) >= 3);
    await cellOf(page, "all").getByText("5,000 of 6,000 points are drawn").waitFor();
    assert.equal(await cellOf(page, "all").locator("circle").count(), 5000);
    await cellOf(page, "heat").scrollIntoViewIfNeeded();
    await cellOf(page, "heat").getByText("24 of 70 series are drawn, the greatest.").waitFor();
    const label = await cellOf(page, "heat").locator(".heat").getAttribute("aria-label");
    assert.match(label, /^Values of 24 series .*“As a table” in the menu/);
    await cellOf(page, "top").getByText("5 of 70 groups, the greatest").waitFor();
  });

  watched("dashboards: tables have the columns that their charts name", async ({ page, service }) => {
    const settings = {
      columns: [
        { name: "service", width: 180 },
        { name: "status", width: 90 },
      ],
    };
    const charts = [
      {
        id: "groups",
        type: "Table",
        name: "Groups",
        query: query(`${EVENTS} | summarize count() by status, service`),
        tableSettings: settings,
      },
      {
        id: "log",
        type: "LogStream",
        name: "Log",
        query: query(`${EVENTS} | take 20`),
        tableSettings: JSON.stringify({ ...settings, settings: { wrapLines: true, showEvent: false } }),
      },
    ];
    await put(service, "columns", board("Columns", charts, side(charts)));
    await page.goto(`${service.address}/dashboards/columns?from=now-6h&to=now`);
    const heads = async (id) => {
      await cellOf(page, id).locator(".row .cell").first().waitFor();
      return cellOf(page, id)
        .locator('[role="columnheader"].name')
        .evaluateAll((list) => list.map((head) => `${head.innerText.trim()} ${head.style.width}`));
    };
    assert.deepEqual(await heads("groups"), ["service 180px", "status 90px", "count_ 112px"]);
    assert.deepEqual(await heads("log"), ["_time 156px", "service 180px", "status 90px"]);
    assert.equal(await cellOf(page, "log").locator(".canvas.wrap").count(), 1);
  });

  watched("dashboards: which columns a table has is chosen beside it", async ({ page, service }) => {
    const apl = `${EVENTS} | summarize count() by status, service`;
    const theirs = { columns: [{ name: "status", width: 90, theirs: 1 }], theirs: true };
    const charts = [{ id: "groups", type: "Table", name: "Groups", query: query(apl), tableSettings: theirs }];
    await put(service, "chosen-columns", board("Chosen columns", charts, side(charts)));
    await page.goto(`${service.address}/dashboards/chosen-columns?edit=1&chart=groups&from=now-6h&to=now`);
    await page.locator(".preview .row .cell").first().waitFor();
    await page.getByLabel("Add a column").selectOption("service");
    await page.getByRole("button", { name: "Move service up" }).click();
    await page.getByLabel("Width of service, in pixels").fill("210");
    await page.getByLabel("Wrap long lines").check();
    const heads = page.locator('.preview [role="columnheader"].name');
    await page.waitForFunction(() => document.querySelector(".preview .canvas.wrap") !== null);
    assert.deepEqual(
      await heads.evaluateAll((list) => list.map((head) => `${head.innerText.trim()} ${head.style.width}`)),
      ["service 210px", "status 90px", "count_ 112px"],
    );
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.").waitFor();
    const [kept] = (await read(service, "chosen-columns")).dashboard.charts;
    assert.deepEqual(kept.tableSettings, {
      columns: [
        { name: "service", width: 210 },
        { name: "status", width: 90, theirs: 1 },
      ],
      theirs: true,
      settings: { wrapLines: true },
    });
  });

  watched("dashboards: monitors have their day, and whom they tell, where the chart says so", async (at) => {
    const { page, service, browser } = at;
    const notifier = await service.call("/v2/notifiers", {
      name: "Told by a list",
      properties: { webhook: { url: "http://127.0.0.1:9/" } },
      disabledUntil: "2099-01-01T00:00:00Z",
    });
    const { id } = await service.call("/v2/monitors", {
      name: "With all columns",
      type: "Threshold",
      aplQuery: `${EVENTS} | summarize count()`,
      operator: "Above",
      threshold: 1e9,
      intervalMinutes: 1,
      rangeMinutes: 60,
      notifierIds: [notifier.id],
    });
    const columns = { status: true, history: true, notifiers: true };
    const charts = [
      { id: "all", type: "MonitorList", name: "All", selectedMonitors: [id], columns },
      { id: "few", type: "MonitorList", name: "Few", selectedMonitors: [id], columns: { status: false } },
    ];
    await put(service, "columns-of-monitors", board("Monitors", charts, side(charts)));
    await page.goto(`${service.address}/dashboards/columns-of-monitors`);
    const heads = (where, cell) => cellOf(where, cell).locator("th").allTextContents();
    await cellOf(page, "all").getByText("Told by a list").waitFor();
    await cellOf(page, "all")
      .getByRole("img", { name: /last 24 hours/ })
      .waitFor();
    assert.deepEqual(await heads(page, "all"), ["Monitor", "State", "24 hours", "Tells", "Since"]);
    assert.deepEqual(await heads(page, "few"), ["Monitor"]);
    // Who may not read notifiers is told how many there are, and asks for none.
    const reader = await memberPage(service, browser, "Onlooker", "read-only");
    const asked = [];
    reader.page.on("request", (request) => /notifiers/.test(request.url()) && asked.push(request.url()));
    await reader.page.goto(`${service.address}/dashboards/columns-of-monitors`);
    const shown = cellOf(reader.page, "all").locator("tbody tr");
    await shown.waitFor();
    const may = await reader.page.evaluate(() => fetch("/v2/user/capabilities").then((answer) => answer.json()));
    if (!may.org?.notifiers?.includes("read")) {
      await shown.getByRole("cell", { name: "1", exact: true }).waitFor();
      assert.deepEqual(asked, []);
    }
    assert.deepEqual(reader.faults, []);
    await reader.context.close();
    await service.call(`/v2/monitors/${id}`, undefined, "DELETE");
    await service.call(`/v2/notifiers/${notifier.id}`, undefined, "DELETE");
  });

  watched("dashboards: marked moments are on all charts of their dataset, by one request a round", async (at) => {
    const { context, service } = at;
    const time = new Date(Date.now() - 2 * HOUR).toISOString();
    await service.call("/v2/annotations", { datasets: [EVENTS], type: "release", time, title: "checkout 2.4.1" });
    await service.call("/v2/annotations", { datasets: ["crowd"], type: "release", time, title: "of the others" });
    const over = (id, dataset) => ({
      id,
      type: "TimeSeries",
      name: id,
      query: query(`${dataset} | summarize count() by bin_auto(_time)`),
    });
    const charts = [over("one", EVENTS), over("two", EVENTS), over("three", "crowd")];
    await put(service, "marked", board("Marked", charts, side(charts)));
    const page = await context.newPage();
    await page.addInitScript(keepDrawnTexts);
    const asked = [];
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === "/v2/annotations") asked.push(new URL(request.url()).searchParams);
    });
    await page.goto(`${service.address}/dashboards/marked?from=now-6h&to=now`);
    for (const { id } of charts) {
      await cellOf(page, id).scrollIntoViewIfNeeded();
      await cellOf(page, id).locator("canvas").waitFor();
    }
    const counted = (text) =>
      page.evaluate((wanted) => globalThis.drawnTexts.filter((one) => one === wanted).length, text);
    await until(page, "both are marked", async () => (await counted("checkout 2.4.1")) >= 2);
    await until(page, "the third is marked", async () => (await counted("of the others")) >= 1);
    assert.equal(asked.length, 1, `${asked}`);
    assert.equal(Date.parse(asked[0].get("end")) - Date.parse(asked[0].get("start")), 6 * HOUR);
    await page.getByRole("button", { name: "Ask now" }).click();
    await until(page, "they are asked for anew", () => asked.length === 2);
    await hide(page, "hidden");
    await page.waitForTimeout(500);
    assert.equal(asked.length, 2);
    await page.close();
  });
}
