// While events arrive: no row twice and none missing, a stream that leaves out and says how much, mends by a click, copies
// of exact numbers, values that are looked at only when a field is opened.

import assert from "node:assert/strict";
import { openPage, until } from "./browser.js";

const address = (service, parameters) =>
  `${service.address}/explore?${new URLSearchParams({ from: "now-6h", to: "now", ...parameters })}`;

export function arrivingTests(watched) {
  watched("18: pages neither repeat nor skip rows while events arrive", async ({ page, service }) => {
    const numbered = (from, count, ago) =>
      Array.from({ length: count }, (_, place) => ({
        _time: new Date(Date.now() - ago + place).toISOString(),
        message: `row ${from + place}.`,
      }));
    await service.call("/v1/datasets/rows/ingest", numbered(0, 3000, 60_000));
    await page.goto(address(service, { q: "rows", from: "now-1h" }));
    await page.locator(".row .cell").first().waitFor();
    const seen = new Map();
    const read = async () => {
      const rows = await page
        .locator(".viewport .row")
        .evaluateAll((list) =>
          list.map((row) => [Number(row.getAttribute("aria-rowindex")), /row (\d+)\./.exec(row.textContent)?.[1]]),
        );
      for (const [index, number] of rows) {
        if (number === undefined) continue;
        const before = seen.get(index);
        assert.ok(before === undefined || before === number, `row ${index} was ${before} and became ${number}`);
        seen.set(index, number);
      }
    };
    for (let step = 0; step < 400; step++) {
      await read();
      // Newer ones come in front, late ones in the middle.
      if (step % 10 === 0)
        await service.call("/v1/datasets/rows/ingest", [
          ...numbered(100_000 + step, 3, 0),
          ...numbered(200_000 + step, 2, 3_000_000),
        ]);
      const isAtEnd = await page.locator(".viewport").evaluate(async (element) => {
        element.scrollTop += element.clientHeight - 60;
        // What is drawn follows the scrolling in the next frames.
        for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(() => resolve()));
        return element.scrollTop + element.clientHeight >= element.scrollHeight - 2;
      });
      await page.waitForFunction(() => !document.querySelector(".viewport .coming"));
      if (isAtEnd) break;
    }
    await read();
    const found = [...seen.values()].map(Number);
    assert.equal(new Set(found).size, found.length, "no row twice");
    const first = new Set(found.filter((number) => number < 3000));
    assert.equal(first.size, 3000, "none missing");
  });

  watched(
    "26: of a flood the stream shows a part and counts the rest; what is paused holds still",
    async ({ page, service }) => {
      await service.call("/v1/datasets/flood/ingest", [{ message: "first" }]);
      await page.goto(`${service.address}/stream?dataset=flood`);
      await page.getByText("first").first().waitFor();
      let sent = 0;
      const send = async (seconds) => {
        for (let part = 0; part < seconds * 4; part++) {
          await service.call(
            "/v1/datasets/flood/ingest",
            Array.from({ length: 250 }, (_, place) => ({ message: `flood ${sent + place}` })),
          );
          sent += 250;
          await page.waitForTimeout(200);
        }
      };
      await send(5);
      const figures = () =>
        page
          .locator(".rates")
          .evaluate((element) => element.title.match(/\d[\d,]*/g).map((text) => Number(text.replaceAll(",", ""))));
      await until(page, "all are counted", async () => (await figures())[0] >= sent);
      const [arrived, leftOut] = await figures();
      assert.equal(arrived, sent, "all are counted");
      assert.ok(leftOut > 0 && leftOut < arrived, `${leftOut} of ${arrived} left out`);
      await page.getByRole("button", { name: "Pause" }).click();
      const top = await page.locator(".event").first().textContent();
      const before = await page.locator(".event").count();
      await send(2);
      await page.getByRole("button", { name: /new below/ }).waitFor();
      assert.equal(await page.locator(".event").count(), before);
      assert.equal(await page.locator(".event").first().textContent(), top);
      assert.ok(before <= 5000);
    },
  );

  watched("9: a mistake is mended by a click too", async ({ page, service }) => {
    await page.goto(address(service, { q: "gen | where strln(path) > 1" }));
    await page.getByRole("button", { name: "Write strlen" }).click();
    await page.waitForURL(/strlen/);
    await page.locator(".row .cell").first().waitFor();
  });

  watched("11: a click on a bar goes into it, and back restores", async ({ page, service }) => {
    await page.goto(address(service, { q: "gen" }));
    await page.locator(".histogram rect").first().waitFor();
    const box = await page.locator(".histogram").boundingBox();
    await page.mouse.click(box.x + box.width * 0.6, box.y + 70);
    await page.waitForURL(/from=2/);
    await page.goBack();
    await page.waitForURL(/from=now-6h/);
  });

  watched("12: values of a field are asked for only when it is opened", async ({ page, service }) => {
    let asked = 0;
    page.on("request", (request) => {
      if (request.url().includes("/v1/query/fields")) asked += 1;
    });
    await page.goto(address(service, { q: "gen" }));
    await page.locator(".row .cell").first().waitFor();
    assert.equal(asked, 0);
    await page.locator('.field button[title^="status "]').click();
    await page.getByRole("button", { name: "Only 200", exact: true }).waitFor();
    assert.equal(asked, 1);
    page.removeAllListeners("request");
  });

  watched("14: an integer beyond 2^53 is copied exactly", async ({ page, service }) => {
    await page.goto(address(service, { q: "odd" }));
    await page.locator(".row").first().click();
    await page.locator(".line", { hasText: "9007199254740993" }).hover();
    await page.getByRole("button", { name: "Copy the value of big" }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "9007199254740993");
  });

  watched("23: a pattern is left out by a click", async ({ page, service }) => {
    await page.goto(address(service, { q: "gen", tab: "patterns" }));
    await page.locator("td.template").first().waitFor();
    const name = page.locator("td.template").first();
    const shown = await name.evaluate((cell) =>
      cell.textContent.replace(cell.querySelector(".example").textContent, ""),
    );
    await page.getByRole("button", { name: "No events of this pattern" }).first().click();
    await page.locator(".chip", { hasText: "template(message) !=" }).waitFor();
    await page.waitForFunction((text) => {
      const cells = [...document.querySelectorAll("td.template")];
      return cells.length > 0 && !cells.some((cell) => cell.textContent.startsWith(text));
    }, shown);
  });

  watched(
    "asking again by itself shows what came, and holds while somebody reads",
    async ({ browser, context, service }) => {
      const { page, context: apart, faults } = await openPage(browser);
      await apart.addCookies(await context.cookies());
      await page.clock.install();
      await page.goto(address(service, { q: 'rows | where message == "later"', from: "now-1h", refresh: "15" }));
      await page.getByText(/No event fits|No rows/).waitFor();
      await service.call("/v1/datasets/rows/ingest", [{ message: "later" }]);
      await page.clock.runFor(20_000);
      await page.locator(".row", { hasText: "later" }).waitFor();
      await page.locator(".row").first().click();
      await service.call("/v1/datasets/rows/ingest", [{ message: "later" }]);
      await page.clock.runFor(40_000);
      assert.equal(await page.locator(".row").count(), 1, "what is read stays");
      await page.locator(".row").first().click();
      await page.clock.runFor(20_000);
      await page.locator(".row").nth(1).waitFor();

      // How many came meanwhile is said, and they are taken by a press or a key.
      const mark = page.getByRole("button", { name: /^\d+ new$/ });
      for (const [take, rows] of [
        [() => mark.click(), 4],
        [() => page.keyboard.press("n"), 6],
      ]) {
        // The clock of the page was put forward; with the next answer it knows again what time it is for the service,
        // to the second.
        await page.waitForTimeout(1100);
        const answered = page.waitForResponse((answer) => /includeCursorField/.test(answer.request().postData() ?? ""));
        await page.getByRole("button", { name: /^Run/ }).click();
        await (await answered).finished();
        await page.getByRole("button", { name: /^Run/ }).waitFor();
        await page
          .locator(".row")
          .nth(rows - 3)
          .waitFor();
        await page.locator(".row").first().click();
        await page.locator(".event").first().waitFor();
        await service.call("/v1/datasets/rows/ingest", [{ message: "later" }, { message: "later" }, { message: "no" }]);
        await until(page, "two are new", async () => {
          await page.clock.runFor(16_000);
          return (await mark.count()) > 0 && (await mark.textContent()).trim() === "2 new";
        });
        assert.equal(await page.locator(".row").count(), rows - 2, "what is read stays");
        await take();
        await page
          .locator(".row")
          .nth(rows - 1)
          .waitFor();
        await mark.waitFor({ state: "detached" });
      }
      assert.deepEqual(faults, []);
      await apart.close();
    },
  );

  watched(
    "behind a proxy that holds streams back, Explore answers and Stream goes on after 25 seconds",
    async ({ browser, context, service }) => {
      await service.call("/v1/datasets/behind/ingest", [{ message: "through the proxy" }]);
      const { page, context: apart, faults } = await openPage(browser);
      await apart.addCookies(await context.cookies());
      await page.clock.install();
      let held = 0;
      await page.route(/\/v1\/query\//, (route) => {
        if (route.request().headers().accept !== "text/event-stream") return route.continue();
        // Never answered, as of an answer that is gathered and has no end.
        held += 1;
      });
      const passes = async () => {
        await until(page, "a stream is asked for", async () => held > 0);
        await page.clock.runFor(26_000);
      };
      await page.goto(address(service, { q: "behind", from: "now-1h" }));
      await passes();
      await page.locator(".row", { hasText: "through the proxy" }).waitFor();
      // Now the page knows: what it asks next is there at once.
      await page.getByRole("button", { name: /^Run/ }).waitFor();
      const before = held;
      await page.getByRole("button", { name: /^Run/ }).click();
      await page.locator(".row", { hasText: "through the proxy" }).waitFor();
      assert.equal(held, before);

      held = 0;
      await page.goto(`${service.address}/stream?dataset=behind`);
      await passes();
      await page.getByText("through the proxy").waitFor();
      await page.getByText(/one that arrives late, with an older time, is not/).waitFor();
      await service.call("/v1/datasets/behind/ingest", [{ message: "while it polls" }]);
      await until(page, "the new event is there", async () => {
        await page.clock.runFor(1000);
        return (await page.getByText("while it polls").count()) > 0;
      });
      assert.deepEqual(faults, []);
      await apart.close();
    },
  );
}
