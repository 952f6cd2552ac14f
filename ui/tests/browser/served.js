// What only a service that serves the page itself can show: other addresses of it, late events, files, answers that
// stay, figures before and after a run, a member who may only read.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { openPage } from "./browser.js";

const explore = (service, parameters) => `${service.address}/explore?${new URLSearchParams(parameters)}`;

export function servedTests(watched) {
  watched("the page runs no script but its own, and is not kept", async ({ service, page }) => {
    const answer = await page.request.get(`${service.address}/explore`);
    const policy = answer.headers()["content-security-policy"];
    assert.match(policy, /require-trusted-types-for 'script'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(answer.headers()["cache-control"], "no-store");
    assert.equal((await page.request.get(`${service.address}/explorer`)).status(), 404);
  });

  watched("5: opened by another address over plain HTTP, queries run", async ({ service, browser }) => {
    const own = Object.values(networkInterfaces())
      .flat()
      .find(({ family, internal }) => family === "IPv4" && !internal);
    if (!own) return console.log("    not run: this machine has no other address");
    const port = new URL(service.address).port;
    const other = `http://${own.address}:${port}`;
    const { page, context, faults } = await openPage(browser);
    await page.goto(`${other}/login`);
    await page.getByLabel(/e-mail/i).fill("owner@localhost.localdomain");
    await page.getByLabel(/password/i).fill("a long enough secret 42");
    await page.locator('main button[type="submit"]').first().click();
    await page.waitForURL((address) => address.pathname === "/");
    await page.goto(`${other}/explore?${new URLSearchParams({ q: "gen", from: "now-6h", to: "now" })}`);
    await page.locator(".row .cell").first().waitFor();
    // A browser says so of every page that is not served safely.
    assert.deepEqual(
      faults.filter((fault) => !/Cross-Origin-Opener-Policy/.test(fault)),
      [],
    );
    await context.close();
  });

  watched("24: figures before the run, the cost after it", async ({ page, service }) => {
    await page.goto(explore(service, { q: "gen", from: "now-6h", to: "now" }));
    await page.getByText(/rows read · .* GB·ms/).waitFor();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" | where status >= 500");
    await page.keyboard.press("Escape");
    await page.getByText(/\d+ of \d+ blocks · \d+( to [\d,]+)? GB·ms/).waitFor();
  });

  watched("27: a late event appears in the stream", async ({ page, service }) => {
    await page.goto(`${service.address}/stream?dataset=web`);
    await page.getByRole("log").waitFor();
    await page.waitForTimeout(1000);
    const time = new Date(Date.now() - 26 * 3_600_000).toISOString();
    await service.call("/v1/datasets/web/ingest", [{ _time: time, message: "a day late" }]);
    await page.getByText("a day late").waitFor({ timeout: 5000 });
  });

  watched("28: files with more rows than one answer has", async ({ page, service }) => {
    await page.goto(explore(service, { q: "gen | project _time, status", from: "now-6h", to: "now" }));
    await page.locator(".row .cell").first().waitFor();
    const take = async (name) => {
      await page.getByRole("button", { name: "Export" }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name, exact: false }).click(),
      ]);
      return readFile(await download.path());
    };
    const csv = (await take("CSV")).toString().trim().split("\r\n");
    assert.equal(csv[0], "_time,status");
    assert.equal(csv.length, 60_001);
    const lines = (await take("NDJSON")).toString().trim().split("\n");
    assert.equal(lines.length, 60_000);
    assert.ok(JSON.parse(lines[0]).status > 0);
    assert.equal((await take("Parquet")).subarray(0, 4).toString(), "PAR1");
  });

  watched("29: a frozen answer shows the rows as they were; the history has mine", async ({ page, service }) => {
    await service.call("/v1/datasets/frozen/ingest", [{ message: "before" }]);
    await page.goto(explore(service, { q: "frozen", from: "now-1h", to: "now" }));
    await page.locator(".row", { hasText: "before" }).waitFor();
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByRole("button", { name: /Frozen answer/ }).click();
    await page.getByText("The link to the frozen answer is copied.").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await service.call("/v1/datasets/frozen/ingest", [{ message: "after" }]);
    await page.goto(link);
    await page.getByText(/This answer was kept on/).waitFor();
    await page.locator(".row", { hasText: "before" }).waitFor();
    assert.equal(await page.locator(".row", { hasText: "after" }).count(), 0);
    await page.goto(`${service.address}/queries?view=history`);
    await page.getByRole("link", { name: "frozen" }).first().waitFor();
  });

  watched("37: who may only read sees no button that would be refused", async ({ service, browser }) => {
    const { id } = await service.call("/v2/users", { name: "Reader", email: "reader@example.com", role: "read-only" });
    const { link } = await service.call(`/v2/users/${id}/invitation`, undefined, "POST");
    const { page, context, faults } = await openPage(browser);
    await page.goto(link);
    for (const field of await page.locator('input[type="password"]').all()) await field.fill("a long enough secret 43");
    await page.locator('main button[type="submit"]').first().click();
    await page.waitForURL((address) => address.pathname === "/");
    await page.goto(`${service.address}/datasets/gen`);
    await page.getByRole("table", { name: "Fields" }).getByText("duration_ms").waitFor();
    assert.equal(await page.getByRole("tab", { name: "Care" }).count(), 0);
    assert.deepEqual(faults, []);
    await context.close();
  });
}
