// Dashboards that are looked at: drawn, filtered, and refreshed over one connection.

import assert from "node:assert/strict";
import {
  board,
  cellOf,
  DRAWN,
  EVENTS,
  EVERY_TYPE,
  hide,
  OVER_TIME,
  put,
  query,
  textOf,
  watchBatches,
} from "./boards.js";
import { until } from "./browser.js";

export function dashboardTests(watched) {
  watched(
    "dashboards: every type of chart is drawn, and a document of clients returns unchanged",
    async ({ page, service }) => {
      await service.generate(EVENTS, 3000, 6);
      const { id } = await service.call("/v2/monitors", {
        name: "Watched by a chart",
        type: "Threshold",
        aplQuery: `${EVENTS} | summarize count()`,
        operator: "Above",
        threshold: 0,
        intervalMinutes: 5,
        rangeMinutes: 60,
      });
      EVERY_TYPE.find(({ type }) => type === "MonitorList").selectedMonitors = [id];
      const layout = EVERY_TYPE.map(({ id }, place) => ({
        h: 5,
        i: id,
        w: 4,
        x: (place % 3) * 4,
        y: Math.floor(place / 3) * 5,
        minW: 2,
      }));
      const document = board("all chart types", EVERY_TYPE, layout, {
        description: "every kind",
        overrides: { kept: "a long number" },
      });
      // As the official Terraform provider writes it: keys in their order, a number beyond 2^53, another with a point.
      const text = JSON.stringify(document, null, 1)
        .replace('"a long number"', "9007199254740993")
        .replace("900,", "900.0,");
      await service.call("/v2/dashboards", `{"uid": "all-charts", "overwrite": true, "dashboard": ${text}}`);
      const before = await textOf(service, "all-charts");
      await page.goto(`${service.address}/dashboards/all-charts`);
      for (const [id, drawn] of Object.entries(DRAWN)) {
        await cellOf(page, id).scrollIntoViewIfNeeded();
        await cellOf(page, id).locator(drawn).first().waitFor({ state: "attached" });
      }
      assert.equal(await page.locator(".problem").count(), 0);
      assert.deepEqual(await textOf(service, "all-charts"), before);
      // Cost and time stand at each panel with a query.
      assert.match(await cellOf(page, "pie-1").locator(".cost").textContent(), /ms|µs|s.*It cost \d+ GB·ms/);
    },
  );

  watched(
    "30: of 20 panels those in sight are asked, over one connection; a hidden tab asks nothing",
    async ({ page, service }) => {
      const charts = Array.from({ length: 20 }, (_, place) => ({
        id: `p${place}`,
        type: "Statistic",
        name: `Panel ${place}`,
        query: query(`${EVENTS} | where status != ${place} | count`),
      }));
      await put(
        service,
        "twenty",
        board(
          "Twenty",
          charts,
          charts.map(({ id }, place) => ({ i: id, x: 0, y: place * 5, w: 12, h: 5 })),
        ),
      );
      const seen = await watchBatches(page, 300);
      await page.goto(`${service.address}/dashboards/twenty?from=now-6h&to=now&refresh=1`);
      await cellOf(page, "p0").locator(".value").waitFor();
      await page.waitForTimeout(200);
      const first = new Set(seen.ids());
      assert.ok(first.has("now:p0") && first.size < 8, `asked: ${[...first]}`);
      assert.equal(seen.asked[0].length, first.size, "all in sight are asked together");
      // A refresh begins after the answer before it, and asks what is in sight alone.
      await until(page, "three batches", () => seen.asked.length >= 3);
      assert.ok(!seen.ids().includes("now:p19"));
      await cellOf(page, "p19").scrollIntoViewIfNeeded();
      await cellOf(page, "p19").locator(".value").waitFor();
      assert.equal(seen.most, 1, "never two at once");
      await hide(page, "hidden");
      await page.waitForTimeout(700);
      const count = seen.asked.length;
      await page.waitForTimeout(3000);
      assert.equal(seen.asked.length, count);
      await hide(page, "visible");
      await until(page, "a batch after the page is seen again", () => seen.asked.length > count);
      assert.equal(seen.most, 1);
      await seen.end();
    },
  );

  watched(
    "dashboards: a service that asks to wait is left alone as long, and what was there stays",
    async ({ page, service }) => {
      await page.goto(`${service.address}/dashboards/twenty?from=now-6h&to=now&refresh=1`);
      await cellOf(page, "p0").locator(".value").waitFor();
      const times = [];
      await page.route("**/v1/query/batch", async (route) => {
        times.push(Date.now());
        if (times.length > 1) return route.continue();
        await route.fulfill({
          status: 429,
          headers: { "retry-after": "3" },
          contentType: "application/json",
          body: '{"code": 429, "message": "too many queries are waiting"}',
        });
      });
      await page.getByText("too many queries are waiting").first().waitFor();
      assert.ok(await cellOf(page, "p0").locator(".value").isVisible());
      await page.getByText("too many queries are waiting").first().waitFor({ state: "detached" });
      assert.ok(times[1] - times[0] >= 2900, `${times[1] - times[0]} ms`);
      await page.unroute("**/v1/query/batch");
    },
    [/429/],
  );

  watched("dashboards: an error stands at its panel with the hint, the others are drawn", async ({ page, service }) => {
    const charts = [
      { id: "bad", type: "Table", name: "Bad", query: query(`${EVENTS} | where strln(path) > 1`) },
      { id: "good", type: "Statistic", name: "Good", query: query(`${EVENTS} | count`) },
    ];
    await put(
      service,
      "half",
      board(
        "Half",
        charts,
        charts.map(({ id }, place) => ({ i: id, x: place * 6, y: 0, w: 6, h: 5 })),
      ),
    );
    await page.goto(`${service.address}/dashboards/half`);
    await cellOf(page, "good").locator(".value").waitFor();
    await cellOf(page, "bad")
      .getByText(/strlen/)
      .waitFor();
  });

  watched(
    "dashboards: panels are asked once after all filters are known; choices depend on each other",
    async ({ page, service }) => {
      const filters = [
        {
          id: "service_filter",
          name: "Service",
          type: "select",
          selectType: "apl",
          apl: { apl: `${EVENTS} | summarize count() by service | order by service asc | project service` },
          options: "",
        },
        {
          id: "path_filter",
          name: "Path",
          type: "select",
          selectType: "apl",
          options: [{ key: "All paths", value: "", default: true }],
          apl: {
            apl: `${EVENTS} | where service == service_filter | summarize n = count() by path | project value = path`,
          },
        },
      ];
      const narrowed = `declare query_parameters (service_filter:string = "", path_filter:string = "");\n${EVENTS} | where service == service_filter and (isempty(path_filter) or path == path_filter) | count`;
      const charts = [
        { id: "bar", type: "SmartFilter", name: "", filters },
        { id: "number", type: "Statistic", name: "Chosen", query: query(narrowed) },
        { id: "all", type: "Statistic", name: "All", query: query(`${EVENTS} | count`) },
      ];
      await put(
        service,
        "filters",
        board("Filters", charts, [
          { i: "bar", x: 0, y: 0, w: 12, h: 2 },
          { i: "number", x: 0, y: 2, w: 6, h: 4 },
          { i: "all", x: 6, y: 2, w: 6, h: 4 },
        ]),
      );
      const seen = await watchBatches(page);
      await page.goto(`${service.address}/dashboards/filters`);
      await cellOf(page, "number").locator(".value").waitFor();
      await cellOf(page, "all").locator(".value").waitFor();
      const value = () => cellOf(page, "number").locator(".value").textContent();
      const [first] = await page
        .getByRole("combobox", { name: "Service", exact: true })
        .locator("option")
        .allTextContents();
      assert.deepEqual(
        seen
          .ids()
          .filter((id) => id.startsWith("now:"))
          .sort(),
        ["now:all", "now:number"],
      );
      const asked = seen.asked.flat().find(({ queryId }) => queryId === "now:number");
      assert.deepEqual(asked.aplRequest.variables, { service_filter: first, path_filter: "" });
      await page
        .getByRole("combobox", { name: "Path", exact: true })
        .locator("option")
        .nth(1)
        .waitFor({ state: "attached" });
      const before = await value();
      const [, path] = await page
        .getByRole("combobox", { name: "Path", exact: true })
        .locator("option")
        .allTextContents();
      await page.getByRole("combobox", { name: "Path", exact: true }).selectOption(path);
      await page.waitForFunction(
        (old) => document.querySelector('[data-cell="number"] .value').textContent !== old,
        before,
      );
      assert.match(page.url(), /v\.path_filter=/);
      // Another service: its own paths, the path is any again, and the panel without filters is not asked anew.
      seen.asked.length = 0;
      await page.getByRole("combobox", { name: "Service", exact: true }).selectOption({ index: 1 });
      await page.waitForFunction(() => !location.search.includes("path_filter"));
      await until(page, "the number is asked anew", () => seen.ids().includes("now:number"));
      await page.waitForTimeout(800);
      assert.deepEqual(
        seen.ids().filter((id) => id.startsWith("now:")),
        ["now:number"],
      );
      const paths = await page.getByRole("combobox", { name: "Path", exact: true }).locator("option").allTextContents();
      assert.ok(!paths.includes(path) && paths.length > 1, `${paths}`);
      await seen.end();
      // Explore gets the query with what was chosen.
      await page.getByRole("button", { name: "Menu of Chosen" }).click();
      await page.getByRole("button", { name: "Open in Explore" }).click();
      await page.waitForURL(/\/explore\?/);
      assert.match(
        new URL(page.url()).searchParams.get("q"),
        /^let service_filter = "\w+";\nlet path_filter = "";\ndeclare/,
      );
      assert.equal(new URL(page.url()).searchParams.get("from"), "now-6h");
      await page.getByText("Count", { exact: true }).waitFor();
      assert.equal(await page.locator(".problem").count(), 0);
      await page.goBack();
      await cellOf(page, "number").locator(".value").waitFor();
    },
  );

  watched(
    "dashboards: an earlier period is drawn beside, and a dragged range is for all panels",
    async ({ page, service }) => {
      const charts = [
        {
          id: "series",
          type: "TimeSeries",
          name: "Series",
          query: query(`${EVENTS} | summarize count() by bin_auto(_time)`),
        },
        { id: "number", type: "Statistic", name: "Number", query: query(`${EVENTS} | count`) },
      ];
      await put(
        service,
        "periods",
        board(
          "Periods",
          charts,
          charts.map(({ id }, place) => ({ i: id, x: place * 6, y: 0, w: 6, h: 6 })),
          { timeWindowStart: "qr-now-1h" },
        ),
      );
      const seen = await watchBatches(page);
      await page.goto(`${service.address}/dashboards/periods`);
      await cellOf(page, "number").locator(".value").waitFor();
      assert.match(page.url(), /from=now-1h/);
      await page.getByLabel("Compare with").selectOption("-1h");
      await cellOf(page, "series").getByText("dotted: earlier").waitFor();
      await cellOf(page, "number")
        .getByText(/, was \d/)
        .waitFor();
      assert.match(page.url(), /against=-1h/);
      const request = (id) => seen.asked.at(-1).find(({ queryId }) => queryId === id).aplRequest;
      const apart = Date.parse(request("now:series").startTime) - Date.parse(request("was:series").startTime);
      assert.equal(apart, 3_600_000);
      const plot = await cellOf(page, "series").locator(".u-over").boundingBox();
      await page.mouse.move(plot.x + plot.width * 0.25, plot.y + 30);
      await page.mouse.down();
      await page.mouse.move(plot.x + plot.width * 0.75, plot.y + 30, { steps: 5 });
      await page.mouse.up();
      await page.waitForURL(/from=20\d\d-/);
      const zoomed = new URL(page.url()).searchParams;
      const length = Date.parse(zoomed.get("to")) - Date.parse(zoomed.get("from"));
      assert.ok(length > 25 * 60_000 && length < 35 * 60_000, `${length} ms`);
      await page.goBack();
      await page.waitForURL(/from=now-1h/);
      await seen.end();
    },
  );

  watched(
    "dashboards: one cross-hair over all charts of time; one panel fills the screen and its numbers are a table",
    async ({ page, service }) => {
      const charts = ["one", "two"].map((id) => ({ id, type: "TimeSeries", name: id, query: query(OVER_TIME) }));
      await put(
        service,
        "cross",
        board(
          "Cross",
          charts,
          charts.map(({ id }, place) => ({ i: id, x: place * 6, y: 0, w: 6, h: 6 })),
        ),
      );
      await page.goto(`${service.address}/dashboards/cross`);
      for (const id of ["one", "two"]) await cellOf(page, id).locator("canvas").waitFor();
      const plot = await cellOf(page, "one").locator(".u-over").boundingBox();
      await page.mouse.move(plot.x + plot.width / 2, plot.y + plot.height / 2);
      await page.waitForFunction(() => {
        const at = (id) =>
          new DOMMatrix(getComputedStyle(document.querySelector(`[data-cell="${id}"] .u-cursor-x`)).transform).e;
        return at("one") > 0 && Math.abs(at("one") - at("two")) < 3;
      });
      await page.getByRole("button", { name: "Menu of two" }).click();
      await page.getByRole("button", { name: "Full screen" }).click();
      await page.waitForURL(/panel=two/);
      assert.equal(await cellOf(page, "one").count(), 0);
      await page.getByRole("button", { name: "Menu of two" }).click();
      await page.getByRole("button", { name: "As a table" }).click();
      await cellOf(page, "two").locator(".row .cell").first().waitFor();
      await page.keyboard.press("Escape");
      await cellOf(page, "one").waitFor();
    },
  );

  watched("dashboards: a whole one fills the screen, and Esc leaves that", async ({ page, service }) => {
    await page.goto(`${service.address}/dashboards/cross`);
    await cellOf(page, "one").locator("canvas").waitFor();
    const [rail, bar] = [page.getByRole("navigation", { name: "Screens" }), page.locator("header.top")];
    assert.ok((await rail.isVisible()) && (await bar.isVisible()));
    await page.getByRole("button", { name: "Fill the screen" }).click();
    await page.waitForURL(/full=1/);
    await rail.waitFor({ state: "detached" });
    assert.equal(await bar.count(), 0);
    const board = await page.locator(".board").boundingBox();
    assert.deepEqual([board.x, board.y, board.width], [0, 0, 1440]);
    // One panel alone, and back, are steps within it.
    await page.getByRole("button", { name: "Menu of two" }).click();
    await page.getByRole("button", { name: "Full screen" }).click();
    await cellOf(page, "one").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await cellOf(page, "one").waitFor();
    assert.equal(await rail.count(), 0);
    await page.keyboard.press("Escape");
    await rail.waitFor();
    assert.doesNotMatch(page.url(), /full=/);
    // By a key, and by the button that a pointer finds; another screen has its rail.
    await page.keyboard.press("f");
    await rail.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Bring rail and bars back" }).click();
    await rail.waitFor();
    await page.goBack();
    await rail.waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("e");
    await rail.waitFor();
  });

  watched("39: UTC and local change axis, rows and heatmap of a dashboard together", async ({ page, service }) => {
    await page.goto(`${service.address}/dashboards/all-charts`);
    const texts = async () => {
      for (const id of ["heatmap-1", "logstream-1"]) await cellOf(page, id).scrollIntoViewIfNeeded();
      await cellOf(page, "logstream-1").locator(".time").first().waitFor();
      await cellOf(page, "heatmap-1").locator(".from").waitFor();
      return [
        await cellOf(page, "heatmap-1").locator(".from").textContent(),
        (await cellOf(page, "logstream-1").locator(".time").first().textContent()).slice(0, 9),
      ];
    };
    const utc = await texts();
    await page.getByRole("button", { name: "UTC", exact: true }).click();
    const local = await texts();
    await page.getByRole("button", { name: "Local", exact: true }).click();
    for (const [place, text] of utc.entries()) assert.notEqual(text, local[place]);
  });

  watched(
    "dashboards: the service tells of its own health, and a hidden page does not ask",
    async ({ page, service }) => {
      await page.goto(`${service.address}/dashboards`);
      await page.getByRole("link", { name: "Health of this service" }).click();
      await page.getByRole("region", { name: "Queries" }).getByText("99 of 100 within").waitFor();
      await page
        .getByRole("region", { name: "Requests" })
        .locator(".value")
        .getByText(/\d.*\/ s/)
        .first()
        .waitFor();
      const asked = [];
      page.on("request", (request) => request.url().endsWith("/metrics") && asked.push(request.url()));
      await hide(page, "hidden");
      await page.waitForTimeout(6000);
      assert.deepEqual(asked, []);
    },
  );
}
