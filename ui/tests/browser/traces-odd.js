// Traces that are not as they should be: what is odd in them, what is missing, other units, and what axe says of every
// view. They come after those of `traces.js`, whose spans they look at too.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { sendSpans, spanId, traceId, traceSpans } from "./spans.js";
import { at, LARGE, rows } from "./trace-page.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export function oddTraceTests(watched) {
  watched("traces: odd ones are shown as they came, and nothing in them does harm", async ({ page, service }) => {
    const now = BigInt(Date.now() - 300_000) * 1_000_000n;
    const time = (ns) =>
      new Date(Number((now + BigInt(ns)) / 1_000_000n))
        .toISOString()
        .replace("Z", `${String(Number((now + BigInt(ns)) % 1_000_000n)).padStart(6, "0")}Z`);
    const span = (id, parent, from, length, more = {}) => ({
      _time: time(from),
      trace_id: "odd-1",
      span_id: id,
      parent_span_id: parent,
      duration: length,
      name: id,
      kind: "internal",
      "service.name": "odd",
      ...more,
    });
    await service.call("/v1/datasets/odd-spans/ingest", [
      span("root", null, 0, 1_000_000_000),
      span("<img src=x onerror='window.harmed=1'>", "root", 1, 5, { "service.name": "a'] | take 0 //" }),
      span("twice", "root", 2, 5),
      span("twice", "root", 2, 5),
      span("circle-a", "circle-b", 3, 5),
      span("circle-b", "circle-a", 4, 5),
      span("orphan", "nobody", 5, "3ms"),
      span("early", "twice", -2_000_000, 5, {
        big: "x".repeat(300_000),
        "\u202eturn": 18446744073709551615n.toString(),
      }),
    ]);
    await page.goto(at(service, { trace: "odd-1" }));
    await page.locator(".waterfall .row").nth(6).waitFor();
    const names = (await rows(page)).sort((a, b) => a.y - b.y).map(({ text, level }) => `${level} ${text}`);
    assert.deepEqual(names, [
      "1 root odd",
      "2 <img src=x onerror='window.harmed=1'> a'] | take 0 //",
      "2 twice odd",
      "3 early odd",
      "1 circle-a odd",
      "2 circle-b odd",
      "1 orphan odd",
    ]);
    await page.getByText("1 parent is not here").waitFor();
    await page.getByText("1 span begins before its parent").waitFor();
    await page.getByText("Came twice").waitFor();
    await page.getByText("The parents of 1 span lead back to itself").waitFor();
    for (const place of [1, 3, 6]) await page.locator(".waterfall .row").nth(place).click();
    await page.getByText("3,000,000 ns").waitFor();
    assert.equal(await page.evaluate(() => window.harmed), undefined);
    // What comes late is there when the trace is read again, and what was closed stays closed.
    await page.getByRole("treegrid").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowLeft");
    await service.call("/v1/datasets/odd-spans/ingest", [span("nobody", "root", 3, 9_000_000)]);
    await page.getByRole("button", { name: "Read again" }).click();
    await page.getByText("1 parent is not here").waitFor({ state: "detached" });
    assert.equal((await rows(page)).length, 3);
  });

  watched("traces: durations in other units and as texts count the same", async ({ page, service }) => {
    const time = (ms) => new Date(Date.now() - 120_000 + ms).toISOString();
    const other = { trace: { id: "ms-1" }, service: "elsewhere" };
    await service.call("/v1/datasets/in-ms/ingest", [
      {
        _time: time(0),
        ...other,
        span: { id: "a", name: "outer" },
        parent: { id: "" },
        duration_ms: 1500.25,
        status_code: "ok",
      },
      {
        _time: time(5),
        ...other,
        span: { id: "b", name: "inner" },
        parent: { id: "a" },
        duration_ms: 20,
        status_code: "error",
      },
    ]);
    const text = (id, parent, duration, error) => ({
      _time: time(0),
      traceId: "text-1",
      spanId: id,
      parentSpanId: parent,
      name: id,
      kind: "server",
      serviceName: id,
      duration,
      error,
    });
    await service.call("/v1/datasets/as-text/ingest", [text("a", "", "1.5s", ""), text("b", "a", "20ms", "timeout")]);
    for (const [dataset, trace, exact] of [
      ["in-ms", "ms-1", "1,500,250,000 ns"],
      ["as-text", "text-1", "1,500,000,000 ns"],
    ]) {
      await page.goto(at(service, { dataset, min: "1s" }));
      const list = page.getByRole("table", { name: "Traces" }).locator("tbody tr");
      await list.first().getByText("1.5 s").waitFor();
      assert.equal(await list.count(), 1);
      await page.goto(at(service, { dataset, view: "latency" }));
      await page.getByRole("table", { name: "Latencies" }).locator("tbody tr").nth(1).waitFor();
      const cells = await page.getByRole("table", { name: "Latencies" }).locator("tbody tr").allTextContents();
      assert.ok(
        cells.some((row) => /1\.5 s.*1\.5 s/.test(row) && /0 %/.test(row)),
        cells.join("\n"),
      );
      assert.ok(
        cells.some((row) => /20 ms.*20 ms/.test(row) && /100 %/.test(row)),
        cells.join("\n"),
      );
      await page.goto(at(service, { trace, span: "a" }));
      await page.getByText(exact).waitFor();
      assert.equal((await rows(page)).length, 2);
    }
    await page.goto(at(service, { dataset: "as-text", view: "map" }));
    const call = page.getByRole("table", { name: "Calls between services" }).locator("tbody tr");
    assert.match(await call.first().textContent(), /a\s*b\s*1\s*100 %\s*20 ms/);
  });

  watched("traces: one that is not there says where was looked; one long ago is found", async ({ page, service }) => {
    await sendSpans(
      service,
      "shop",
      traceSpans({ number: 700, count: 3, start: Date.now() - 40 * 86_400_000, length: 10 }),
    );
    await page.goto(at(service, { trace: traceId(700) }));
    await page.getByRole("heading", { name: "No span of this trace is here" }).waitFor();
    await page.getByRole("button", { name: "Look at everything" }).click();
    await page.locator(".waterfall .row").nth(2).waitFor();
    await page.goto(at(service, { dataset: "shop" }));
    await page.getByRole("textbox", { name: "Id of a trace" }).fill(` ${traceId(5).toUpperCase()} `);
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.locator(".waterfall .row").nth(8).waitFor();
    await page.getByRole("button", { name: "Close all" }).click();
    await page.getByRole("button", { name: "Open all" }).click();
    await page.locator(".waterfall .row").nth(8).waitFor();
    await page.goto(at(service, { trace: "none' or 1 == 1" }));
    await page.getByRole("button", { name: "Look at everything" }).click();
    await page.getByText("past the time that its dataset keeps events").waitFor();
  });

  for (const theme of ["light", "dark"]) {
    watched(`traces: axe finds nothing, ${theme}`, async ({ page, service }) => {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      const found = [];
      for (const [parameters, ready] of [
        [{ dataset: "shop" }, "table.plain tbody tr"],
        [{ trace: traceId(30) }, ".waterfall .row"],
        [{ trace: "odd-1" }, ".waterfall .row"],
        [{ trace: traceId(LARGE), span: spanId(LARGE, 0) }, ".span .event"],
        [{ dataset: "shop", view: "latency" }, "table.plain tbody tr"],
        [{ dataset: "shop", view: "map", node: "cart" }, "svg .service"],
        [{ dataset: "odd-spans", view: "map" }, "svg .service"],
      ]) {
        await page.goto(at(service, parameters));
        await page.locator(ready).first().waitFor();
        await page.waitForTimeout(300);
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() =>
          globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }),
        );
        for (const { id, nodes } of violations)
          found.push(
            `${JSON.stringify(parameters)}: ${id}: ${nodes
              .slice(0, 3)
              .map(({ html, any }) => `${html.slice(0, 140)} ${any[0]?.message ?? ""}`)
              .join(" || ")}`,
          );
      }
      assert.deepEqual(found, []);
    });
  }

  watched("traces: at 320 px nothing is cut off the side", async ({ page, service }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    for (const parameters of [{}, { trace: traceId(30), span: spanId(30, 3) }, { view: "latency" }, { view: "map" }]) {
      await page.goto(at(service, parameters));
      await page.locator(".waterfall .row, table.plain tbody tr, svg .service").first().waitFor({ state: "attached" });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 321, `${JSON.stringify(parameters)} is ${wide} px wide`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });
}
