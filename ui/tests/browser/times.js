// The zone of all times, which is changed everywhere at once, and days on which clocks are put back.

import assert from "node:assert/strict";
import { keepDrawnTexts, keepsTaste } from "./browser.js";

const explore = (service, parameters) => `${service.address}/explore?${new URLSearchParams(parameters)}`;

/** `04:30` of a time with or without its day. */
const clock = (text) => /\d\d:\d\d/.exec(text)[0];

/** The times on the screen: of the first row, the axis, the picker with what it says when pointed at, and a bar. */
async function times(page) {
  const box = await page.locator(".histogram").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 50);
  const tip = (await page.locator(".histogram .tip strong").textContent()).split(": ")[0];
  await page.mouse.move(box.x + box.width / 2, box.y - 60);
  const picker = page.getByRole("button", { name: /^Range of time/ });
  return {
    row: await page.locator(".row .time").first().textContent(),
    axis: await page.locator(".histogram .tick:not(.most)").first().textContent(),
    picker: await picker.locator(".shown").textContent(),
    exact: await picker.getAttribute("title"),
    tip,
  };
}

export function timeTests(watched) {
  watched("39: UTC and local change table, axis, picker and tooltip together", async ({ page, service }) => {
    const now = Math.floor(Date.now() / 60_000) * 60_000;
    const [from, to] = [now - 3 * 3_600_000, now - 60_000].map((time) => new Date(time).toISOString());
    await page.goto(explore(service, { q: "gen", from, to }));
    await page.locator(".row .time").first().waitFor();
    await page.locator(".histogram rect").first().waitFor();
    const utc = await times(page);
    await page.getByRole("button", { name: "UTC", exact: true }).click();
    await page.getByRole("button", { name: "Local", exact: true }).waitFor();
    const local = await times(page);
    for (const [name, text] of Object.entries(utc)) assert.notEqual(local[name], text, name);
    // The same moment, in the zone of the browser.
    assert.match(utc.exact, /Z to .*Z$/);
    assert.match(local.exact, /\+0[12]:00 to .*\+0[12]:00$/);
    assert.equal(Date.parse(local.exact.split(" to ")[0]), Date.parse(utc.exact.split(" to ")[0]));
    const [, hours] = /\+0([12])/.exec(local.exact);
    const hourOf = (text) => Number(/(\d\d):\d\d/.exec(text)[1]);
    for (const name of ["row", "tip"])
      assert.equal(hourOf(local[name]), (hourOf(utc[name]) + Number(hours)) % 24, `${utc[name]} and ${local[name]}`);
    // The picker offers the zone as well, and writes what is typed in it.
    await page.getByRole("button", { name: /^Range of time/ }).click();
    const typed = page.getByLabel("From", { exact: true });
    const before = await typed.inputValue();
    await keepsTaste(page, () => page.getByRole("button", { name: /^Times in/ }).click());
    await page.waitForFunction((old) => document.querySelector(".picker input")?.value !== old, before);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "UTC", exact: true }).waitFor();
    assert.deepEqual(await times(page), utc);
  });

  watched("39: where clocks are put back no hour is lost, in rows, bars and charts", async ({ context, service }) => {
    // In Vienna 25 October 2026 has 25 hours: from two to three comes twice.
    const start = Date.parse("2026-10-24T22:00:00Z");
    const events = Array.from({ length: 25 }, (_, hour) => ({
      _time: new Date(start + hour * 3_600_000 + 1_800_000).toISOString(),
      message: `hour ${hour}`,
    }));
    await service.call("/v1/datasets/clocks/ingest", events);
    const own = await context.newPage();
    await own.addInitScript(keepDrawnTexts);
    const range = { from: "2026-10-24T22:00:00Z", to: "2026-10-25T23:00:00Z" };
    await own.goto(explore(service, { q: "clocks", ...range }));
    await own.locator(".row .time").first().waitFor();
    await own.getByRole("button", { name: "UTC", exact: true }).click();
    await own.getByRole("button", { name: "Local", exact: true }).waitFor();
    await own.locator(".panel-row strong", { hasText: /^25$/ }).waitFor();
    const rows = (await own.locator(".row .time").allTextContents()).map((text) => clock(text));
    const wall = [
      "00:30",
      "01:30",
      "02:30",
      "02:30",
      ...Array.from({ length: 21 }, (_, hour) => `${String(hour + 3).padStart(2, "0")}:30`),
    ];
    assert.deepEqual(rows, wall.reverse());
    // Marks of the axis stand at round hours, as far apart as the hours between them.
    const marks = await own
      .locator(".histogram .tick:not(.most)")
      .evaluateAll((list) => list.map((mark) => [mark.textContent, Number(mark.getAttribute("x"))]));
    assert.ok(marks.length >= 4 && marks.every(([text]) => /^\d\d:00$/.test(text)), JSON.stringify(marks));
    const width = (await own.locator(".histogram").boundingBox()).width;
    for (const [text, x] of marks) {
      const hours = Number(text.slice(0, 2));
      const real = hours < 3 ? hours : hours + 1;
      assert.ok(Math.abs(x / width - real / 25) < 0.01, `${text} at ${x} of ${width}`);
    }
    await own.goto(
      explore(service, {
        q: "clocks | summarize count() by bin(_time, 1h)",
        from: "2026-10-24T23:00:00Z",
        to: "2026-10-25T04:00:00Z",
        chart: "bar",
      }),
    );
    await own.locator(".chart canvas").waitFor();
    const drawn = await own.evaluate(() => globalThis.drawnTexts);
    // The hour that comes twice is marked, and those around it.
    for (const hour of ["01:00", "02:00", "03:00", "04:00"])
      assert.ok(
        drawn.some((text) => text.startsWith(hour)),
        `${hour} is on the axis: ${drawn.join(" ")}`,
      );
    await own.getByRole("tab", { name: "Table" }).click();
    await own.locator(".row .time").first().waitFor();
    assert.deepEqual((await own.locator(".row .time").allTextContents()).map((text) => clock(text)).sort(), [
      "01:00",
      "02:00",
      "02:00",
      "03:00",
      "04:00",
    ]);
    await keepsTaste(own, () => own.getByRole("button", { name: "Local", exact: true }).click());
    await own.close();
  });
}
