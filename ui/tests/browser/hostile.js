// Events that want to do harm: they are shown, and nothing else happens.

import assert from "node:assert/strict";
import { board, cellOf, put } from "./boards.js";

export function hostileTests(watched) {
  watched("17: scripts, codes of terminals and marks of direction do nothing", async ({ page, service }) => {
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, place) => [`w${place}`, place]));
    await service.call("/v1/datasets/hostile/ingest", [
      {
        message: '<img src=x onerror="window.harmed=1">',
        "<script>window.harmed=2</script>": "<b>x</b>",
        level: "\u001b[31merror\u001b[0m",
      },
      {
        message: "\u202etxt.exe\u202c javascript:alert(1)",
        link: "javascript:window.harmed=3",
        "a'] | take 0 //": "v\"'`$1",
        ...wide,
      },
      { message: "x".repeat(500_000), nested: { list: Array.from({ length: 500 }, (_, place) => place) } },
    ]);
    await page.goto(`${service.address}/explore?${new URLSearchParams({ q: "hostile" })}`);
    await page.locator(".row").nth(2).waitFor();
    for (const place of [2, 1, 0]) await page.locator(".row").nth(place).click();
    for (const view of ["JSON", "Table"]) await page.getByRole("button", { name: view, exact: true }).first().click();
    await page.getByText("⟨202E⟩").first().waitFor();
    assert.equal(await page.evaluate(() => window.harmed), undefined);
    assert.equal(await page.locator('a[href^="javascript"]').count(), 0);
  });

  watched("colours for terminals are colours in rows, in the stream and in an event", async ({ page, service }) => {
    const [red, off] = ["\u001b[31m", "\u001b[0m"];
    const message = `the ${red}disk is full${off} again`;
    await service.call("/v1/datasets/coloured/ingest", [{ message, note: `\u001b[1;38;5;31mloud${off}` }]);
    const coloured = page.locator(".ansi.danger", { hasText: "disk is full" });
    for (const path of [`/explore?${new URLSearchParams({ q: "coloured" })}`, "/stream?dataset=coloured"]) {
      await page.goto(service.address + path);
      await coloured.first().waitFor();
      const [ink, danger] = await coloured.first().evaluate((run) => {
        const wanted = document.createElement("i");
        wanted.style.color = "var(--danger)";
        document.body.append(wanted);
        const colours = [getComputedStyle(run).color, getComputedStyle(wanted).color];
        wanted.remove();
        return colours;
      });
      assert.equal(ink, danger);
      const shown = await page.locator(".row, .event").first().innerText();
      assert.match(shown, /the disk is full again/);
      assert.match(shown, /loud/);
      assert.doesNotMatch(shown, /\[31m|\[0m|38;5|\u001b|⟨1B⟩/);
    }
    await page.goto(`${service.address}/explore?${new URLSearchParams({ q: "coloured" })}`);
    await page.locator(".row").first().click();
    await page.locator(".detail .ansi.danger").first().waitFor();
    // Words are found inside of what is coloured.
    await page.keyboard.press("Control+f");
    await page.keyboard.type("full");
    await page.locator(".ansi.danger mark").first().waitFor();
  });

  watched("17: five thousand fields, a deep value and a million digits freeze nothing", async ({ page, service }) => {
    const deep = Array.from({ length: 60 }).reduce((inner) => ({ in: inner }), "the bottom");
    const digits = "7".repeat(1_000_000);
    for (let part = 0; part < 5; part++)
      await service.call("/v1/datasets/huge/ingest", [
        Object.fromEntries(Array.from({ length: 900 }, (_, place) => [`h${part * 900 + place}`, place])),
      ]);
    const { failed } = await service.call("/v1/datasets/huge/ingest", [{ message: "odd one", deep, text: digits }]);
    assert.equal(failed, 0);
    await page.goto(`${service.address}/explore?${new URLSearchParams({ q: 'huge | where message == "odd one"' })}`);
    await page.locator(".row", { hasText: "odd one" }).waitFor();
    // The longest time in which the page does nothing for who looks at it.
    await page.evaluate(() => {
      globalThis.longest = 0;
      let before = performance.now();
      const look = (now) => {
        globalThis.longest = Math.max(globalThis.longest, now - before);
        before = now;
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await page.locator(".row").first().click();
    await page.getByRole("button", { name: "Show all 1,000,000 characters" }).first().waitFor();
    for (const view of ["JSON", "Table", "Tree"]) {
      await page.getByRole("button", { name: view, exact: true }).first().click();
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    }
    await page.getByLabel("Find in this event").fill("the bottom");
    await page.locator(".tree .line").first().waitFor();
    const opens = page.getByRole("button", { name: "Open in", exact: true });
    for (let level = 0; level < 200 && (await opens.count()) > 0; level++) await opens.first().click();
    await page.locator(".tree").getByText("the bottom").waitFor();
    const longest = await page.evaluate(() => globalThis.longest);
    console.log(`    the page stood still for at most ${longest.toFixed(0)} ms`);
    assert.ok(longest < 10_000, `${longest} ms`);
  });

  watched("a name that looks like a query is filtered by as a name", async ({ page, service }) => {
    await page.goto(`${service.address}/explore?${new URLSearchParams({ q: "hostile" })}`);
    await page.locator(".row").nth(2).waitFor();
    await page.getByLabel("Find a field", { exact: true }).fill("take 0");
    await page.locator(".field button").first().click();
    await page.getByRole("button", { name: /^Only v/ }).click();
    await page.locator(".chip").first().waitFor();
    await page.waitForFunction(() => document.querySelector(".panel-row strong")?.textContent === "1");
  });

  watched("17: a note with scripts is text", async ({ page, service }) => {
    const text =
      '# <img src=x onerror="window.harmed=1">\n<script>window.harmed=2</script>\n\n[click](javascript:window.harmed=3) [data](data:text/html,x) **<b>bold</b>** \u202eevil\n\n<iframe src="https://x.example"></iframe>\n\n[fine](https://example.com/a)';
    const charts = [
      { id: "note", type: "Note", name: "<b>Name</b>", text },
      { id: "head", type: "SectionHeader", name: '<img src=x onerror="window.harmed=4">' },
    ];
    await put(
      service,
      "hostile",
      board(
        "<script>window.harmed=5</script>",
        charts,
        charts.map(({ id }, place) => ({ i: id, x: 0, y: place * 6, w: 12, h: 6 })),
      ),
    );
    await page.goto(`${service.address}/dashboards/hostile`);
    await page.getByText("<script>window.harmed=2</script>").waitFor();
    await page.getByText("⟨202E⟩").waitFor();
    assert.equal(await page.evaluate(() => window.harmed), undefined);
    const note = cellOf(page, "note");
    assert.equal(await note.locator("img, iframe, script, b").count(), 0);
    assert.deepEqual(await note.locator("a").evaluateAll((links) => links.map(({ href }) => href)), [
      "https://x.example/",
      "https://example.com/a",
    ]);
  });
}
