// Traces: a tree of thousands of spans of which few are drawn, what is beside it, the list, latencies, the map, and the
// ways there from events. Times are told, and nothing depends on them.

import assert from "node:assert/strict";
import { logsOf, sendOtlp, sendSpans, spanId, traceId, traceSpans } from "./spans.js";
import { at, LARGE, RANGE, rows, SPANS } from "./trace-page.js";
import { oddTraceTests } from "./traces-odd.js";

/** The spans and logs of all tests here. */
async function send(service, now) {
  await sendSpans(service, "shop", traceSpans({ number: LARGE, count: SPANS, start: now - 600_000, length: 4000 }));
  for (let number = 2; number < 42; number++) {
    const start = now - 3_000_000 + number * 60_000;
    await sendSpans(service, "shop", traceSpans({ number, count: 4 + number, start, length: 50 + number * 7 }));
  }
  const record = (place, more) => ({
    timeUnixNano: String(BigInt(now - 600_000 + 10 * place) * 1_000_000n + 1n),
    severityNumber: place === 2 ? 17 : 9,
    body: { stringValue: `line ${place} of an order` },
    traceId: traceId(LARGE),
    spanId: spanId(LARGE, 0),
    ...more,
  });
  const elsewhere = record(9, { traceId: traceId(2) });
  await sendOtlp(service, "logs", "app-logs", logsOf("checkout", [record(0), record(1), record(2), elsewhere]));
  // A line in the dataset of the spans, and one that knows its trace alone.
  await sendOtlp(service, "logs", "shop", logsOf("web", [record(3), record(4, { spanId: "" })]));
}

export function traceTests(watched) {
  watched("traces: without spans it says which fields make one, and how to send them", async ({ page, service }) => {
    await page.goto(at(service));
    await page.getByRole("heading", { name: "There are no spans yet" }).waitFor();
    await page.getByRole("table", { name: "Fields of a span" }).getByText("parent_span_id").waitFor();
    assert.match(await page.locator(".code pre").textContent(), /OTEL_EXPORTER_OTLP_ENDPOINT=http/);
  });

  watched("traces: 5,000 spans open from the list, and few of them are drawn", async ({ page, service }) => {
    await send(service, Date.now());
    await page.goto(at(service));
    const first = page.getByRole("table", { name: "Traces" }).locator("tbody tr").first();
    await first.getByText("5,000").waitFor();
    assert.match(await first.textContent(), /4 s/);
    const took = await page.evaluate(async () => {
      const began = performance.now();
      document.querySelector("table a[data-screen]").click();
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      while (!document.querySelector(".waterfall .row")) await frame();
      await frame();
      const asked = performance.getEntriesByType("resource").findLast(({ name }) => name.includes("/v1/query/_apl"));
      return { whole: performance.now() - began, afterAnswer: performance.now() - asked.responseEnd };
    });
    const frames = await page.evaluate(async () => {
      const viewport = document.querySelector(".waterfall .viewport");
      const times = [];
      for (let count = 0; count < 90; count++) {
        viewport.scrollTop += 260;
        times.push(await new Promise((done) => requestAnimationFrame(done)));
      }
      const gaps = times
        .slice(1)
        .map((time, place) => time - times[place])
        .sort((a, b) => a - b);
      return { each: 1000 / (gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length), worst: gaps.at(-1) };
    });
    console.log(
      `    5,000 spans: ${Math.round(took.whole)} ms from the click to the picture with the query; scrolling ${Math.round(frames.each)} frames a second, the longest gap ${Math.round(frames.worst)} ms`,
    );
    assert.ok((await page.locator(".waterfall .row").count()) < 200);
    assert.equal(await page.getByRole("treegrid").getAttribute("aria-rowcount"), String(SPANS + 1));
    await page.getByText("Spans5,000", { exact: false }).waitFor();
  });

  watched("traces: keys move, close and open; the address holds the span", async ({ page, service }) => {
    await page.goto(at(service, { trace: traceId(30) }));
    await page.locator(".waterfall .row").first().waitFor();
    const all = (await rows(page)).length;
    assert.equal(all, 34);
    await page.getByRole("treegrid").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowLeft");
    assert.equal((await rows(page)).length, 1);
    await page.getByTitle("33 spans are closed in", { exact: false }).waitFor();
    await page.keyboard.press("ArrowRight");
    assert.equal((await rows(page)).length, all);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    const chosen = await page.locator(".row.active .name").textContent();
    const span = new URL(page.url()).searchParams.get("span");
    await page.keyboard.press("Enter");
    assert.equal(
      await page.getByRole("tabpanel", { name: "Span" }).evaluate((panel) => panel === document.activeElement),
      true,
    );
    await page.locator(".span .event").getByText("trace_id").waitFor();
    await page.goto(page.url());
    await page.locator(".row.active").waitFor();
    assert.equal(await page.locator(".row.active .name").textContent(), chosen);
    assert.equal(new URL(page.url()).searchParams.get("span"), span);
    await page.getByRole("slider", { name: "End of the window" }).focus();
    await page.keyboard.press("Shift+ArrowLeft");
    await page.keyboard.press("Shift+ArrowLeft");
    const [now, before] = [
      await page.getByRole("slider", { name: "End of the window" }).getAttribute("aria-valuenow"),
      100,
    ];
    assert.equal(Number(now), before - 20);
  });

  watched("traces: finds spans, by their names and in all of their fields", async ({ page, service }) => {
    await page.goto(at(service, { trace: traceId(LARGE) }));
    await page.locator(".waterfall .row").first().waitFor();
    await page.getByRole("searchbox", { name: "Find spans" }).fill("payment");
    const words = await page.locator(".find [role=status]").textContent();
    const found = Number(words.replace(/\D/g, ""));
    assert.ok(found > 0 && found < SPANS, words);
    await page.keyboard.press("Enter");
    assert.match(await page.locator(".row.active .name").textContent(), /payment/);
    await page.getByRole("searchbox", { name: "Find spans" }).fill("payment-1.shop.example");
    await page.getByText("0 spans", { exact: true }).waitFor();
    await page.getByRole("button", { name: "In all fields" }).click();
    await page.waitForFunction(() => /^[1-9]/.test(document.querySelector(".find [role=status]")?.textContent ?? ""));
    await page.getByRole("tab", { name: /Services/ }).click();
    await page.getByRole("table", { name: "Services of the trace" }).getByRole("button", { name: "payment" }).click();
    assert.ok((await page.locator(".row.dim").count()) > 0);
  });

  watched("traces: logs of other datasets stand beside their span", async ({ page, service }) => {
    await page.goto(at(service, { trace: traceId(LARGE), span: spanId(LARGE, 0) }));
    await page.getByText("· 4 logs").waitFor();
    assert.equal(await page.locator(".row.active .log").count(), 4);
    assert.equal(await page.locator(".row.active .log.bad").count(), 1);
    await page.getByRole("tab", { name: /Logs/ }).click();
    const panel = page.getByRole("tabpanel", { name: "Logs" });
    await panel.getByText("line 4 of an order").waitFor();
    assert.equal(await panel.getByRole("listitem").count(), 5);
    assert.equal(await panel.getByText("line 9").count(), 0);
    await panel.getByRole("button", { name: /line 2 of an order/ }).click();
    await panel.getByText("severity_number").waitFor();
    await page.getByRole("treegrid").focus();
    await page.keyboard.press("End");
    await panel.waitFor({ state: "detached" });
    await page.getByRole("tab", { name: /Logs/ }).click();
    await page.getByRole("button", { name: "Show its span" }).first().click();
    assert.match(await page.locator(".row.active .name").textContent(), /GET \/order/);
  });

  watched("traces: an event leads to its trace", async ({ page, service }) => {
    const q = `['app-logs'] | where trace_id == "${traceId(LARGE)}"`;
    await page.goto(`${service.address}/explore?${new URLSearchParams({ ...RANGE, q })}`);
    await page.locator(".row .cell").first().click();
    assert.equal(await page.locator(".field-actions").getByRole("link", { name: "Open trace" }).count(), 1);
    await page.getByRole("link", { name: "Trace", exact: true }).click();
    await page.waitForURL(/\/traces\?/);
    assert.equal(new URL(page.url()).searchParams.get("span"), spanId(LARGE, 0));
    await page.locator(".row.active").waitFor();
    await page.goBack();
    await page.locator(".row .cell").first().waitFor();
  });

  watched(
    "traces: the list is narrowed by service, duration and failures, of the root or of any span",
    async ({ page, service }) => {
      await page.goto(at(service, { min: "300ms" }));
      const list = page.getByRole("table", { name: "Traces" }).locator("tbody tr");
      await list.first().waitFor();
      // 50 + 7n milliseconds from the number 36 on, and the large one.
      assert.equal(await list.count(), 7);
      await page.goto(at(service, { service: "bank" }));
      await page.getByRole("heading", { name: "No trace fits the filters" }).waitFor();
      await page.getByRole("checkbox", { name: "In any span" }).check();
      await page.getByRole("columnheader", { name: "Spans that fit" }).waitFor();
      const some = await list.count();
      assert.ok(some > 0 && some < 41, String(some));
      assert.match(await list.first().textContent(), /GET \/order/);
      await page.getByRole("checkbox", { name: "Failed" }).check();
      await page.waitForURL(/failed=1/);
      await page.goBack();
      await page.waitForFunction(
        (count) => document.querySelectorAll('table[aria-label="Traces"] tbody tr').length === count,
        some,
      );
      await page.goto(at(service, { min: "soon" }));
      await page.getByText("Write a length such as 5ms").waitFor();
    },
  );

  watched("traces: latencies are those of the spans, and lead to them", async ({ page, service }) => {
    await page.goto(at(service, { view: "latency" }));
    const table = page.getByRole("table", { name: "Latencies" });
    await table.locator("tbody tr").first().waitFor();
    const mine = [...Array(41).keys()].flatMap((place) => {
      const number = place + 1;
      return number === 1
        ? traceSpans({ number, count: SPANS, start: 0, length: 4000 })
        : traceSpans({ number, count: 4 + number, start: 0, length: 50 + number * 7 });
    });
    const wanted = mine.filter((entry) => entry.service === "bank" && entry.span.name === "POST /authorise");
    const row = table.getByRole("row", { name: /bank POST \/authorise/ });
    const cells = await row.getByRole("cell").allTextContents();
    assert.equal(cells[2], wanted.length.toLocaleString("en"));
    await page.getByRole("button", { name: "p99" }).click();
    await page.waitForURL(/by=p99/);
    await row.getByRole("link").click();
    await page.getByRole("table", { name: "Traces" }).locator("tbody tr").first().waitFor();
    assert.match(page.url(), /operation=POST/);
  });

  watched("traces: the service map has who calls whom, by mouse, by keys and as a table", async ({ page, service }) => {
    await page.goto(at(service, { view: "map" }));
    const nodes = page.locator("svg .service");
    await nodes.first().waitFor();
    assert.equal(await nodes.count(), 9);
    const calls = page.getByRole("table", { name: "Calls between services" }).locator("tbody tr");
    const all = await calls.count();
    assert.equal(await page.locator("svg .call").count(), all);
    const pairs = (await calls.allTextContents()).join("\n");
    assert.match(pairs, /web\s*checkout/);
    assert.doesNotMatch(pairs, /web\s*bank/);
    await page.getByRole("button", { name: /^web / }).focus();
    await page.keyboard.press("ArrowRight");
    const near = await page.evaluate(() => document.activeElement.textContent);
    assert.match(near, /^(checkout|search|users|cart|stock) /);
    await page.getByRole("button", { name: /^payment / }).press("Enter");
    await page.waitForURL(/node=payment/);
    await page.getByRole("heading", { name: "Calls from and to payment" }).waitFor();
    assert.ok((await calls.count()) < all);
  });

  oddTraceTests(watched);
}
