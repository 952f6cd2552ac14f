// The session that ends elsewhere: what was written stays, and what was asked is asked once somebody is signed in again.

import assert from "node:assert/strict";

export function sessionTests(watched) {
  watched(
    "38: the session ended elsewhere: text stays, and after signing in again the query runs",
    async ({ page, service, context }) => {
      await page.goto(`${service.address}/explore?${new URLSearchParams({ q: "demo", from: "now-6h", to: "now" })}`);
      await page.locator(".row .cell").first().waitFor();
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type(" | take 7");
      await page.keyboard.press("Escape");
      const token = () => page.evaluate(() => document.querySelector('meta[name="tidegauge-form-token"]')?.content);
      const first = await token();
      await context.clearCookies();
      const asked = [];
      const hear = async (request) => {
        if (!request.url().includes("/v1/query/_apl")) return;
        if (!request.postData()?.includes("take 7") || !request.url().includes("partial")) return;
        const headers = await request.allHeaders();
        const answer = await request.response();
        asked.push([answer?.status(), headers["x-tidegauge-form-token"]]);
      };
      page.on("requestfinished", hear);
      await page.keyboard.press("Control+Enter");
      const dialog = page.getByRole("dialog", { name: "Your session has ended" });
      await dialog.waitFor();
      // Esc leaves it open, however often, and does not end what waits behind it.
      for (let press = 0; press < 3; press++) await page.keyboard.press("Escape");
      assert.ok(await dialog.isVisible());
      await dialog.getByRole("button", { name: "Go on" }).click();
      await dialog.getByText("You are not signed in yet.").waitFor();

      const [other] = await Promise.all([
        context.waitForEvent("page"),
        dialog.getByRole("link", { name: "Sign in in another tab" }).click(),
      ]);
      await other.getByLabel(/e-mail/i).fill("owner@localhost.localdomain");
      await other.getByLabel(/password/i).fill("a long enough secret 42");
      await other.locator('main button[type="submit"]').first().click();
      await other.waitForURL(/\/explore/);
      await other.locator(".cm-content").waitFor();
      await other.close();

      await dialog.getByRole("button", { name: "Go on" }).click();
      await dialog.waitFor({ state: "detached" });
      assert.match(await page.locator(".cm-content").textContent(), /take 7/);
      await page.waitForFunction(() => document.querySelectorAll(".row").length === 7);
      page.off("requestfinished", hear);
      // The very call that was refused was made again, with the token of the new session.
      assert.deepEqual(
        asked.map(([status]) => status),
        [401, 200],
      );
      assert.equal(asked[0][1], first);
      assert.notEqual(asked[1][1], first);
      // What changes something works too, which asks for the new token.
      await page.getByRole("button", { name: "Star", exact: true }).click();
      await page.getByLabel("Name").fill("Seven");
      await page.getByRole("dialog").getByRole("button", { name: "Star", exact: true }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      const starred = await service.call("/v2/apl-starred-queries?who=all&limit=1000");
      const { id } = starred.find(({ name }) => name === "Seven");
      await service.call(`/v2/apl-starred-queries/${id}`, undefined, "DELETE");
    },
    [/401/],
  );
}
