// axe finds nothing on any screen, in both themes, and nothing is lost on a narrow or magnified page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { openPage } from "./browser.js";
import { screens } from "./looked-at.js";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const EVENTS = "/explore?q=demo&from=now-6h&to=now";
const press = (name) => (page) => page.getByRole("button", { name, exact: true }).first().click();
/** What lies above a screen, and screens with nothing or a mistake: the path, what is done there, what has to be seen. */
const STATES = [
  ["/explore?q=demo+%7C+where+strln(path)+%3E+1", null, ".problem"],
  ["/explore?q=demo&from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z", null, ".empty"],
  ["/explore?q=demo&from=now&to=now-1h", null, ".wrong"],
  [EVENTS, (page) => page.locator(".row").nth(1).click(), ".event"],
  [EVENTS, (page) => page.locator('.field button[title^="level "]').click(), ".values li"],
  [EVENTS, (page) => page.keyboard.press("?"), "dialog[open]"],
  [EVENTS, (page) => page.keyboard.press("Control+k"), "dialog[open]"],
  ...["Star", "Share", "Export", "View", "History"].map((name) => [EVENTS, press(name), "dialog[open], .popup .menu"]),
  [EVENTS, (page) => page.keyboard.press("t"), ".picker"],
  ["/datasets", press("New dataset"), "dialog[open]"],
  ["/datasets/gen?view=virtual", press("New virtual field"), "dialog[open]"],
  ["/datasets/gen?view=views", press("New view"), "dialog[open]"],
  ["/dashboards", press("New dashboard"), "dialog[open]"],
  ["/dashboards/all-charts?edit=1", press("Add a panel"), "dialog[open]"],
  ["/dashboards/all-charts?edit=1", press("Settings"), "dialog[open]"],
  ["/notifiers/new", null, "form"],
  ["/tokens", press("New token"), "dialog[open]"],
  ["/people", press("Add somebody"), "dialog[open]"],
  ["/people?tab=roles", press("New role"), "dialog[open]"],
  ["/settings?tab=clients", press("New client"), "dialog[open]"],
  ["/settings?tab=audit&who=nobody+at+all", null, ".empty"],
  ["/traces?trace=4bf92f3577b34da6a3ce929d0e0e4736", null, ".empty"],
  ["/queries", press("Rename Looked at"), "dialog[open]"],
];

/** What axe finds on the page as it is, or in the part that lies above it, each with the place where it was found. */
async function violations(page, where, rules = RULES) {
  await page.evaluate(source);
  const { violations: found } = await page.evaluate((runOnly) => {
    const above = document.querySelector("dialog[open]") ?? document.querySelector(".popup > div");
    return globalThis.axe.run(above ?? document, { runOnly });
  }, rules);
  return found.map(({ id, nodes }) => {
    const first = nodes.slice(0, 3).map(({ html, any }) => `${html.slice(0, 140)} ${any[0]?.message ?? ""}`);
    return `${where}: ${id}: ${first.join(" || ")}`;
  });
}

export function accessibilityTests(watched) {
  for (const theme of ["light", "dark"]) {
    watched(`40: axe finds nothing on any screen, ${theme}`, async ({ page, service }) => {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      const found = [];
      for (const [path, ready] of await screens(service)) {
        await page.goto(service.address + path);
        await page.locator(ready).first().waitFor();
        await page.waitForTimeout(300);
        assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), theme);
        found.push(...(await violations(page, path)));
      }
      assert.deepEqual(found, []);
    });

    watched(
      `40: axe finds nothing in dialogs, menus, empty screens and mistakes, ${theme}`,
      async ({ page, service }) => {
        await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
        const found = [];
        for (const [path, act, ready] of STATES) {
          await page.goto(service.address + path);
          if (path === EVENTS) await page.locator(".row .cell").first().waitFor();
          await act?.(page);
          await page.locator(ready).first().waitFor();
          await page.waitForTimeout(200);
          // Dark they differ in their colours alone.
          const rules = theme === "dark" ? ["color-contrast"] : RULES;
          const where = `${path} ${await page.locator("dialog[open] h2").allTextContents()}`;
          found.push(...(await violations(page, where, rules)));
        }
        assert.deepEqual(found, []);
      },
      [/status of 4\d\d/],
    );

    watched(`40: axe finds nothing on the pages to sign in and of the account, ${theme}`, async (at) => {
      const { service, browser, context } = at;
      const { page, context: apart, faults } = await openPage(browser, { theme });
      const { id } = await service.call("/v2/users", {
        name: `Guest ${theme}`,
        email: `guest-${theme}@example.com`,
        role: "read-only",
      });
      const { link } = await service.call(`/v2/users/${id}/invitation`, undefined, "POST");
      const found = [];
      for (const path of ["/login", "/login?return_to=%2Fexplore", new URL(link).pathname, "/setup/of-no-one"]) {
        await page.goto(service.address + path);
        await page.locator("main h1").waitFor();
        found.push(...(await violations(page, path.slice(0, 20))));
      }
      await page.goto(`${service.address}/login`);
      await page.getByLabel(/e-mail/i).fill("nobody@example.com");
      await page.getByLabel(/password/i).fill("wrong in any case");
      await page.locator('main button[type="submit"]').first().click();
      await page.locator('[role="alert"]').waitFor();
      found.push(...(await violations(page, "/login, refused")));
      await apart.addCookies(await context.cookies());
      await page.goto(`${service.address}/account`);
      await page.locator("main h1").waitFor();
      found.push(...(await violations(page, "/account")));
      await service.call(`/v2/users/${id}`, undefined, "DELETE");
      assert.deepEqual(found, []);
      assert.deepEqual(
        faults.filter((fault) => !/status of 4\d\d/.test(fault)),
        [],
      );
      await apart.close();
    });
  }

  for (const [width, words] of [
    [320, "at 320 px"],
    // A page of 1,440 px that is shown twice as large has so many.
    [720, "at 200 % of the size"],
  ])
    watched(`40: ${words} nothing is cut off the side, on any screen`, async ({ page, service }) => {
      await page.setViewportSize({ width, height: width === 320 ? 640 : 450 });
      const found = [];
      for (const [path, ready] of await screens(service)) {
        await page.goto(service.address + path);
        await page.locator(ready).first().waitFor({ state: "attached" });
        for (const lost of await page.evaluate(cutOff)) found.push(`${path}: ${lost}`);
      }
      // A button that does lie beside the page is found.
      await page.evaluate(() => {
        const button = document.body.appendChild(document.createElement("button"));
        button.textContent = "beside";
        button.style.cssText = "position: fixed; left: 90vw; width: 30vw";
      });
      assert.match((await page.evaluate(cutOff)).join(), /BUTTON beside/);
      await page.setViewportSize({ width: 1440, height: 900 });
      assert.deepEqual(found, []);
    });
}

/** What can be used or read and lies beside the page, where nothing can be scrolled to show it. */
function cutOff() {
  const wide = document.documentElement.clientWidth;
  const scrolls = (element) => {
    for (let at = element.parentElement; at; at = at.parentElement) {
      const { overflowX } = getComputedStyle(at);
      if (/auto|scroll/.test(overflowX) && at.scrollWidth > at.clientWidth) return true;
    }
    return false;
  };
  const lost = [];
  const used = "a, button, input, select, textarea, h1, h2, h3, label, summary, [role=tab], [tabindex='0']";
  for (const element of document.querySelectorAll(used)) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const { left, right, width, height } = element.getBoundingClientRect();
    // What is for readers of screens alone is a pixel large.
    if (width <= 2 || height <= 2 || (right <= wide + 1 && left >= -1) || scrolls(element)) continue;
    const name = element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 40);
    lost.push(`${element.tagName} ${name} from ${Math.round(left)} to ${Math.round(right)}`);
  }
  if (document.documentElement.scrollWidth > wide + 1)
    lost.push(`the page is ${document.documentElement.scrollWidth} wide`);
  return lost.slice(0, 6);
}
