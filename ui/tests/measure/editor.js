// The editor of monitors as somebody who types sees it: how long after a key the drawing of the backtest is that of what
// was typed.

const BACKTEST = "/v2/monitors/backtest";

export async function watchBacktest(context) {
  await context.addInitScript((path) => {
    let lastKey = 0;
    addEventListener("keydown", (event) => (lastKey = event.timeStamp), { capture: true });
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    /** Until the answer to a question that began after the last key is on the screen. */
    window.redrawn = async () => {
      for (;;) {
        await frame();
        const section = document.querySelector(".backtest");
        const asked = performance.getEntriesByType("resource").findLast(({ name }) => name.endsWith(path));
        const isOfLastKey = asked !== undefined && asked.startTime > lastKey && asked.responseEnd > 0;
        if (!isOfLastKey || section.getAttribute("aria-busy") !== "false") continue;
        const problem = section.querySelector(".problem") ?? document.querySelector(".write .wrong");
        if (problem) throw new Error(problem.textContent);
        if (!section.querySelector("path.now") || section.querySelector(".old")) continue;
        await frame();
        await frame();
        const painted = performance.now();
        return {
          whole: painted - lastKey,
          asking: asked.responseEnd - asked.startTime,
          pause: asked.startTime - lastKey,
          says: section.querySelector("h2").textContent,
        };
      }
    };
  }, BACKTEST);
}

/** Opens the editor and writes the query; its first backtest is measured as well. */
export async function openEditor(page, { address, query }) {
  await page.goto(address);
  const content = page.locator(".cm-content");
  await content.click();
  await page.keyboard.insertText(query);
  await page.keyboard.press("ArrowRight");
  return page.evaluate(() => window.redrawn());
}

/** Types at the end of a line of the query, after taking some letters away. */
export async function typeInQuery(page, { line, remove, text }) {
  await page.locator(".cm-line").nth(line).click();
  await page.keyboard.press("End");
  for (let count = 0; count < remove; count++) await page.keyboard.press("Backspace", { delay: 20 });
  await page.keyboard.type(text, { delay: 60 });
  return page.evaluate(() => window.redrawn());
}

/** Types a number into a field of the conditions. */
export async function typeInField(page, { name, text }) {
  const field = page.locator(`input[name="${name}"]`);
  await field.click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type(text, { delay: 60 });
  return page.evaluate(() => window.redrawn());
}
