// The interface in a real browser against the real service: one service and one browser for all areas. Every message of
// the console and every breach of the page's policy fails the test in which it happens.
//
//   npm run build && TIDEGAUGE_BINARY=…/tidegauge npm run browser

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accessibilityTests } from "./accessibility.js";
import { browserPath, openBrowser, openPage, signIn } from "./browser.js";
import { exploreTests } from "./explore.js";
import { firstMinutesTests } from "./first-minutes.js";
import { hostileTests } from "./hostile.js";
import { readingTests } from "./reading.js";
import { screenTests } from "./screens.js";
import { servedTests } from "./served.js";
import { startService } from "./service.js";

if (!browserPath()) test("the interface in a browser", { skip: "not run: no Chromium here" }, () => {});
else {
  const at = {};
  before(async () => {
    at.service = await startService();
    at.browser = await openBrowser();
    Object.assign(at, await openPage(at.browser));
  });
  after(async () => {
    await at.browser?.close();
    await at.service?.stop();
  });

  /** A test that also fails when the page complained. */
  const watched = (name, body, allowed = []) =>
    test(name, { timeout: 90_000 }, async () => {
      at.faults.length = 0;
      await body(at);
      const faults = at.faults.filter((fault) => !allowed.some((pattern) => pattern.test(fault)));
      assert.deepEqual(faults, []);
    });

  watched("1: the link of the first start leads by a password to the interface", async ({ page, service }) => {
    await signIn(page, service.link);
    assert.equal(new URL(page.url()).pathname, "/");
    await page.getByRole("heading", { name: "Send your first event" }).waitFor();
  });
  firstMinutesTests(watched);
  exploreTests(watched);
  readingTests(watched);
  hostileTests(watched);
  screenTests(watched);
  if (process.env.TIDEGAUGE_SERVES_UI !== undefined) servedTests(watched);
  accessibilityTests(watched);
}
