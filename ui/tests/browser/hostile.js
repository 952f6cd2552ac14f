// Events that want to do harm: they are shown, and nothing else happens.

import assert from "node:assert/strict";

export function hostileTests(watched) {
  watched("17: scripts, codes of terminals and marks of direction do nothing", async ({ page, service }) => {
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, place) => [`w${place}`, place]));
    await service.call("/v1/datasets/hostile/ingest", [
      {
        message: '<img src=x onerror="window.harmed=1">',
        "<script>window.harmed=2</script>": "<b>x</b>",
        level: "\u001b[31merror\u001b[0m",
      },
      {
        message: "\u202etxt.exe\u202c javascript:alert(1)",
        link: "javascript:window.harmed=3",
        "a'] | take 0 //": "v\"'`$1",
        ...wide,
      },
      { message: "x".repeat(500_000), nested: { list: Array.from({ length: 500 }, (_, place) => place) } },
    ]);
    await page.goto(`${service.address}/explore?${new URLSearchParams({ q: "hostile" })}`);
    await page.locator(".row").nth(2).waitFor();
    for (const place of [2, 1, 0]) await page.locator(".row").nth(place).click();
    for (const view of ["JSON", "Table"]) await page.getByRole("button", { name: view, exact: true }).first().click();
    await page.getByText("⟨202E⟩").first().waitFor();
    assert.equal(await page.evaluate(() => window.harmed), undefined);
    assert.equal(await page.locator('a[href^="javascript"]').count(), 0);
  });

  watched("a name that looks like a query is filtered by as a name", async ({ page, service }) => {
    await page.goto(`${service.address}/explore?${new URLSearchParams({ q: "hostile" })}`);
    await page.locator(".row").nth(2).waitFor();
    await page.getByLabel("Find a field", { exact: true }).fill("take 0");
    await page.locator(".field button").first().click();
    await page.getByRole("button", { name: /^Only v/ }).click();
    await page.locator(".chip").first().waitFor();
    await page.waitForFunction(() => document.querySelector(".panel-row strong")?.textContent === "1");
  });
}
