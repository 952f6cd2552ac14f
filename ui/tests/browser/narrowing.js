// What Explore does beside asking: figures while a query runs, the newest part first, two periods, boxes, marks, what is
// different since one, distributions, an event beside the table.

import assert from "node:assert/strict";

const address = (service, parameters) =>
  `${service.address}/explore?${new URLSearchParams({ from: "now-6h", to: "now", ...parameters })}`;

/** What is told of a query that runs. */
const FIGURES = ["rows", "blocks", "bytes"];

/** Texts that hardly any other query asks for, so that they come from the disk the first time. */
const COLD = ["user_agent", "client_ip", "session_id", "span_id", "trace_id", "user_id", "host"];

/** A query that computes so many digests of a text of each event. */
function slow(digests, text) {
  const stages = Array.from(
    { length: digests },
    (_, place) => `extend h${place} = hash_sha512(${place === 0 ? text : `h${place - 1}`})`,
  );
  return ["gen", ...stages, `where h${digests - 1} startswith "00"`, "summarize n = count() by service"].join(" | ");
}

export function narrowingTests(watched) {
  watched(
    "7: a slow query shows rows, blocks and bytes that grow; the old answer stays, dimmed",
    async ({ page, service }) => {
      // What is in memory is not read; a trim brings it to blocks on the disk, and removes nothing that is this young.
      await service.call("/v1/datasets/gen/trim", { maxDuration: "87600h" });
      const grown = new Set();
      let wasDim = false;
      for (const [round, text] of COLD.entries()) {
        await page.goto(address(service, { q: "gen | summarize old = count()", tab: "events" }));
        await page.locator(".row .cell").first().waitFor();
        await page.evaluate(
          (q) => {
            globalThis.seenFigures = [];
            globalThis.wasDim = false;
            const look = () => {
              const text = [...document.querySelectorAll(".cost [role=status]")]
                .map((found) => found.textContent.trim())
                .join();
              globalThis.wasDim ||= document.querySelector(".tab.dim .row .cell") !== null;
              const found = /([\d,]+) rows · (\d+) of (\d+) blocks · ([\d.]+) (\w+)/.exec(text);
              if (found)
                globalThis.seenFigures.push({
                  rows: Number(found[1].replaceAll(",", "")),
                  blocks: Number(found[2]),
                  of: Number(found[3]),
                  bytes: Number(found[4]) * { B: 1, kB: 1e3, MB: 1e6, GB: 1e9 }[found[5]],
                });
            };
            globalThis.looking = setInterval(look, 50);
            const search = new URLSearchParams(location.search);
            search.set("q", q);
            history.pushState(null, "", `/explore?${search}`);
            dispatchEvent(new PopStateEvent("popstate"));
          },
          slow(4 * 2 ** Math.min(round, 4), text),
        );
        await page.getByRole("button", { name: /^Run/ }).waitFor({ timeout: 60_000 });
        const found = await page.evaluate(() => {
          clearInterval(globalThis.looking);
          return { figures: globalThis.seenFigures, wasDim: globalThis.wasDim };
        });
        wasDim ||= found.wasDim;
        for (const figure of FIGURES) {
          const all = found.figures.map((entry) => entry[figure]);
          if (all.at(-1) > all[0]) grown.add(figure);
          assert.ok(
            all.every((value, place) => place === 0 || value >= all[place - 1]),
            `${figure} do not go back: ${all}`,
          );
        }
        assert.ok(found.figures.every(({ blocks, of }) => blocks <= of));
        if (wasDim && grown.size === FIGURES.length) break;
      }
      assert.deepEqual([...grown].sort(), [...FIGURES].sort(), "these grow");
      assert.ok(wasDim, "the answer before is dimmed");
    },
  );

  watched(
    "the newest part of a long answer is shown first, and what is read stays in its place",
    async ({ context, service }) => {
      const frame = (event, data) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
      const answer = await service.call("/v1/query/_apl?format=tabular", {
        apl: "gen",
        startTime: "now-6h",
        endTime: "now",
        defaultLimit: 200,
        includeCursorField: true,
      });
      const part = structuredClone(answer);
      part.status.isPartial = true;
      for (const column of part.tables[0].columns) column.length = 50;
      // The service tells a part only after half a second, which a small dataset does not take.
      const own = await context.newPage();
      await own.addInitScript(
        ({ first, second }) => {
          const plain = globalThis.fetch;
          globalThis.fetch = (wanted, options) => {
            if (!String(wanted).includes("partial=true")) return plain(wanted, options);
            const bytes = new TextEncoder();
            const body = new ReadableStream({
              start(out) {
                out.enqueue(bytes.encode(first));
                globalThis.goOn = () => {
                  out.enqueue(bytes.encode(second));
                  out.close();
                };
              },
            });
            return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
          };
        },
        {
          first: frame("partial", part),
          second: frame("result", answer) + frame("done", { cost: 1, limit: null, remaining: null, historyId: null }),
        },
      );
      await own.goto(address(service, { q: "gen" }));
      await own.locator(".row .cell").first().waitFor();
      await own.getByText("partial", { exact: true }).waitFor();
      assert.equal(await own.locator(".viewport").getAttribute("aria-rowcount"), "51");
      await own.locator(".row").nth(2).click();
      await own.locator(".event").waitFor();
      await own.locator(".viewport").evaluate((element) => {
        element.scrollTop = 60;
      });
      const before = await own.locator(".viewport").evaluate((element) => element.scrollTop);
      await own.evaluate(() => globalThis.goOn());
      await own.waitForFunction(() => Number(document.querySelector(".viewport")?.getAttribute("aria-rowcount")) > 51);
      assert.equal(await own.locator(".viewport").evaluate((element) => element.scrollTop), before);
      await own.locator(".event").waitFor();
      assert.equal(await own.getByText("partial", { exact: true }).count(), 0);
      await own.close();
    },
  );

  watched("23: two periods: both are drawn, sums stand beside their difference", async ({ page, service }) => {
    await page.goto(
      address(service, {
        q: "gen | summarize count() by bin_auto(_time), level",
        from: "now-2h",
        against: "period",
        tab: "chart",
      }),
    );
    await page.locator("table.legend th", { hasText: "difference" }).waitFor();
    await page.locator(".histogram .earlier").waitFor();
    const rows = await page.locator("table.legend tbody tr").allTextContents();
    assert.ok(rows.length >= 3 && rows.every((row) => /[+−][\d.]+|new/.test(row)), rows.join(" | "));
    await page
      .getByText(/against [\d,]+/)
      .first()
      .waitFor();
  });

  watched(
    "22: numbers that are compared have boxes, and a value becomes what is compared",
    async ({ page, service }) => {
      await page.goto(address(service, { q: "gen", tab: "compare", group: "status >= 500" }));
      const card = page.locator("article", { has: page.locator("h3", { hasText: /^duration_ms$/ }) });
      await card.locator(".pair[role=img]").waitFor({ timeout: 80_000 });
      assert.match(await card.locator(".pair[role=img]").getAttribute("aria-label"), /chosen: median .*others: median/);
      await page.getByRole("button", { name: "Compare error with the rest" }).click();
      await page.waitForURL(/group=level/);
      await page.getByText('level == "error"').first().waitFor();
      await page.locator("article").first().waitFor({ timeout: 80_000 });
    },
  );

  watched("a moment is marked, drawn, and what is different since is one click away", async ({ page, service }) => {
    await page.goto(address(service, { q: "gen" }));
    await page.locator(".row .cell").first().waitFor();
    await page.locator(".histogram").focus();
    for (let count = 0; count < 12; count++) await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Shift+ArrowLeft");
    await page.getByRole("button", { name: "Mark", exact: true }).click();
    await page.getByLabel("What happened").fill("gateway 4.11 is released");
    await page.getByRole("dialog").getByRole("button", { name: "Mark", exact: true }).click();
    await page.getByRole("button", { name: "release: gateway 4.11 is released" }).click();
    await page.getByRole("button", { name: "What is different since" }).click();
    await page.waitForURL(/tab=compare/);
    await page.locator("article").first().waitFor({ timeout: 80_000 });
  });

  watched("the values of a number have a histogram, and a bar keeps its events", async ({ page, service }) => {
    await page.goto(address(service, { q: "gen | summarize histogram(bytes, 20)", tab: "chart" }));
    await page.locator(".distribution button").first().click();
    await page.locator(".chip", { hasText: "bytes between" }).waitFor();
    await page.locator(".row .cell").first().waitFor();
  });

  watched("an opened event stands beside the table by choice, and follows the keys", async ({ page, service }) => {
    await page.goto(address(service, { q: "gen" }));
    await page.locator(".row .cell").first().waitFor();
    await page.getByRole("button", { name: "View", exact: true }).click();
    await page.getByRole("button", { name: "Beside the table" }).click();
    await page.keyboard.press("Escape");
    await page.locator(".row").nth(1).click();
    const beside = page.getByLabel("The chosen event");
    await beside.waitFor();
    const first = await beside.locator(".times").textContent();
    await page.keyboard.press("j");
    await page.waitForFunction((text) => document.querySelector("aside .times")?.textContent !== text, first);
    await beside.getByRole("button", { name: "Close", exact: true }).click();
    await beside.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "View", exact: true }).click();
    await page.getByRole("button", { name: "Below its row" }).click();
    await page.keyboard.press("Escape");
  });
}
