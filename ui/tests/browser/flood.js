// Whether the stream stands a thousand events a second: its memory, what it counts as left out, and whether somebody can
// read on it: a script to run by hand, not a test. Ends with 1 when a goal is missed.
//
//   TIDEGAUGE_BINARY=…/tidegauge MINUTES=5 RATE=1000 node tests/browser/flood.js

import { openBrowser, openPage, signIn } from "./browser.js";
import { heapOf, processMemory } from "./memory.js";
import { startService } from "./service.js";

const minutes = Number(process.env.MINUTES ?? 5);
const rate = Number(process.env.RATE ?? 1000);
const EVERY = 10;
const service = await startService();
const browser = await openBrowser();
const missed = [];
let sent = 0;
let isOver = false;

/** Sends so many a second as it is told, whatever the time that a call takes. */
async function feed() {
  const began = Date.now();
  while (!isOver) {
    const due = Math.min(rate, Math.floor(((Date.now() - began) / 1000) * rate) - sent);
    if (due >= rate / 10) {
      const events = Array.from({ length: due }, (_, place) => ({ message: `event ${sent + place}`, level: "info" }));
      await service.call("/v1/datasets/flood/ingest", events);
      sent += due;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What the page says to have arrived, and what of it it left out. */
const figures = (page) =>
  page
    .locator(".rates")
    .evaluate((element) => element.title.match(/\d[\d,]*/g).map((text) => Number(text.replaceAll(",", ""))));

/** What is read stays: a pause, a selection and a place scrolled to, each for a second. */
async function readOn(page) {
  const holds = async (words) => {
    await page.locator(".state", { hasText: "paused" }).waitFor();
    const look = () =>
      page
        .getByRole("log")
        .evaluate((list) => `${list.scrollTop} ${list.textContent.slice(0, 2000)} ${getSelection()}`);
    const before = await look();
    await page.waitForTimeout(1000);
    if ((await look()) !== before) missed.push(`${words} did not hold`);
    await page.evaluate(() => getSelection().removeAllRanges());
    await page.getByRole("button", { name: "Go on" }).click();
    await page.locator(".state", { hasText: "live" }).waitFor();
  };
  await page.getByRole("button", { name: "Pause" }).click();
  await holds("a pause");
  await page
    .locator(".event .text")
    .last()
    .evaluate((element) => getSelection().selectAllChildren(element));
  await holds("a selection");
  await page.getByRole("log").hover();
  await page.mouse.wheel(0, -900);
  await holds("a place");
}

try {
  await service.call("/v1/datasets/flood/ingest", [{ message: "first" }]);
  const { page, faults } = await openPage(browser);
  await signIn(page, service.link);
  await page.goto(`${service.address}/stream?dataset=flood`);
  await page.getByText("first").first().waitFor();
  await page.locator(".state", { hasText: "live" }).waitFor();
  const feeding = feed();
  const seen = [];
  for (let step = 0; step <= (minutes * 60) / EVERY; step++) {
    seen.push({ heap: await heapOf(page), process: (await processMemory(browser)) ?? 0 });
    const [arrived, leftOut] = await figures(page);
    const { heap, process } = seen.at(-1);
    console.log(
      `${step * EVERY} s: ${sent} sent, ${arrived} arrived, ${leftOut} left out, ${heap.toFixed(1)} MB of the page, ${process.toFixed(0)} MB of its process`,
    );
    if (step % 6 === 3) await readOn(page);
    await page.waitForTimeout(EVERY * 1000);
  }
  isOver = true;
  await feeding;
  for (let tries = 0; tries < 100 && (await figures(page))[0] < sent; tries++) await page.waitForTimeout(100);
  const [arrived, leftOut] = await figures(page);
  if (arrived !== sent) missed.push(`${sent} were sent and ${arrived} counted`);
  if (sent < minutes * 60 * rate * 0.8) missed.push(`only ${sent} could be sent`);
  if (rate > 300 && (leftOut < sent * 0.5 || leftOut >= sent)) missed.push(`${leftOut} of ${sent} were left out`);
  // The list is full after half a minute; from then on nothing grows.
  const later = seen.slice(Math.ceil(60 / EVERY));
  for (const figure of ["heap", "process"]) {
    const half = Math.ceil(later.length / 2);
    const [first, last] = [later.slice(0, half), later.slice(half)].map((part) =>
      Math.min(...part.map((entry) => entry[figure])),
    );
    console.log(`${figure}: ${first.toFixed(1)} MB at least in the first half, ${last.toFixed(1)} in the second`);
    if (last > first * 1.2) missed.push(`${figure} grew from ${first.toFixed(1)} to ${last.toFixed(1)} MB`);
  }
  console.log(missed.length === 0 ? "flat, and all are counted" : missed.join("\n"), faults);
  process.exitCode = missed.length === 0 && faults.length === 0 ? 0 : 1;
} finally {
  isOver = true;
  await browser.close();
  await service.stop();
}
