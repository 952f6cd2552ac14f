// The browser of the tests: Debian's Chromium by playwright-core, with every message of the console and every breach of
// the page's policy kept as a fault.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

/** For how long what must come is waited for: far longer than it takes on a slow machine that others use too. */
const WAIT_MS = 120_000;

const PATHS = [process.env.CHROMIUM, "/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/google-chrome"];

export function browserPath() {
  return PATHS.find((path) => path && existsSync(path));
}

export async function openBrowser() {
  return chromium.launch({
    executablePath: browserPath(),
    args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"],
  });
}

/** A page that remembers what went wrong in it and in others of its context. */
export async function openPage(
  browser,
  { theme = "light", width = 1440, height = 900, timezoneId = "Europe/Vienna" } = {},
) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
    timezoneId,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(WAIT_MS);
  // Of the context, so that pages that a test opens beside the first one are heard as well.
  const faults = [];
  context.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      faults.push(`${message.type()}: ${message.text()} ${message.location().url}`.trim());
  });
  context.on("weberror", (thrown) => {
    const error = thrown.error();
    faults.push(`error: ${error.stack ?? error.message}`);
  });
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`),
    );
  });
  const page = await context.newPage();
  return { page, context, faults };
}

/** Sets the first password by the link of the first start; the browser is signed in then. */
export async function signIn(page, link) {
  await page.goto(link);
  for (const field of await page.locator('input[type="password"]').all()) await field.fill("a long enough secret 42");
  await page.locator('main button[type="submit"]').first().click();
  await page.waitForURL((address) => !address.pathname.startsWith("/setup"));
}

/** What an action of a page copies, which may ask the service first. */
export async function copied(page, act) {
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await act();
  let text = "";
  await until(page, "something was copied", async () => {
    text = await page.evaluate(() => navigator.clipboard.readText());
    return text !== "";
  });
  return text;
}

/** Looks until something is so that the page itself cannot be asked for. */
export async function until(page, what, look) {
  const end = Date.now() + WAIT_MS;
  while (!(await look())) {
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await page.waitForTimeout(50);
  }
}

/** For `addInitScript`: keeps every text that charts write on their canvases in `drawnTexts`. */
export const keepDrawnTexts = () => {
  globalThis.drawnTexts = [];
  const plain = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    globalThis.drawnTexts.push(String(text));
    return plain.call(this, text, ...rest);
  };
};

/** Does something that changes a preference, until the service has it. */
export async function keepsTaste(page, act) {
  const saved = page.waitForResponse(
    (answer) => answer.url().includes("/v2/user/preferences") && answer.request().method() === "PUT",
  );
  await Promise.all([saved, act()]);
}
