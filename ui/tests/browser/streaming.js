// The stream while somebody works with it: what is selected or scrolled to stays, filters and marks count for what arrives,
// and a hidden page stops.

import assert from "node:assert/strict";
import { hide } from "./boards.js";

const stream = (service, parameters) => `${service.address}/stream?${new URLSearchParams(parameters)}`;

/** Sends events until it is told to end; `sent` says how many came. */
function feed(service, dataset, make, everyMs = 100) {
  const feeding = { sent: 0, isOver: false };
  const run = async () => {
    while (!feeding.isOver) {
      const events = make(feeding.sent);
      await service.call(`/v1/datasets/${dataset}/ingest`, events);
      feeding.sent += events.length;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  };
  const done = run();
  return {
    ...feeding,
    get sent() {
      return feeding.sent;
    },
    async end() {
      feeding.isOver = true;
      await done;
    },
  };
}

/** Waits until the stream follows what arrives. */
export const live = (page) => page.locator(".state", { hasText: "live" }).waitFor();

export function streamingTests(watched) {
  watched("26: what is selected or scrolled to stays while events arrive", async ({ page, service }) => {
    const lines = (from) => Array.from({ length: 10 }, (_, place) => ({ message: `line ${from + place}.` }));
    await service.call(
      "/v1/datasets/steady/ingest",
      Array.from({ length: 80 }, (_, place) => ({ message: `early ${place}.` })),
    );
    await page.goto(stream(service, { dataset: "steady" }));
    await page.getByText("early 79.").waitFor();
    await live(page);
    // Lines of one moment stand in the order in which they were sent, the newest at the end.
    const places = (await page.locator(".event .text").allTextContents()).map((text) =>
      Number(/early (\d+)/.exec(text)?.[1]),
    );
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
    );
    const feeding = feed(service, "steady", lines);
    await page
      .getByText(/line \d+\./)
      .first()
      .waitFor();

    // Three words of a line are selected, as somebody does who copies them.
    const chosen = page.locator(".event .text", { hasText: "early 79." });
    await chosen.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
    });
    await page.locator(".state", { hasText: "paused" }).waitFor();
    const place = (await chosen.boundingBox()).y;
    const before = feeding.sent;
    await page.waitForFunction(
      (count) =>
        Number(/[\d,]+/.exec(document.querySelector("button.new")?.textContent ?? "")?.[0].replaceAll(",", "")) >=
        count,
      60,
    );
    assert.ok(feeding.sent > before);
    assert.equal((await chosen.boundingBox()).y, place);
    assert.match(await page.evaluate(() => getSelection().toString()), /early 79\./);
    await page.evaluate(() => getSelection().removeAllRanges());
    await page.getByRole("button", { name: /new below/ }).click();
    await live(page);

    // Whoever scrolls up reads on there.
    const list = page.getByRole("log");
    await list.hover();
    await page.mouse.wheel(0, -600);
    await page.locator(".state", { hasText: "paused" }).waitFor();
    const top = () => list.evaluate((element) => element.scrollTop);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const [scrolled, seen] = [await top(), await page.locator(".event").nth(3).textContent()];
    await page.getByRole("button", { name: /\d new below/ }).waitFor();
    const counted = feeding.sent;
    while (feeding.sent < counted + 50) await page.waitForTimeout(50);
    assert.equal(await top(), scrolled);
    assert.equal(await page.locator(".event").nth(3).textContent(), seen);
    await page.keyboard.press("Space");
    await live(page);
    await feeding.end();
    await page.getByText(`line ${feeding.sent - 1}.`).waitFor();
  });

  watched("a stream is filtered while it goes on; a mistake is said; words are marked", async ({ page, service }) => {
    await service.call("/v1/datasets/mixed/ingest", [{ message: "begin", level: "info" }]);
    await page.goto(stream(service, { dataset: "mixed" }));
    await page.getByText("begin").waitFor();
    await live(page);
    const feeding = feed(service, "mixed", (from) => [
      { message: `fine ${from}`, level: "info" },
      { message: `broken ${from} by a timeout`, level: "error" },
    ]);
    await page
      .getByText(/^fine \d+/)
      .first()
      .waitFor();
    await page.getByLabel("Filter", { exact: true }).fill('level == "err');
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Filter", { exact: true }).fill('level == "error"');
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.waitForURL(/where=level/);
    await page
      .getByText(/^broken \d+/)
      .first()
      .waitFor();
    const after = feeding.sent;
    while (feeding.sent < after + 20) await page.waitForTimeout(50);
    await page.getByText(`broken ${after} by`).first().waitFor();
    assert.equal(await page.getByText(/^fine \d+/).count(), 0);
    await page.getByLabel("Mark words").fill("timeout");
    await page.locator(".event mark", { hasText: "timeout" }).first().waitFor();
    assert.equal(new URL(page.url()).searchParams.get("mark"), "timeout");
    // Opening an event pauses; a value of it narrows further.
    await page.locator(".event .line").first().click();
    await page.locator(".state", { hasText: "paused" }).waitFor();
    await feeding.end();
    await page.getByRole("link", { name: "Explore", exact: true }).last().click();
    await page.waitForURL(/\/explore\?/);
    assert.match(new URL(page.url()).searchParams.get("q"), /where level == "error"/);
  });

  watched("a stream in a hidden tab stops, and follows again when it is seen", async ({ page, service }) => {
    await page.goto(stream(service, { dataset: "mixed" }));
    await live(page);
    const ended = page.waitForEvent("requestfailed", (request) => request.url().includes("/v1/query/tail"));
    await hide(page, "hidden");
    await ended;
    await service.call("/v1/datasets/mixed/ingest", [{ message: "while it was hidden" }]);
    const asked = [];
    page.on("request", (request) => request.url().includes("/v1/query") && asked.push(request.url()));
    await page.waitForTimeout(1500);
    assert.deepEqual(asked, [], "a hidden page asks nothing");
    await hide(page, "visible");
    await page.getByText("while it was hidden").waitFor();
    await live(page);
    await service.call("/v1/datasets/mixed/ingest", [{ message: "seen again" }]);
    await page.getByText("seen again").waitFor();
    page.removeAllListeners("request");
  });
}
