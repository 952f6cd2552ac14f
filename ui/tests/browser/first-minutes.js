// The first minutes: from nothing to the first event on the screen.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

// Not in one go: the files before the service are served by this very process.
const run = promisify(execFile);

export function firstMinutesTests(watched) {
  watched("2: the command of the page works as it is, and its event appears by itself", async ({ page, service }) => {
    await page.getByLabel("Dataset", { exact: true }).fill("web");
    await page.getByRole("button", { name: "Make a command to copy" }).click();
    const command = await page.locator(".snippets pre").textContent();
    await page.getByRole("button", { name: "Copy the command" }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
    const sent = await run("bash", ["-c", command], { timeout: 120_000 });
    assert.match(sent.stdout, /"ingested":1/, sent.stderr);
    const began = performance.now();
    await page.waitForURL(/\/explore\?/);
    await page.locator(".row", { hasText: "hello from curl" }).waitFor();
    console.log(`    the first event is seen after ${(performance.now() - began).toFixed(0)} ms (goal 2,000)`);
    // Whoever reads the command may send, into this dataset, and nothing else.
    const [token] = command.match(/xaat-[\w-]+/);
    const may = async (path, body) => {
      const answer = await fetch(service.direct + path, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body,
      });
      return answer.status;
    };
    assert.equal(await may("/v1/datasets/web/ingest", '[{"message":"again"}]'), 200);
    assert.equal(await may("/v1/datasets/other/ingest", '[{"message":"elsewhere"}]'), 403);
    assert.equal(await may("/v1/query/_apl?format=tabular", '{"apl":"web | count"}'), 403);
    for (const path of ["/v2/tokens", "/v2/users", "/v2/monitors"]) assert.equal(await may(path), 403, path);
  });

  watched("demo events in one click", async ({ page, service }) => {
    await page.goto(`${service.address}/start`);
    await page.getByRole("button", { name: "Load demo events" }).click();
    await page.waitForURL(/explore\?.*q=demo/);
    await page.locator(".row .cell").first().waitFor();
    const total = await page.locator(".panel-row strong", { hasText: /^[0-9,]+$/ }).textContent();
    assert.ok(Number(total.replaceAll(",", "")) > 49_000, total);
    // The release in them is marked.
    await page.getByRole("button", { name: "release: checkout 2.4.0 is released" }).waitFor();
    await page.goto(`${service.address}/start`);
    await page.getByRole("button", { name: "Look at them" }).click();
    await page.waitForURL(/explore\?.*q=demo/);
  });
}
