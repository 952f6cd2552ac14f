// A dashboard as somebody who waits for it sees it: when all panels are painted after it was opened, and after each time
// that they are asked anew. Times are those of the page, from the navigation or from the click.

import { moveTo } from "./clock.js";

const BATCH = "/v1/query/batch";

/** Every panel is in sight: none may wait for somebody to scroll. */
export const VIEWPORT = { width: 1920, height: 1240 };

/** Puts into each page how to wait until all panels show the answers of their last batch. */
export async function watchPanels(context) {
  await context.addInitScript((path) => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const batches = () => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(path));
    const isDrawn = (cell) =>
      cell.querySelector('section[aria-busy="false"] .drawing > *') !== null && !cell.querySelector(".problem");
    const problems = () => [...document.querySelectorAll("[data-cell] .problem")].map((found) => found.textContent);
    window.batchCount = () => batches().length;
    window.panelsPainted = async (panels, before) => {
      for (;;) {
        await frame();
        if (problems().length > 0) throw new Error(problems().join("\n"));
        const cells = [...document.querySelectorAll("[data-cell]")];
        if (cells.length === panels && batches().length > before && cells.every(isDrawn)) break;
      }
      // What was changed before a frame is on the screen when the next one begins.
      await frame();
      await frame();
      const painted = performance.now();
      const asked = batches().slice(before);
      return {
        painted,
        asked: asked[0].startTime,
        answered: Math.max(...asked.map(({ responseEnd }) => responseEnd)),
        batches: asked.length,
        bytes: asked.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
        numbers: [...document.querySelectorAll("[data-cell] .statistic .value")].map((value) => value.textContent),
      };
    };
  }, BATCH);
}

/** Milliseconds from the navigation to all panels, and from the batch to its answer. */
export async function openBoard(page, { address, panels }) {
  await page.goto(address, { waitUntil: "commit" });
  const seen = await page.evaluate((count) => window.panelsPainted(count, 0), panels);
  return { ...seen, whole: seen.painted, asking: seen.answered - seen.asked };
}

/** The same after the button that asks anew, as if it were pressed at a moment. */
export async function refreshBoard(page, { panels, moment }) {
  await moveTo(page, moment);
  const seen = await page.evaluate(async (count) => {
    const before = window.batchCount();
    const began = performance.now();
    document.querySelector('button[aria-label="Ask now"]').click();
    return { began, ...(await window.panelsPainted(count, before)) };
  }, panels);
  return { ...seen, whole: seen.painted - seen.began, asking: seen.answered - seen.asked };
}
