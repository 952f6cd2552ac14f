// The end of benches/web.py that drives the browser: takes one call on each line, a list of a name and its argument, and
// answers with one line. benches/browser.py is the end that calls.

import { createInterface } from "node:readline";
import { openBrowser, openPage, signIn } from "../browser/browser.js";
import { openBoard, refreshBoard, VIEWPORT, watchPanels } from "./board.js";
import { liveAt } from "./clock.js";
import { openEditor, typeInField, typeInQuery, watchBacktest } from "./editor.js";

const at = {};

const calls = {
  /** A browser that is signed in and whose pages live at a moment. */
  async start({ link, moment }) {
    at.browser = await openBrowser();
    Object.assign(at, await openPage(at.browser, { ...VIEWPORT, timezoneId: "UTC" }));
    await signIn(at.page, link);
    await liveAt(at.context, moment);
    await watchPanels(at.context);
    await watchBacktest(at.context);
    await calls.newPage();
    return at.browser.version();
  },
  /** Nothing of the page before is left but what the browser keeps. */
  async newPage() {
    const before = at.page;
    at.page = await at.context.newPage();
    at.page.setDefaultTimeout(120_000);
    at.page.on("pageerror", (error) => at.faults.push(String(error)));
    await before.close();
  },
  openBoard: (call) => openBoard(at.page, call),
  refreshBoard: (call) => refreshBoard(at.page, call),
  openEditor: (call) => openEditor(at.page, call),
  typeInQuery: (call) => typeInQuery(at.page, call),
  typeInField: (call) => typeInField(at.page, call),
  picture: ({ path }) => at.page.screenshot({ path }).then(() => path),
  faults: () => at.faults,
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, argument] = JSON.parse(line);
  try {
    console.log(JSON.stringify({ given: (await calls[name](argument ?? {})) ?? null }));
  } catch (error) {
    console.log(JSON.stringify({ error: error.stack ?? String(error) }));
  }
}
await at.browser?.close();
