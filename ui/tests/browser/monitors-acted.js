// What people do about a monitor that alerts: resolve it, mute it until a moment; and one that is made of a pattern.

import assert from "node:assert/strict";
import { startReceiver } from "./receiver.js";

/** Waits for what the service itself will do in its next minute. */
async function until(what, seconds = 150) {
  for (let tries = 0; tries < seconds * 2; tries += 1) {
    const found = await what();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error("it did not come");
}
const NAME = "Alerts at once";

/** Makes a monitor that alerts with its first run, which comes up to a minute and a half later. */
export function alertingMonitorTests(watched) {
  watched("a monitor that alerts while other tests go on", async ({ service }) => {
    const receiver = await startReceiver();
    const { id } = await service.call("/v2/notifiers", {
      name: "Hook of resolved",
      properties: { webhook: { url: receiver.address } },
    });
    await service.call("/v1/datasets/alerting/ingest", [{ n: 1 }]);
    await service.call("/v2/monitors", {
      name: NAME,
      type: "Threshold",
      operator: "Above",
      aplQuery: "alerting | summarize count()",
      threshold: 0,
      intervalMinutes: 1,
      rangeMinutes: 60,
      resolvable: true,
      notifierIds: [id],
    });
    await receiver.stop();
  });
}

export function actedMonitorTests(watched) {
  watched("monitors: one is duplicated and deleted from its own page", async ({ page, service }) => {
    const definition = {
      name: "First of two",
      type: "Threshold",
      operator: "Below",
      aplQuery: "demo | summarize count()",
      threshold: 7,
      intervalMinutes: 15,
      rangeMinutes: 30,
      disabledUntil: "2031-01-01T00:00:00Z",
    };
    const { id } = await service.call("/v2/monitors", definition);
    await page.goto(`${service.address}/monitors/${id}`);
    await page.getByRole("link", { name: "Duplicate" }).click();
    await page.getByRole("heading", { name: "New monitor" }).waitFor();
    assert.equal(await page.getByLabel("Name").inputValue(), "First of two (copy)");
    await page.getByRole("button", { name: "Save the monitor" }).click();
    await page.waitForURL((address) => /\/monitors\/(?!new)/.test(address.pathname));
    const copy = new URL(page.url()).pathname.split("/").at(-1);
    const made = await service.call(`/v2/monitors/${copy}`);
    assert.notEqual(copy, id);
    assert.deepEqual(
      [made.aplQuery, made.threshold, made.operator, made.intervalMinutes, made.disabledUntil ?? null],
      [definition.aplQuery, 7, "Below", 15, null],
    );
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Delete the monitor?" });
    await dialog.getByText("“First of two (copy)”").waitFor();
    await dialog.getByRole("button", { name: "Keep it" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.waitForURL((address) => address.pathname === "/monitors");
    await page.getByRole("link", { name: "First of two", exact: true }).waitFor();
    assert.equal(await page.getByRole("link", { name: "First of two (copy)" }).count(), 0);
    await service.call(`/v2/monitors/${id}`, undefined, "DELETE");
  });

  watched("monitors: a pattern becomes a monitor with its name and its events", async ({ page, service }) => {
    await page.goto(
      `${service.address}/explore?${new URLSearchParams({ q: "demo", tab: "patterns", from: "now-6h", to: "now" })}`,
    );
    await page.locator("td.template").first().waitFor({ timeout: 60_000 });
    await page.getByRole("link", { name: "Monitor this pattern" }).first().click();
    await page.getByRole("heading", { name: "New monitor" }).waitFor();
    assert.match(await page.getByLabel("Name").inputValue(), /^Pattern: /);
    assert.match(await page.locator(".cm-content").innerText(), /template\(message\) ==/);
    assert.match(await page.locator(".cm-content").innerText(), /summarize count\(\)/);
    await page.locator(".backtest h2", { hasText: /Would have told/ }).waitFor();
    await page.getByRole("button", { name: "90 days" }).click();
    await page.getByRole("heading", { name: /in 90 days/ }).waitFor({ timeout: 120_000 });
  });

  watched(
    "monitors: what is open is resolved by a click, and muted until a moment that is typed",
    async ({ page, service }) => {
      const { id } = (await service.call("/v2/monitors")).find(({ name }) => name === NAME);
      const standing = async () => (await service.call("/v2/monitors/states")).find((state) => state.id === id);
      await until(async () => (await standing())?.state === "open");
      await page.goto(`${service.address}/monitors/${id}`);
      await page.locator(".tag.bad", { hasText: "alerting" }).first().waitFor();
      // Muted it makes no run that would open it again.
      await page.getByRole("button", { name: "Mute", exact: true }).click();
      await page.getByLabel(/^Until/).fill("2020-01-01 08:00");
      await page.getByRole("button", { name: "Set", exact: true }).click();
      await page.getByText("A moment ahead is needed").waitFor();
      await page.getByLabel(/^Until/).fill("2031-05-06 07:08");
      await page.getByRole("button", { name: "Set", exact: true }).click();
      await page.getByText("until 6 May 2031 07:08").first().waitFor();
      assert.match((await service.call(`/v2/monitors/${id}`)).disabledUntil, /^2031-05-06T07:08:00Z/);
      const resolve = page.getByRole("button", { name: "Resolve", exact: true });
      assert.equal(await resolve.isEnabled(), true);
      await resolve.click();
      await page.getByText(/^Closed; \d messages? says? so\.$/).waitFor();
      await page.waitForFunction(() =>
        [...document.querySelectorAll("button")].some(
          ({ textContent, disabled }) => textContent === "Resolve" && disabled,
        ),
      );
      assert.equal((await standing()).open, 0);
      await page.getByRole("button", { name: "7 days" }).click();
      await page.getByRole("table", { name: "Runs" }).waitFor();
      await page.getByRole("button", { name: "90 days" }).click();
      await page.getByRole("table", { name: "Runs" }).waitFor();
      await service.call(`/v2/monitors/${id}`, undefined, "DELETE");
    },
    [],
    240_000,
  );
}
