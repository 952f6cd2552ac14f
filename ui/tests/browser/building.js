// The builder, whose clicks write stages that can be read and removed; finding in rows; and the way out where there are none.

import assert from "node:assert/strict";

const explore = (service, parameters) =>
  `${service.address}/explore?${new URLSearchParams({ from: "now-6h", to: "now", ...parameters })}`;
const asked = (page) => new URL(page.url()).searchParams.get("q");

export function buildingTests(watched) {
  watched("the builder writes stages that can be read, changed as text and removed", async ({ page, service }) => {
    await page.goto(explore(service, { q: "demo" }));
    await page.locator(".row .cell").first().waitFor();
    await page.getByRole("button", { name: "Builder", exact: true }).click();
    const builder = page.locator(".builder");
    const wait = (q) => page.waitForURL((address) => address.searchParams.get("q")?.replaceAll(/\s+/g, " ") === q);
    await builder.getByRole("button", { name: "Filter" }).click();
    await builder.getByLabel("Field", { exact: true }).fill("status");
    await builder.getByLabel("Field", { exact: true }).press("Enter");
    await page.waitForURL((address) => address.searchParams.get("q")?.includes("status"));
    await builder.getByLabel("Comparison").selectOption(">=");
    await builder.getByLabel("Value", { exact: true }).fill("500");
    await builder.getByLabel("Value", { exact: true }).press("Enter");
    await wait("demo | where status >= 500");
    await builder.getByRole("button", { name: "Summarize" }).click();
    await wait("demo | where status >= 500 | summarize count() by bin_auto(_time)");
    await builder.getByLabel("Groups, with commas between them").fill("service");
    await builder.getByLabel("Groups, with commas between them").press("Enter");
    await wait("demo | where status >= 500 | summarize count() by service");
    await builder.getByRole("button", { name: "Sort" }).click();
    await builder.getByLabel("Sort by").fill("count_ desc");
    await builder.getByLabel("Sort by").press("Enter");
    await builder.getByRole("button", { name: "Limit" }).click();
    await builder.getByLabel("How many rows").fill("2");
    await builder.getByLabel("How many rows").press("Enter");
    await wait("demo | where status >= 500 | summarize count() by service | sort by count_ desc | take 2");
    await page.getByRole("tab", { name: "Table" }).click();
    // Until the answer is there, the rows of the one before are shown.
    await page.waitForFunction(() => document.querySelectorAll(".row").length === 2);
    // What stands in the builder is the text, and the text is what stands there.
    await page.getByRole("button", { name: "Text", exact: true }).click();
    await page.waitForFunction(() => document.querySelector(".cm-content")?.innerText.includes("where status >= 500"));
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText(" | extend twice = count_ * 2");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Enter");
    await page.waitForURL((address) => address.searchParams.get("q")?.includes("twice"));
    await page.getByRole("button", { name: "Builder", exact: true }).click();
    assert.equal(await builder.getByLabel("Stage", { exact: true }).inputValue(), "extend twice = count_ * 2");
    for (let left = 5; left > 0; left--) {
      assert.equal(await builder.getByRole("button", { name: "Remove this stage" }).count(), left);
      const before = page.url();
      await builder.getByRole("button", { name: "Remove this stage" }).last().click();
      await page.waitForFunction((old) => location.href !== old, before);
    }
    assert.equal(asked(page).trim(), "demo");
    await page.getByRole("button", { name: "Text", exact: true }).click();
  });

  watched("find counts rows that are loaded and not drawn, and goes to them", async ({ page, service }) => {
    const now = Date.now();
    await service.call(
      "/v1/datasets/found/ingest",
      Array.from({ length: 400 }, (_, place) => ({
        _time: new Date(now - place * 1000).toISOString(),
        message: place % 100 === 99 ? `needle ${place}` : `hay ${place}`,
      })),
    );
    await page.goto(explore(service, { q: "found", from: "now-1h" }));
    await page.locator(".row .cell").first().waitFor();
    assert.equal(await page.locator(".row", { hasText: "needle" }).count(), 0, "none of them is drawn");
    await page.keyboard.press("Control+f");
    const field = page.getByLabel("Find in the answer", { exact: true });
    await field.waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Find in the answer");
    await page.keyboard.type("needle");
    await page.getByText("4 rows", { exact: true }).waitFor();
    for (const [place, number] of [99, 199, 299, 399].entries()) {
      await page.keyboard.press("Enter");
      await page.getByText(`${place + 1} of 4 rows`).waitFor();
      await page.locator(".row.active", { hasText: `needle ${number}` }).waitFor();
      assert.equal(await page.locator(".row.active mark").first().textContent(), "needle");
    }
    await page.keyboard.press("Shift+Enter");
    await page.locator(".row.active", { hasText: "needle 299" }).waitFor();
    await field.fill("not there at all");
    await page.getByText("not found").waitFor();
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
  });

  watched("where no row is found the reason is said, and a click leads to the events", async ({ page, service }) => {
    await service.call("/v1/datasets/bygone/ingest", [
      { _time: new Date(Date.now() - 40 * 86_400_000).toISOString(), message: "long ago" },
    ]);
    await page.goto(explore(service, { q: "bygone", from: "now-1h" }));
    await page.getByText("No events in this range of time").waitFor();
    await page.getByText(/The newest event of bygone is from/).waitFor();
    await page.getByRole("button", { name: "Go there" }).click();
    await page.locator(".row", { hasText: "long ago" }).waitFor();
    assert.match(new URL(page.url()).searchParams.get("from"), /^20/);
    await page.goto(explore(service, { q: "demo | where status == 999" }));
    await page.getByText("No event fits the filters").waitFor();
    await page.getByRole("button", { name: "Without filters" }).click();
    await page.locator(".row .cell").first().waitFor();
    assert.equal(asked(page), "demo");
  });
}
