// Every screen says what it is in: bars while it waits, what went wrong with a way on, and what to do where there is nothing.
// What was there before a failure stays. And nobody's screen asks for what would be refused to them.

import assert from "node:assert/strict";
import { until } from "./browser.js";
import { memberPage } from "./members.js";
import { held, REFUSAL, screensWithStates } from "./screen-states.js";

const REFUSED = [/status of 503/];
const where = (page) => page.evaluate(() => document.activeElement?.tagName ?? "");
const box = (page, words = REFUSAL.message) => page.locator("main .problem", { hasText: words }).first();

export function stateTests(watched) {
  watched(
    "every screen waits without a jump, says what went wrong, tries again in place, and says what to do where it is empty",
    async ({ page: first, service }) => {
      const page = await first.context().newPage();
      const wrong = [];
      for (const { name, path, asks, ready, empty, refused } of await screensWithStates(service)) {
        const look = async (what, seen) => {
          await seen.waitFor().catch(() => wrong.push(`${name}: ${what}`));
        };
        const hand = await held(page, asks);
        await page.goto(service.address + path);
        await look("no bars while it waits", page.locator("main .waiting").first());
        await hand.set("refuse");
        await look("no words on what went wrong", box(page, refused));
        // All that was asked has failed by then, so that the box is the one that stays.
        await page.waitForTimeout(150);
        const again = box(page, refused).getByRole("button", { name: "Try again" });
        if (await again.count()) {
          await again.focus();
          await hand.set("pass");
          await page.keyboard.press("Enter");
          await look("nothing after trying again", page.locator(ready).first());
          await box(page, refused)
            .waitFor({ state: "detached" })
            .catch(() => wrong.push(`${name}: the box stays`));
          if ((await where(page)) === "BODY") wrong.push(`${name}: the keyboard is lost`);
        } else wrong.push(`${name}: no way to try again`);
        await hand.end();
        if (!empty) continue;
        const other = empty.answer === undefined ? null : await held(page, empty.asks ?? asks);
        await other?.set("answer", empty.answer);
        await page.goto(service.address + (empty.path ?? path));
        await look(`no “${empty.says}”`, page.locator("main").getByText(empty.says).first());
        await other?.end();
      }
      await page.close();
      assert.deepEqual(wrong, []);
    },
    REFUSED,
  );

  watched(
    "what was there stays when asking anew fails: a list that goes on, and the rows of an answer",
    async ({ page, service }) => {
      const endpoints = /^\/v2\/endpoints$/;
      await page.goto(`${service.address}/endpoints`);
      await page.locator("table.plain tbody tr").first().waitFor();
      const rows = await page.locator("table.plain tbody tr").count();
      const list = await held(page, endpoints);
      await list.set("refuse");
      await box(page).waitFor();
      await page.getByText("What is shown was there before.").waitFor();
      assert.equal(await page.locator("table.plain tbody tr").count(), rows);
      await list.set("pass");
      await box(page).getByRole("button", { name: "Try again" }).click();
      await box(page).waitFor({ state: "detached" });
      await list.end();

      await page.goto(`${service.address}/explore?q=demo&from=now-6h&to=now`);
      await page.locator(".row .cell").first().waitFor();
      await page.waitForLoadState("networkidle");
      const query = await held(page, /^\/v1\/query\/_apl$/);
      await query.set("refuse");
      await page.getByRole("button", { name: /^Run/ }).click();
      await box(page).waitFor();
      assert.ok((await page.locator(".row .cell").count()) > 0);
      await query.set("pass");
      await box(page).getByRole("button", { name: "Try again" }).click();
      await box(page).waitFor({ state: "detached" });
      await query.end();
    },
    REFUSED,
  );

  watched(
    "who holds little is asked for little: no screen tries what is refused, each says what it takes",
    async (at) => {
      const { service, browser } = at;
      const { page, context, faults, id } = await memberPage(service, browser, "Narrow", "none");
      const role = await service.call("/v2/rbac/roles", {
        name: "Dashboards of the demo",
        description: "",
        members: [id],
        orgCapabilities: { dashboards: ["read"] },
        datasetCapabilities: { demo: { query: ["read"] } },
      });
      const refused = [];
      page.on("response", (answer) => {
        if ([401, 403].includes(answer.status())) refused.push(`${answer.status()} ${answer.url()}`);
      });
      await page.goto(`${service.address}/explore`);
      await page.waitForURL((address) => address.searchParams.get("q") === "demo");
      await page.locator(".row .cell, .answer .empty").first().waitFor();
      const rail = await page
        .getByRole("navigation", { name: "Screens" })
        .locator("li a")
        .evaluateAll((links) => links.map((link) => new URL(link.href).pathname));
      for (const path of ["/monitors", "/notifiers", "/tokens", "/people", "/endpoints"])
        assert.ok(!rail.includes(path), rail.join(" "));
      for (const path of [...rail, "/datasets/demo", "/dashboards/states-one"]) {
        await page.goto(service.address + path);
        await page.locator("main h1, main h2").first().waitFor();
        await page.waitForTimeout(300);
      }
      for (const [path, capability] of [
        ["/monitors", "monitors|read"],
        ["/monitors/new", "monitors|read"],
        ["/notifiers", "notifiers|read"],
        ["/tokens", "apiTokens|read"],
        ["/people", "users|read"],
        ["/endpoints", "endpoints|read"],
      ]) {
        await page.goto(service.address + path);
        await page.locator("main .empty code", { hasText: capability }).waitFor();
      }
      // Only what a query may read is to be chosen.
      await page.goto(`${service.address}/explore?q=demo&from=now-6h&to=now`);
      await page.getByRole("button", { name: /^Dataset:/ }).click();
      const names = await page.locator(".picker li .name").allTextContents();
      assert.deepEqual(names, ["demo"]);
      assert.deepEqual(refused, []);
      assert.deepEqual(faults, []);
      await context.close();
      await service.call(`/v2/rbac/roles/${role.id}`, undefined, "DELETE");
      await service.call(`/v2/users/${id}`, undefined, "DELETE");
    },
  );

  watched("the palette finds dashboards, monitors and starred queries by their names", async ({ page, service }) => {
    await page.goto(`${service.address}/queries`);
    await page.locator("table.plain").waitFor();
    const asked = [];
    const hear = (request) => asked.push(new URL(request.url()).pathname);
    page.on("request", hear);
    const palette = page.getByRole("dialog", { name: "Go anywhere" });
    const find = async (words, name, address) => {
      await page.keyboard.press("Control+k");
      await palette.waitFor();
      await page.keyboard.type(words);
      const option = palette.getByRole("option", { name });
      await option.first().waitFor();
      await option.first().click();
      await page.waitForURL(address);
    };
    assert.ok(!asked.includes("/v2/monitors") && !asked.includes("/v2/dashboards"), asked.join(" "));
    await find("states-one", /states-one/, /\/dashboards\/states-one/);
    assert.ok(asked.includes("/v2/dashboards") && asked.includes("/v2/monitors"), asked.join(" "));
    await find("states monitor", /States.*monitor/, /\/monitors\/[^/]+$/);
    await find("states query", /States.*query/, /\/explore\?.*take/);
    page.off("request", hear);
  });

  watched("an example dashboard of a dataset is made where there is none, and is like any other", async (at) => {
    const { page, service } = at;
    const list = await held(page, /^\/v2\/dashboards$/);
    await list.set("answer", []);
    await page.goto(`${service.address}/dashboards`);
    await page.getByText("There is no dashboard yet").waitFor();
    await page.getByLabel("An overview of").selectOption("demo");
    await list.end();
    await page.getByRole("button", { name: "Make an overview" }).click();
    await page.waitForURL(/\/dashboards\/(?!$)[^/]+/);
    await page.getByRole("heading", { name: "Overview of demo" }).waitFor();
    await page.locator(".chart canvas").first().waitFor();
    await page.locator(".problem").first().waitFor({ state: "detached" });
    const uid = decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1));
    const { dashboard } = await service.call(`/v2/dashboards/uid/${uid}`);
    assert.ok(dashboard.charts.length >= 4);
    await service.call(`/v2/dashboards/uid/${uid}`, undefined, "DELETE");
  });

  watched("charts have the new colours at once when the theme is switched", async ({ page, service }) => {
    await page.emulateMedia({ colorScheme: "light" });
    const query = new URLSearchParams({ q: "demo | summarize count() by bin_auto(_time)", from: "now-6h", to: "now" });
    await page.goto(`${service.address}/explore?${query}`);
    await page.locator(".chart canvas").first().waitFor();
    /** The colour that most drawn points of the chart have. */
    const ink = () =>
      page.evaluate(() => {
        const canvas = document.querySelector(".chart canvas");
        if (!canvas || canvas.width === 0) return "";
        // Of a copy: the chart's own canvas is not made for being read.
        const copy = new OffscreenCanvas(canvas.width, canvas.height);
        copy.getContext("2d", { willReadFrequently: true }).drawImage(canvas, 0, 0);
        const { data } = copy
          .getContext("2d", { willReadFrequently: true })
          .getImageData(0, 0, copy.width, copy.height);
        const counts = new Map();
        for (let at = 0; at < data.length; at += 4) {
          if (data[at + 3] < 255) continue;
          const key = `${data[at]},${data[at + 1]},${data[at + 2]}`;
          counts.set(key, (counts.get(key) ?? 0) + 1);
        }
        return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "";
      });
    const settled = async (other) => {
      let now = "";
      await until(page, `ink that is not ${other}`, async () => {
        now = await ink();
        return now !== "" && now !== other;
      });
      return now;
    };
    const light = await settled("");
    // The reader's own setting, which no preference of this page names.
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await settled(light);
    assert.notEqual(dark, light);
    await page.emulateMedia({ colorScheme: "light" });
    assert.equal(await settled(dark), light);
  });
}
