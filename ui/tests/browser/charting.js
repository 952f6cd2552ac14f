// Charts: what their switches do to the drawing, which is asked for the values that it holds.

import assert from "node:assert/strict";
import { keepDrawnTexts } from "./browser.js";

const explore = (service, parameters) => `${service.address}/explore?${new URLSearchParams(parameters)}`;

export function chartingTests(watched) {
  watched("charts: each of several numbers, over time and not, and more groups than are drawn", async (at) => {
    const { page, service } = at;
    const events = Array.from({ length: 60 }, (_, place) => ({ host: `h${place}`, took: place === 7 ? 1000 : place }));
    await service.call("/v1/datasets/measured/ingest", [...events, { host: "h3", took: 1 }]);
    const range = { from: "now-1h", to: "now", tab: "chart" };
    await page.goto(explore(service, { q: "measured | summarize count(), slowest = max(took) by host", ...range }));
    const first = page.locator(".drawing ol li").first();
    await first.getByText("h3", { exact: true }).waitFor();
    await page.getByText("50 of 60 groups are drawn, the greatest; the table has all.").waitFor();
    await page.getByRole("combobox", { name: "of", exact: true }).selectOption("slowest");
    await first.getByText("h7", { exact: true }).waitFor();
    assert.match(page.url(), /of=slowest/);
    await page.getByRole("button", { name: "Number", exact: true }).click();
    await page.getByText("slowest, sum of 60").waitFor();
    await page.reload();
    await page.getByText("slowest, sum of 60").waitFor();
    const over = "measured | summarize count(), slowest = max(took) by bin(_time, 10m), host";
    await page.goto(explore(service, { q: over, ...range, chart: "heatmap", of: "slowest" }));
    await page.getByText("24 of 60 series are drawn, the greatest.").waitFor();
    await page.getByRole("button", { name: "Points", exact: true }).click();
    // The one that was chosen is drawn over time, both without a choice against each other.
    await page.getByRole("img", { name: /: _time across, .*; slowest up/ }).waitFor();
    await page.getByRole("combobox", { name: "of", exact: true }).selectOption("");
    await page.getByRole("img", { name: /: count_ across, .*; slowest up/ }).waitFor();
  });

  watched("charts: a log axis, gaps, one series alone, stacked or not", async ({ context, service }) => {
    // Two series over twelve hours, one a thousand times the other; the greater has nothing for four hours.
    const start = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 12 * 3_600_000;
    const events = [];
    for (let hour = 0; hour < 12; hour++) {
      const _time = new Date(start + hour * 3_600_000 + 60_000).toISOString();
      events.push({ _time, kind: "small", value: 3 + hour });
      if (hour < 4 || hour >= 8) events.push({ _time, kind: "large", value: 4000 + hour * 500 });
    }
    await service.call("/v1/datasets/drawn/ingest", events);
    const page = await context.newPage();
    await page.addInitScript(keepDrawnTexts);
    const range = { from: new Date(start).toISOString(), to: new Date(start + 12 * 3_600_000).toISOString() };
    await page.goto(
      explore(service, { q: "drawn | summarize total = sum(value) by bin(_time, 1h), kind", tab: "chart", ...range }),
    );
    await page.locator(".chart canvas").waitFor();
    const press = async (name) => {
      await page.evaluate(() => (globalThis.drawnTexts = []));
      await page.getByRole("button", { name, exact: true }).click();
      await page.waitForFunction(() => globalThis.drawnTexts.length > 0);
      // Everything of one drawing is there with the frame in which it was made.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      return page.evaluate(() => globalThis.drawnTexts);
    };
    const greatest = (texts) => {
      const size = { "": 1, k: 1e3, K: 1e3, M: 1e6 };
      const numbers = texts.flatMap((text) => {
        const found = /^([\d.,]+)\s?([kKM]?)$/.exec(text);
        return found ? [Number(found[1].replaceAll(",", "")) * size[found[2]]] : [];
      });
      return numbers.sort((a, b) => b - a);
    };

    const logged = greatest(await press("Log axis"));
    assert.match(page.url(), /log=1/);
    // Powers of ten are as far apart as each other, so small ones have marks beside large ones.
    for (const power of [10, 100, 1000]) assert.ok(logged.includes(power), logged.join(" "));
    const plain = greatest(await press("Log axis"));
    assert.doesNotMatch(page.url(), /log=1/);
    assert.ok(plain[0] >= 8000 && !plain.includes(10) && !plain.includes(100), plain.join(" "));

    const stacked = greatest(await press("Stacked"));
    assert.match(page.url(), /stack=1/);
    assert.ok(stacked[0] >= plain[0], `${stacked[0]} and ${plain[0]}`);
    await press("Stacked");

    // A line that ends and begins anew, one that goes on, and one that falls to the ground look different.
    const gaps = async (value) => {
      await page.evaluate(() => (globalThis.drawnTexts = []));
      await page.getByLabel("gaps").selectOption(value);
      await page.waitForFunction(() => globalThis.drawnTexts.length > 0);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      return page.locator(".chart canvas").evaluate((canvas) => canvas.toDataURL());
    };
    const zero = await gaps("zero");
    assert.match(page.url(), /nulls=zero/);
    const joined = await gaps("join");
    const left = await gaps("gap");
    assert.equal(new Set([zero, joined, left]).size, 3);

    const row = (name) => page.locator("table.legend tbody tr", { hasText: name });
    await row("small").getByTitle("Only this series").click();
    await page.locator("table.legend tr.off", { hasText: "large" }).waitFor();
    const alone = greatest(await page.evaluate(() => globalThis.drawnTexts.slice(-12)));
    assert.ok(alone[0] < 100, alone.join(" "));
    await row("small").getByTitle("Only this series").click();
    assert.equal(await page.locator("table.legend tr.off").count(), 0);
    // The table has the numbers that are drawn.
    const cells = (await row("small").locator("td.number").allTextContents()).map((text) => text.trim());
    assert.deepEqual(cells.slice(0, 4), ["14", "3", "8.5", "14"]);
    await page.close();
  });

  watched("charts: keys move a cursor that is said, choose a stretch and take it", async ({ page, service }) => {
    const start = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 12 * 3_600_000;
    const hour = (count) => new Date(start + count * 3_600_000).toISOString();
    const q = 'drawn | where kind == "small" | summarize total = sum(value) by bin(_time, 1h), kind';
    await page.goto(explore(service, { q, tab: "chart", from: hour(0), to: hour(12) }));
    const chart = page.getByRole("application", { name: /1 series over \d+ points of time/ });
    await chart.locator("canvas").waitFor();
    const said = page.locator("p[aria-live=polite]", { hasText: /small/ });
    const select = chart.locator(".u-select");
    const width = () => select.evaluate((element) => element.getBoundingClientRect().width);
    await chart.focus();
    await page.keyboard.press("End");
    await said.filter({ hasText: /: small 14$/ }).waitFor();
    await page.keyboard.press("ArrowLeft");
    await said.filter({ hasText: /: small 13$/ }).waitFor();
    // The table below shows the same bucket, as it does for the mouse.
    await page.locator("table.legend tbody td.number", { hasText: /^13$/ }).first().waitFor();
    assert.equal(await width(), 0);
    await page.keyboard.press("Shift+ArrowLeft");
    await said.filter({ hasText: /^chosen from .* to .*: small 12$/ }).waitFor();
    assert.ok((await width()) > 20, "what is chosen is seen");
    await page.keyboard.press("Escape");
    await said.filter({ hasText: /^(?!chosen).*small 12$/ }).waitFor();
    assert.equal(await width(), 0);
    await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForURL((address) => address.searchParams.get("from")?.startsWith(hour(9).slice(0, 16)));
    assert.equal(Date.parse(new URL(page.url()).searchParams.get("to")), start + 11 * 3_600_000);
    await page.goBack();
    await page.waitForURL((address) => Date.parse(address.searchParams.get("to")) === start + 12 * 3_600_000);
    await chart.locator("canvas").waitFor();
    await chart.focus();
    await page.keyboard.press("ArrowRight");
    await said.filter({ hasText: /: small 3$/ }).waitFor();
    await page.keyboard.press("Escape");
    await said.waitFor({ state: "detached" });
  });

  watched("charts: how values are spread over time is a heatmap with its numbers below", async ({ page, service }) => {
    const start = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 12 * 3_600_000;
    const range = { from: new Date(start).toISOString(), to: new Date(start + 12 * 3_600_000).toISOString() };
    await page.goto(explore(service, { q: "drawn | summarize histogram(value, 10) by bin(_time, 1h)", ...range }));
    await page.getByRole("img", { name: /^Values of 20 series over/ }).waitFor();
    assert.deepEqual(await page.getByRole("group", { name: "Kind of chart" }).getByRole("button").allTextContents(), [
      "Heatmap",
    ]);
    // Twenty values in all: twelve small ones below, eight large ones above. A stretch of a bucket that lies across two of
    // the drawing is drawn where its middle is.
    const counts = await page
      .locator(".heat .cells")
      .evaluateAll((rows) =>
        rows.map((row) => [...row.children].reduce((sum, cell) => sum + Number(cell.getAttribute("title") || 0), 0)),
      );
    assert.equal(counts.length, 20);
    const sum = (list) => list.reduce((all, count) => all + count, 0);
    assert.deepEqual([sum(counts.slice(-2)), sum(counts)], [12, 20], "the least stand below");
    const sums = await page.locator("table.legend tbody tr td.number:last-child").allTextContents();
    assert.deepEqual(sums.map(Number), counts, "the table has the same numbers");
  });
}
