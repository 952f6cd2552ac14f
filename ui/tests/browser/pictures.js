// Pictures of each screen, light and dark, with its empty, loading and error states, into tests/pictures.

import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { openBrowser, openPage, signIn } from "./browser.js";
import { startService } from "./service.js";

const folder = process.env.PICTURES ?? fileURLToPath(new URL("../pictures/", import.meta.url));
const q = (parameters) => new URLSearchParams({ from: "now-6h", to: "now", ...parameters });
const STATES = [
  [
    "explore",
    `/explore?${q({ q: "demo" })}`,
    ".row .cell",
    async (page) => {
      await page.locator(".row").nth(1).click();
      await page.locator('.field button[title^="level "]').click();
      await page.waitForTimeout(700);
    },
  ],
  [
    "explore-builder",
    `/explore?${q({ q: "demo | where status >= 500 | summarize count() by bin_auto(_time), path", mode: "builder" })}`,
    "table.legend",
  ],
  [
    "explore-chart",
    `/explore?${q({ q: "demo | summarize count() by bin_auto(_time), service", chart: "area" })}`,
    "table.legend",
  ],
  ["explore-patterns", `/explore?${q({ q: "demo", tab: "patterns" })}`, "td.template"],
  ["explore-compare", `/explore?${q({ q: "demo", tab: "compare", group: "status >= 500" })}`, "article"],
  ["explore-explain", `/explore?${q({ q: "demo | where status >= 500", tab: "explain" })}`, ".explain"],
  ["explore-error", `/explore?${q({ q: "demo | where strln(path) > 1" })}`, ".problem"],
  [
    "explore-no-rows",
    `/explore?${q({ q: "demo", from: "2020-01-01T00:00:00Z", to: "2020-01-02T00:00:00Z" })}`,
    ".empty",
  ],
  ["stream", "/stream?dataset=demo", ".event"],
  ["datasets", "/datasets", "table.plain"],
  ["dataset", "/datasets/demo", ".row"],
  ["dataset-send", "/datasets/demo?view=send", ".snippets"],
  ["dataset-care", "/datasets/demo?view=care", ".care"],
  ["queries", "/queries", "table.plain"],
  ["queries-history", "/queries?view=history", "table.plain"],
];

const service = await startService();
const browser = await openBrowser();
await mkdir(folder, { recursive: true });
try {
  const { page, faults } = await openPage(browser);
  const shot = (name) => page.screenshot({ path: `${folder}/${name}.png` });
  await signIn(page, service.link);
  await page.getByRole("button", { name: "Load demo events" }).waitFor();
  await shot("first-light");
  await page.getByRole("button", { name: "Make a command to copy" }).click();
  await page.locator(".snippets").waitFor();
  await shot("first-command-light");
  await page.getByRole("button", { name: "Load demo events" }).click();
  await page.locator(".row .cell").first().waitFor();
  await service.call("/v2/apl-starred-queries", {
    kind: "apl",
    name: "Failures by path",
    who: "me",
    dataset: "demo",
    metadata: {},
    query: { apl: "demo | where status >= 500 | summarize count() by path" },
  });
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    for (const [name, path, ready, more] of STATES) {
      await page.goto(service.address + path);
      await page
        .locator(ready)
        .first()
        .waitFor({ timeout: 20_000 })
        .catch((error) => console.log(`${name}: ${error.message.split("\n")[0]}`));
      await page.waitForTimeout(700);
      await more?.(page);
      await shot(`${name}-${theme}`);
    }
  }
  await page.route("**/v1/query/_apl*", () => undefined);
  await page.goto(`${service.address}/explore?q=demo`);
  await page.waitForTimeout(900);
  await shot("explore-loading-dark");
  console.log(`${folder}: done`, faults);
} finally {
  await browser.close();
  await service.stop();
}
