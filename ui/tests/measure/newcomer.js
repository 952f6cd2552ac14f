// The first minutes of somebody who follows the link of the first start, without the time in which they read or think: a
// password, the first event by the command of the page, the first chart, the first saved query. scripts/newcomer.sh
// starts this file.
//
//   node tests/measure/newcomer.js LINK

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { openBrowser, openPage, signIn } from "../browser/browser.js";

const run = promisify(execFile);
const [link] = process.argv.slice(2);
const browser = await openBrowser();
let begun = performance.now();
const began = begun;

function step(what) {
  const now = performance.now();
  console.log(`${((now - begun) / 1000).toFixed(1).padStart(8)} s  ${what}`);
  begun = now;
}

try {
  const { page, faults } = await openPage(browser);
  await signIn(page, link);
  await page.getByRole("heading", { name: "Send your first event" }).waitFor();
  step("the link, a password, and the page that says how to send");
  await page.getByLabel("Dataset", { exact: true }).fill("web");
  await page.getByRole("button", { name: "Make a command to copy" }).click();
  const command = await page.locator(".snippets pre").textContent();
  await run("bash", ["-c", command], { timeout: 20_000 });
  await page.waitForURL(/\/explore\?/);
  await page.locator(".row", { hasText: "hello from curl" }).waitFor();
  step("the first event: the command of the page is run, and the event is on the screen");
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(" | summarize count() by bin_auto(_time)");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+Enter");
  await page.locator(".chart canvas").first().waitFor();
  step("the first chart");
  await page.getByRole("button", { name: "Star", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Events over time");
  await page.getByRole("dialog").getByRole("button", { name: "Star", exact: true }).click();
  await page.goto(new URL("/queries", link).href);
  await page.getByRole("link", { name: "Events over time" }).waitFor();
  step("the first saved query, seen in the list of queries");
  begun = began;
  step("from the link to the saved query");
  if (faults.length > 0) {
    console.log(faults);
    process.exitCode = 1;
  }
} finally {
  await browser.close();
}
