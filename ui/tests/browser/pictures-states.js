// Pictures of each screen in its loading, error and empty state, light and dark, into tests/pictures/states:
//
//   TIDEGAUGE_BINARY=…/tidegauge npm run pictures:states

import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { openBrowser, openPage, signIn } from "./browser.js";
import { held, screensWithStates } from "./screen-states.js";
import { startService } from "./service.js";

const folder = process.env.PICTURES ?? fileURLToPath(new URL("../pictures/states/", import.meta.url));
const service = await startService(["--notify-allowed-networks", "127.0.0.0/8"]);
const browser = await openBrowser();
await mkdir(folder, { recursive: true });
try {
  const { page, faults } = await openPage(browser);
  await signIn(page, service.link);
  await page.getByRole("button", { name: "Load demo events" }).click();
  await page.locator(".row .cell").first().waitFor();
  await service.call("/v1/datasets/web/ingest", [{ message: "first", level: "info" }]);
  const screens = await screensWithStates(service);
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    const shot = async (name, seen) => {
      const found = page.locator(seen).first();
      await found.waitFor({ timeout: 10_000 }).catch(() => console.log(`${name}, ${theme}: not seen`));
      await page.waitForTimeout(200);
      await page.screenshot({ path: `${folder}/${name}-${theme}.png` });
    };
    for (const { name, path, asks, empty } of screens) {
      const hand = await held(page, asks);
      await page.goto(service.address + path);
      await shot(`${name}-loading`, "main .waiting");
      await hand.set("refuse");
      await shot(`${name}-error`, "main .problem");
      await hand.end();
      if (!empty) continue;
      const other = empty.answer === undefined ? null : await held(page, empty.asks ?? asks);
      await other?.set("answer", empty.answer);
      await page.goto(service.address + (empty.path ?? path));
      await shot(`${name}-empty`, "main .empty, main h1");
      await other?.end();
    }
  }
  const unexpected = faults.filter((fault) => !/status of 503/.test(fault));
  console.log(`${folder}: done`, unexpected);
} finally {
  await browser.close();
  await service.stop();
}
