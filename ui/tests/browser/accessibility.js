// axe finds nothing on any screen, in both themes, and nothing is lost on a narrow page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SCREENS = [
  ["/explore?q=demo&from=now-6h&to=now", ".row .cell"],
  ["/explore?q=demo&from=now-6h&to=now&mode=builder", ".builder"],
  ["/explore?q=demo+%7C+summarize+count()+by+bin_auto(_time),+service&from=now-6h&to=now", "table.legend"],
  ["/explore?q=demo&from=now-6h&to=now&tab=patterns", "td.template"],
  ["/explore?q=demo&from=now-6h&to=now&tab=compare&group=status+%3E%3D+500", "article"],
  ["/explore?q=demo&from=now-6h&to=now&tab=explain", ".explain"],
  ["/stream?dataset=web", ".event"],
  ["/datasets", "table.plain"],
  ["/datasets/gen", ".row"],
  ["/datasets/gen?view=care", ".care"],
  ["/queries", "h1"],
  ["/start", "h1"],
];

export function accessibilityTests(watched) {
  for (const theme of ["light", "dark"]) {
    watched(`40: axe finds nothing, ${theme}`, async ({ page, service }) => {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      const found = [];
      for (const [path, ready] of SCREENS) {
        await page.goto(service.address + path);
        await page.locator(ready).first().waitFor({ timeout: 20_000 });
        await page.waitForTimeout(300);
        await page.evaluate(source);
        const { violations } = await page.evaluate(() =>
          globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }),
        );
        for (const { id, nodes } of violations)
          found.push(
            `${path}: ${id}: ${nodes
              .slice(0, 3)
              .map(({ html, any }) => `${html.slice(0, 140)} ${any[0]?.message ?? ""}`)
              .join(" || ")}`,
          );
      }
      assert.deepEqual(found, []);
    });
  }

  watched("40: at 320 px nothing is cut off the side", async ({ page, service }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    for (const [path, ready] of SCREENS.filter(([path]) => !path.includes("tab="))) {
      await page.goto(service.address + path);
      await page.locator(ready).first().waitFor({ state: "attached", timeout: 20_000 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 321, `${path} is ${wide} px wide`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });
}
