// The browser of the tests: Debian's Chromium by playwright-core, with every message of the console and every breach of
// the page's policy kept as a fault.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

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

/** A page that remembers what went wrong in it. */
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
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.stack ?? error.message}`));
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`),
    );
  });
  return { page, context, faults };
}

/** Sets the first password by the link of the first start; the browser is signed in then. */
export async function signIn(page, link) {
  await page.goto(link);
  for (const field of await page.locator('input[type="password"]').all()) await field.fill("a long enough secret 42");
  await page.locator('main button[type="submit"]').first().click();
  await page.waitForURL((address) => !address.pathname.startsWith("/setup"));
}
