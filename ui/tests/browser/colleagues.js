// What a link shows to somebody else: one with the right sees the same, one without sees nothing and is told so; and the
// history of the team.

import assert from "node:assert/strict";
import { copied } from "./browser.js";
import { memberPage } from "./members.js";

const RANGE = { from: "now-7h", to: "now" };
const address = (service, parameters) =>
  `${service.address}/explore?${new URLSearchParams({ ...RANGE, ...parameters })}`;

/** What “Share” copies. */
async function shared(page, name) {
  return copied(page, async () => {
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("button", { name }).click();
  });
}

export function colleagueTests(watched) {
  watched("21: a link to an event opens it for a colleague with the right, and for no other", async (at) => {
    const { page, service, browser } = at;
    await page.goto(address(service, { q: "demo" }));
    await page.locator(".row .cell").first().waitFor();
    await page.locator(".row").nth(3).click();
    await page.getByRole("button", { name: "Copy a link to this event" }).click();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const message = (await page.locator(".event .line", { hasText: "message" }).locator(".value").textContent()).trim();
    assert.ok(message.length > 3, message);

    const colleague = await memberPage(service, browser, "Nora", "user");
    await colleague.page.goto(link);
    await colleague.page.getByLabel("The linked event").getByText(message).waitFor();
    assert.deepEqual(colleague.faults, []);
    await colleague.context.close();

    const role = await service.call("/v2/rbac/roles", {
      name: "Only web",
      datasetCapabilities: { web: { query: ["read"] } },
    });
    const stranger = await memberPage(service, browser, "Otto", role.id);
    await stranger.page.goto(link);
    await stranger.page.getByText("This event is not there").waitFor();
    assert.equal(await stranger.page.getByText(message).count(), 0);
    // Whether it is there is not told to who may not know.
    assert.equal(await stranger.page.locator(".problem").count(), 0);
    await stranger.context.close();
  });

  watched("21: an event that is not there says so", async ({ page, service }) => {
    const answer = await service.call("/v1/query/_apl?format=tabular", {
      apl: "demo | take 1 | project message",
      startTime: RANGE.from,
      endTime: RANGE.to,
      includeCursorField: true,
    });
    const [, [id]] = answer.tables[0].columns;
    const other = id.replace(/.$/, (last) => (last === "0" ? "1" : "0")).replace(/-0+(\w+)-/, "-00000000000fffff-");
    await page.goto(address(service, { q: "demo", open: other }));
    await page.getByText("This event is not there").waitFor();
  });

  watched(
    "29: the history of the team has what a colleague asked; mine has not",
    async ({ page, service, browser }) => {
      const colleague = await memberPage(service, browser, "Petra", "user");
      await colleague.page.goto(address(service, { q: "demo | where status == 418 | count" }));
      await colleague.page.locator(".figure").waitFor();
      await page.goto(address(service, { q: "demo | where status == 419 | count" }));
      await page.locator(".figure").waitFor();
      await page.goto(`${service.address}/queries?view=history`);
      const row = (status) => page.getByRole("row").filter({ hasText: `status == ${status} ` });
      await row(418).first().getByRole("cell", { name: "a colleague" }).waitFor();
      await row(419).first().getByRole("cell", { name: "you", exact: true }).waitFor();
      await page.getByRole("button", { name: "Mine", exact: true }).click();
      await row(418).waitFor({ state: "detached" });
      await row(419).first().waitFor();
      assert.equal(new URL(page.url()).searchParams.get("who"), "me");
      await page.getByLabel("Find a query").fill("status == 419");
      assert.ok((await page.locator("tbody tr").count()) >= 1);
      await page.getByLabel("Find a query").fill("no such words");
      await page.getByText("No query has these words").waitFor();
      assert.deepEqual(colleague.faults, []);
      await colleague.context.close();
    },
  );

  watched("a starred query of a colleague is seen, and is not among mine", async ({ page, service, browser }) => {
    const colleague = await memberPage(service, browser, "Quirin", "user");
    await colleague.page.goto(address(service, { q: "demo | where status == 420" }));
    await colleague.page.getByRole("button", { name: "Star", exact: true }).click();
    await colleague.page.getByLabel("Name").fill("Slow down");
    await colleague.page.getByRole("dialog").getByRole("button", { name: "Star", exact: true }).click();
    await colleague.page.getByRole("dialog").waitFor({ state: "detached" });
    await page.goto(`${service.address}/queries`);
    await page
      .getByRole("row", { name: /Slow down/ })
      .getByRole("cell", { name: "a colleague" })
      .waitFor();
    await page.getByRole("button", { name: "Mine", exact: true }).click();
    await page.getByText("No starred query fits").waitFor();
    await page.getByRole("button", { name: "Everybody's" }).click();
    await page.getByLabel("Find a query").fill("status == 420");
    await page.getByRole("link", { name: "Slow down" }).waitFor();
    await colleague.context.close();
  });

  watched("a shared link moves with the time or keeps its range; a long query goes by its id", async (at) => {
    const { page, service, browser } = at;
    await page.goto(address(service, { q: "demo | where status >= 500", from: "now-6h" }));
    await page.locator(".row .cell").first().waitFor();
    const moving = new URL(await shared(page, /^Link that moves with the time/)).searchParams;
    assert.deepEqual([moving.get("from"), moving.get("to")], ["now-6h", "now"]);
    const fixed = new URL(await shared(page, /^Link to this very range/)).searchParams;
    const length = Date.parse(fixed.get("to")) - Date.parse(fixed.get("from"));
    assert.equal(length, 6 * 3_600_000);
    assert.equal(fixed.get("q"), "demo | where status >= 500");
    assert.equal(await shared(page, "Text of the query"), "demo | where status >= 500");

    const long = `demo | where message !contains "${"a".repeat(7000)}" | summarize found = count()`;
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(long);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Enter");
    await page.locator(".figure").waitFor();
    const link = await shared(page, /^Link to this very range/);
    assert.ok(link.length < 1000, `${link.length} characters`);
    assert.ok(new URL(link).searchParams.get("kept"), link);
    const colleague = await memberPage(service, browser, "Rosa", "user");
    await colleague.page.goto(link);
    await colleague.page.locator(".figure").waitFor();
    assert.equal(await colleague.page.locator(".figure").textContent(), await page.locator(".figure").textContent());
    assert.equal(new URL(colleague.page.url()).searchParams.get("q"), long);
    assert.deepEqual(colleague.faults, []);
    await colleague.context.close();
  });
}
