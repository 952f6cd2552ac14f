// How much memory a page takes: what its scripts hold, and the whole process that draws it, of which that is a part.

import { readFile } from "node:fs/promises";

/** Megabytes of the largest process that draws pages, as the system counts them; null where it does not tell. */
export async function processMemory(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const sizes = await Promise.all(
    processInfo
      .filter(({ type }) => type === "renderer")
      .map(({ id }) =>
        readFile(`/proc/${id}/status`, "utf8").then((text) => Number(/VmRSS:\s*(\d+) kB/.exec(text)?.[1])),
      )
      .map((size) => size.catch(() => Number.NaN)),
  );
  const known = sizes.filter((size) => size > 0);
  return known.length === 0 ? null : Math.max(...known) / 1000;
}

/** Megabytes that the scripts of a page hold, after all that is not needed was given up. */
export async function heapOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize / 1e6;
}
