// The first minutes: from nothing to the first event on the screen.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

export function firstMinutesTests(watched) {
  watched("2: the command of the page works as it is, and its event appears by itself", async ({ page }) => {
    await page.getByLabel("Dataset", { exact: true }).fill("web");
    await page.getByRole("button", { name: "Make a command to copy" }).click();
    const command = await page.locator(".snippets pre").textContent();
    await page.getByRole("button", { name: "Copy the command" }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
    const sent = spawnSync("bash", ["-c", command], { encoding: "utf8" });
    assert.match(sent.stdout, /"ingested":1/, sent.stderr);
    await page.getByText("hello from curl").first().waitFor({ timeout: 4000 });
    assert.equal(new URL(page.url()).pathname, "/explore");
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
