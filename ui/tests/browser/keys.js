// Everything by keys: the map of them, the palette, and a whole way from a question to an event without a mouse.

import assert from "node:assert/strict";
import { keepsTaste } from "./browser.js";

const explore = (service, parameters) =>
  `${service.address}/explore?${new URLSearchParams({ from: "now-6h", to: "now", ...parameters })}`;
const search = (page) => new URL(page.url()).searchParams;
const focused = (page) =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "");

export function keyTests(watched) {
  watched("keys: the map names them, and each does what it says", async ({ page, service }) => {
    await page.goto(explore(service, { q: "gen" }));
    await page.locator(".row .cell").first().waitFor();
    await page.keyboard.press("?");
    const map = page.getByRole("dialog", { name: "Keys" });
    const named = await map.locator("kbd").allTextContents();
    for (const key of ["/", "t", "[", "]", "-", "z", "j", "k", "f", "x", "c", "y", "w", "g e", "g b", "Ctrl ⏎"])
      assert.ok(named.includes(key), `${key}: ${named.join(" ")}`);
    assert.equal(new Set(named).size, named.length, "no key twice");
    await page.keyboard.press("Escape");
    await map.waitFor({ state: "detached" });

    const before = search(page);
    await page.keyboard.press("[");
    await page.waitForURL(/from=20/);
    const earlier = Date.parse(search(page).get("to"));
    await page.keyboard.press("]");
    await page.waitForFunction((old) => Date.parse(new URLSearchParams(location.search).get("to")) > old, earlier);
    await page.goBack();
    await page.goBack();
    await page.waitForFunction((from) => new URLSearchParams(location.search).get("from") === from, before.get("from"));
    await page.keyboard.press("-");
    await page.waitForURL(/from=now-43200s|from=now-12h/);
    await page.goBack();
    await page.locator(".row .cell").first().waitFor();

    const zone = () => page.locator("button.zone").textContent();
    const first = await zone();
    await page.keyboard.press("z");
    assert.notEqual(await zone(), first);
    await page.keyboard.press("z");
    assert.equal(await zone(), first);
    await page.keyboard.press("t");
    await page.getByLabel("From", { exact: true }).waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === "INPUT");
    await page.keyboard.press("Escape");
    await page.getByLabel("From", { exact: true }).waitFor({ state: "detached" });
    const wrap = page.getByRole("button", { name: "Wrap", exact: true });
    const wraps = await wrap.getAttribute("aria-pressed");
    await wrap.focus();
    await page.keyboard.press("w");
    assert.notEqual(await wrap.getAttribute("aria-pressed"), wraps);
    await page.keyboard.press("w");

    await page.keyboard.press("/");
    await page.waitForFunction(() => document.activeElement?.classList.contains("cm-content"));
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("gen|where status>=500|take 3");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Shift+f");
    await page.waitForFunction(() =>
      document.querySelector(".cm-content")?.innerText.includes("| where status >= 500"),
    );
    for (const [letter, path] of [
      ["s", "/stream"],
      ["d", "/datasets"],
      ["b", "/dashboards"],
      ["q", "/queries"],
      ["e", "/explore"],
    ]) {
      await page.locator("#screen").focus();
      await page.keyboard.press("g");
      await page.keyboard.press(letter);
      await page.waitForURL((address) => address.pathname === path);
    }
  });

  watched("keys: a cell is chosen by keys; f, x and y do to it what a click does", async ({ page, service }) => {
    await page.goto(explore(service, { q: "gen", cols: "level~120,status~120,message~400" }));
    await page.locator(".row .cell").first().waitFor();
    await page.locator(".viewport").focus();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    const active = page.locator(".row.active");
    assert.equal(await active.getAttribute("aria-rowindex"), "2");
    const level = (await active.locator(".cell").first().textContent()).trim();
    await page.keyboard.press("y");
    await page.getByText("The link to the event is copied.").waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /\/explore\?.*open=/);
    await page.keyboard.press("f");
    await page.locator(".chip", { hasText: `level == "${level}"` }).waitFor();
    // The rows of the question before, one of which is chosen, are there until it is answered.
    await active.waitFor({ state: "detached" });
    await page.locator(".row .cell").first().waitFor();
    await page.locator(".viewport").focus();
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowRight");
    const status = (await active.locator(".cell").nth(1).textContent()).trim();
    await page.keyboard.press("x");
    await page.locator(".chip", { hasText: `status != ${status}` }).waitFor();
  });

  watched("keys: the palette goes to a dataset, a screen and an action", async ({ page, service }) => {
    await page.goto(explore(service, { q: "gen" }));
    await page.locator(".row .cell").first().waitFor();
    const palette = page.getByRole("dialog", { name: "Go anywhere" });
    const go = async (words) => {
      await page.keyboard.press("Control+k");
      await palette.waitFor();
      await page.keyboard.type(words);
    };
    await go("explore demo");
    assert.match(await palette.getByRole("option").first().textContent(), /Explore demo/);
    await page.keyboard.press("Enter");
    await page.waitForURL((address) => address.searchParams.get("q") === "demo");
    await page.locator(".row .cell").first().waitFor();
    await go("go to mon");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/monitors/);
    await go("colours");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
    await go("light colours");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
    await go("nothing like this");
    await palette.getByText("Nothing has these words.").waitFor();
    await page.keyboard.press("Enter");
    await palette.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Account and appearance" }).click();
    await keepsTaste(page, () => page.getByRole("combobox", { name: "Colours" }).selectOption("auto"));
    await page.keyboard.press("Escape");
  });

  watched("40: from a question to an event and a filter without a mouse", async ({ page, service }) => {
    /** Goes on by Tab until the focus is there. */
    const tabTo = async (name, kind = "*") => {
      const passed = [];
      for (let presses = 0; presses < 80; presses++) {
        await page.keyboard.press("Tab");
        const now = await focused(page);
        if (name.test(now) && (await page.evaluate((found) => document.activeElement.matches(found), kind))) {
          const seen = await page.evaluate(() => {
            const { width, height } = document.activeElement.getBoundingClientRect();
            // The editor's frame shows it for what is in it.
            const framed = [document.activeElement, document.activeElement.closest(".query-editor")];
            const isShown = framed.some((element) => element && getComputedStyle(element).outlineStyle !== "none");
            return width > 0 && height > 0 && isShown;
          });
          assert.ok(seen, `${now} shows that it has the focus`);
          return;
        }
        passed.push(now.trim().slice(0, 30));
      }
      assert.fail(`${name} was not reached: ${passed.join(" · ")}`);
    };
    await page.goto(`${service.address}/explore?${new URLSearchParams({ q: "gen", from: "now-6h", to: "now" })}`);
    await page.locator(".row .cell").first().waitFor();
    // The first stop leads past the rail.
    await page.keyboard.press("Tab");
    assert.equal(await focused(page), "Skip to the screen");
    await page.keyboard.press("Enter");
    await tabTo(/^Dataset|^gen/);
    await page.keyboard.press("Enter");
    await page.keyboard.type("demo");
    await page.keyboard.press("Enter");
    await page.waitForURL((address) => address.searchParams.get("q") === "demo");
    await page.locator(".row .cell").first().waitFor();
    await tabTo(/^Query/);
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" | where status >= 500");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Enter");
    await page.locator(".chip", { hasText: "status >= 500" }).waitFor();
    await page.locator(".row .cell").first().waitFor();
    await tabTo(/^Remove the filter/);
    await tabTo(/^Find a field/);
    await page.keyboard.type("service");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Only checkout" }).waitFor();
    await tabTo(/^Only checkout/);
    await page.keyboard.press("Enter");
    await page.locator(".chip", { hasText: 'service == "checkout"' }).waitFor();
    await page.locator(".row .cell").first().waitFor();
    await tabTo(/^Events over time/);
    await tabTo(/^Events$/, "[role=grid]");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".event").waitFor();
    await tabTo(/^JSON/);
    await page.keyboard.press("Enter");
    await page.locator("pre.json", { hasText: '"service": "checkout"' }).waitFor();
  });
}
