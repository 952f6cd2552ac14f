// What only a service that serves the page itself can show, such as other addresses of it; and what rests on routes of
// its own: late events, files, answers that stay, figures before and after a run, a member who may only read.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { openPage } from "./browser.js";
import { memberPage } from "./members.js";
import { live } from "./streaming.js";

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
}

export function routeTests(watched) {
  watched("24: figures before the run, the cost after it, and both are near each other", async ({ page, service }) => {
    await page.goto(explore(service, { q: "gen", from: "now-6h", to: "now" }));
    await page.getByText(/rows read · .* GB·ms/).waitFor();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" | where status >= 500");
    await page.keyboard.press("Escape");
    await page.getByText(/\d+ of \d+ blocks · [\d,]+( to [\d,]+)? GB·ms/).waitFor();
    const range = { startTime: "now-6h", endTime: "now" };
    const apl = "gen | summarize dcount(user_id), avg(duration_ms) by service, path";
    const before = await service.call("/v1/query/estimate", { apl, ...range });
    const cost = async () => {
      const answer = await fetch(`${service.direct}/v1/query/_apl?format=tabular&nocache=true`, {
        method: "POST",
        headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
        body: JSON.stringify({ apl, ...range }),
      });
      await answer.arrayBuffer();
      return Number(answer.headers.get("x-tidegauge-query-cost-gbms"));
    };
    // On a machine that does other things a query takes longer than it has to, and costs more.
    let least = await cost();
    for (let tries = 0; tries < 100 && least > before.cost.high * 2; tries++) least = Math.min(least, await cost());
    const words = `estimated ${before.cost.low} to ${before.cost.high} GB·ms, cost ${least}`;
    console.log(`    ${words}`);
    assert.ok(least >= before.cost.low / 2 && least <= before.cost.high * 2, words);
  });

  watched("27: a late event appears in the stream", async ({ page, service }) => {
    await page.goto(`${service.address}/stream?dataset=web`);
    await page.getByRole("log").waitFor();
    await live(page);
    const time = new Date(Date.now() - 26 * 3_600_000).toISOString();
    await service.call("/v1/datasets/web/ingest", [{ _time: time, message: "a day late" }]);
    await page.getByText("a day late").waitFor();
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
    const { page, context, faults } = await memberPage(service, browser, "Reader", "read-only");
    const refused = [];
    page.on("response", (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    const none = async (names) => {
      for (const name of names)
        assert.equal(await page.getByRole("button", { name }).count(), 0, `${page.url()}: ${name}`);
    };
    await page.goto(`${service.address}/datasets/gen`);
    await page.getByRole("table", { name: "Fields" }).getByText("duration_ms").waitFor();
    assert.equal(await page.getByRole("tab", { name: "Care" }).count(), 0);
    await none([/^Describe|^Edit|^Change/, /^Add$/]);
    for (const [tab, names] of [
      ["Virtual fields", [/New virtual field/, /^Remove/]],
      ["Views", [/New view/, /^Remove/]],
      ["Send", [/Make a token/, /Make an endpoint/]],
    ]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.waitForTimeout(400);
      await none(names);
    }
    await page.goto(`${service.address}/datasets`);
    await page.locator("table.plain").waitFor();
    await none([/New dataset/]);
    await page.goto(`${service.address}/start`);
    await page.locator("h1").waitFor();
    await none([/Load demo events/]);
    assert.equal(await page.getByRole("button", { name: "Make a command to copy" }).isDisabled(), true);
    await page.goto(`${service.address}/queries`);
    await page.waitForTimeout(600);
    await none([/^Remove the star/]);
    await page.goto(explore(service, { q: "gen", from: "now-6h", to: "now" }));
    await page.locator(".row .cell").first().waitFor();
    await none([/^Star$/]);
    await page.locator(".histogram").focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Shift+ArrowLeft");
    await page.getByRole("button", { name: "Zoom", exact: true }).waitFor();
    await none([/^Mark$/]);
    await page.goto(explore(service, { q: "gen | take 100", from: "now-6h", to: "now" }));
    await page.locator(".row .cell").first().waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: /^CSV/ }).click(),
    ]);
    assert.ok((await readFile(await download.path())).length > 0);
    assert.deepEqual(refused, []);
    assert.deepEqual(faults, []);
    await context.close();
  });
}
