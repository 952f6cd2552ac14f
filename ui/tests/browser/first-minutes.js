// The first minutes: from nothing to the first event on the screen.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

// Not in one go: the files before the service are served by this very process.
const run = promisify(execFile);

export function firstMinutesTests(watched) {
  watched("2: the command of the page works as it is, and its event appears by itself", async ({ page }) => {
    await page.getByLabel("Dataset", { exact: true }).fill("web");
    await page.getByRole("button", { name: "Make a command to copy" }).click();
    const command = await page.locator(".snippets pre").textContent();
    await page.getByRole("button", { name: "Copy the command" }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
    const sent = await run("bash", ["-c", command], { timeout: 20_000 });
    assert.match(sent.stdout, /"ingested":1/, sent.stderr);
    await page.waitForURL(/\/explore\?/, { timeout: 5000 });
    await page.locator(".row", { hasText: "hello from curl" }).waitFor();
  });

  watched("demo events in one click", async ({ page, service }) => {
    await page.goto(`${service.address}/start`);
    await page.getByRole("button", { name: "Load demo events" }).click();
    await page.waitForURL(/explore\?.*q=demo/);
    await page.locator(".row .cell").first().waitFor();
    const total = await page.locator(".panel-row strong").textContent();
    assert.ok(Number(total.replaceAll(",", "")) > 5000, total);
  });
}
