// Stream, Datasets and Queries, and what is said of addresses that lead nowhere.

import assert from "node:assert/strict";
import { live } from "./streaming.js";

export function screenTests(watched) {
  watched("26: the stream shows what arrives, and a pause holds still", async ({ page, service }) => {
    await page.goto(`${service.address}/stream?dataset=web`);
    await page.getByRole("log").waitFor();
    await live(page);
    await service.call("/v1/datasets/web/ingest", [{ message: "seen in the stream", level: "warn" }]);
    await page.getByText("seen in the stream").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    const before = await page.locator(".event").count();
    await service.call("/v1/datasets/web/ingest", [{ message: "came while paused" }]);
    await page.getByRole("button", { name: /1 new below/ }).waitFor();
    assert.equal(await page.locator(".event").count(), before);
    await page.getByRole("button", { name: /1 new below/ }).click();
    await page.getByText("came while paused").waitFor();
  });

  watched(
    "datasets: list, fields, virtual field with its values, deletion with dry figures",
    async ({ page, service }) => {
      await page.goto(`${service.address}/datasets`);
      await page.getByRole("link", { name: "gen", exact: true }).click();
      await page.getByRole("table", { name: "Fields" }).getByText("duration_ms").waitFor();
      await page.getByRole("tab", { name: "Virtual fields" }).click();
      await page.getByRole("button", { name: "New virtual field" }).click();
      await page.getByLabel("Name").fill("failed");
      await page.getByLabel("Expression").fill("status >= 500");
      await page.getByText("On the newest events:").waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("cell", { name: "failed", exact: true }).waitFor();
      await page.getByRole("tab", { name: "Care" }).click();
      await page.getByLabel("where").fill('level == "debug"');
      await page.getByRole("button", { name: "See what would go" }).last().click();
      await page.getByText(/\d events, from/).waitFor();
      await page.getByRole("button", { name: "Delete them…" }).click();
      assert.equal(await page.getByRole("button", { name: "Delete", exact: true }).isDisabled(), true);
      await page.getByRole("button", { name: "Keep everything" }).click();
    },
  );

  watched("queries: a starred query is kept, found, opened and removed", async ({ page, service }) => {
    await page.goto(`${service.address}/explore?${new URLSearchParams({ q: "demo | where status >= 500" })}`);
    await page.getByRole("button", { name: "Star", exact: true }).click();
    await page.getByLabel("Name").fill("Failures");
    await page.getByRole("dialog").getByRole("button", { name: "Star", exact: true }).click();
    await page.goto(`${service.address}/queries`);
    await page.getByRole("link", { name: "Failures" }).click();
    await page.waitForURL(/status/);
    await page.goto(`${service.address}/queries?view=history`);
    await page
      .getByRole("link", { name: /status >= 500/ })
      .first()
      .waitFor();
    await page.goto(`${service.address}/queries`);
    await page.getByRole("button", { name: "Remove the star of Failures" }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("No query is starred yet").waitFor();
  });

  watched("an unknown page and a wrong range are said, not shown empty", async ({ page, service }) => {
    await page.goto(`${service.address}/explore?q=demo&from=now&to=now-1h`);
    await page.getByText("The range of time cannot be read").waitFor();
  });
}
