// What is different: a brushed stretch against the rest, a condition against the rest, patterns of texts and those that
// are new.

import assert from "node:assert/strict";

const address = (service, parameters) => `${service.address}/explore?${new URLSearchParams(parameters)}`;

/** When the release of the demo events went out and when it was mended, in milliseconds. */
async function release(service) {
  const marks = await service.call("/v2/annotations?datasets=demo");
  const at = (version) => Date.parse(marks.find(({ title }) => title.includes(version)).time);
  return [at("2.4.0"), at("2.4.1")];
}

export function comparingTests(watched) {
  watched(
    "22: a brushed spike is compared: its release comes first, and a click filters",
    async ({ page, service }) => {
      const [released, mended] = await release(service);
      const [from, to] = [released - 7_200_000, mended + 3_600_000];
      const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      await page.goto(address(service, { q: "demo", ...range }));
      await page.locator(".row .cell").first().waitFor();
      const box = await page.locator(".histogram").boundingBox();
      const x = (time) => box.x + ((time - from) / (to - from)) * box.width;
      await page.mouse.move(x(released) + 2, box.y + 50);
      await page.mouse.down();
      await page.mouse.move(x(mended) - 2, box.y + 50, { steps: 6 });
      await page.mouse.up();
      await page.getByRole("button", { name: "Compare with the rest" }).click();
      await page.waitForURL(/brush=20/);
      await page.locator("article h3").first().waitFor({ timeout: 60_000 });
      const ranked = await page.locator("article h3").allTextContents();
      assert.equal(ranked[0], "version", ranked.join(" "));
      const card = page.locator("article").first();
      assert.equal(await card.locator("li button").first().textContent(), "2.4.0");
      await card.getByTitle(/^2\.4\.0: /).click();
      await page.locator(".chip", { hasText: 'version == "2.4.0"' }).waitFor();
    },
  );

  watched("22: comparing failures ranks what makes them, and a click filters", async ({ page, service }) => {
    const q = { q: "demo", from: "now-6h", to: "now", tab: "compare", group: "status >= 500" };
    await page.goto(address(service, q));
    await page.locator("article h3").first().waitFor({ timeout: 60_000 });
    const first = (await page.locator("article h3").allTextContents()).slice(0, 4);
    assert.ok(first.includes("status") || first.includes("level"), first.join(" "));
    await page
      .locator("article", { hasText: "level" })
      .first()
      .getByTitle(/^error/)
      .first()
      .click();
    await page.waitForURL(/level/);
  });

  watched("23: patterns have the counts of the text query, and filter", async ({ page, service }) => {
    const [released] = await release(service);
    const [from, to] = [released - 7_200_000, released].map((time) => new Date(time).toISOString());
    await page.goto(address(service, { q: "demo", tab: "patterns", from, to }));
    await page.locator("td.template").first().waitFor({ timeout: 60_000 });
    const shown = await page
      .locator("tbody tr td.number:first-child")
      .evaluateAll((cells) => cells.map((cell) => Number(cell.firstChild.textContent.replaceAll(",", ""))));
    const answer = await service.call("/v1/query/_apl?format=tabular", {
      apl: "demo | summarize n = count() by template(message) | top 200 by n",
      startTime: from,
      endTime: to,
    });
    const place = answer.tables[0].fields.findIndex(({ name }) => name === "n");
    assert.ok(shown.length > 3 && shown[0] > 100, shown.join());
    assert.deepEqual(shown, answer.tables[0].columns[place]);
    await page.getByRole("button", { name: "Only events of this pattern" }).first().click();
    await page.locator(".chip", { hasText: "template(message)" }).waitFor();
    await page.waitForFunction(
      (count) => Number(document.querySelector(".panel-row strong")?.textContent?.replaceAll(",", "")) === count,
      shown[0],
    );
  });

  watched("23: a pattern that the period before did not have is marked as new", async ({ page, service }) => {
    const now = Date.now();
    const lines = (count, ago, text) =>
      Array.from({ length: count }, (_, place) => ({
        _time: new Date(now - ago - place * 1000).toISOString(),
        message: text(place),
      }));
    await service.call("/v1/datasets/fresh/ingest", [
      ...lines(120, 5_400_000, (place) => `user ${place} has signed in`),
      ...lines(120, 1_800_000, (place) => `user ${place} has signed in`),
      ...lines(40, 900_000, (place) => `disk ${place} is full`),
    ]);
    const [from, to] = [now - 3_600_000, now].map((time) => new Date(time).toISOString());
    await page.goto(address(service, { q: "fresh", tab: "patterns", from, to }));
    const row = (text) => page.getByRole("row", { name: text });
    await row(/disk .* is full/)
      .getByText("new", { exact: true })
      .waitFor({ timeout: 60_000 });
    assert.equal(
      await row(/has signed in/)
        .getByText("new", { exact: true })
        .count(),
      0,
    );
    await page.getByLabel("Only those that the period before did not have").check();
    await row(/has signed in/).waitFor({ state: "detached" });
    assert.equal(await page.locator("td.template").count(), 1);
  });

  watched("23: patterns that are new since a release are told by its mark", async ({ page, service }) => {
    const now = Date.now();
    const lines = (count, ago, text) =>
      Array.from({ length: count }, (_, place) => ({
        _time: new Date(now - ago - place * 1000).toISOString(),
        message: text(place),
      }));
    await service.call("/v1/datasets/released/ingest", [
      ...lines(200, 2_400_000, (place) => `user ${place} has signed in`),
      ...lines(20, 2_400_000, (place) => `disk ${place} is full`),
      ...lines(100, 600_000, (place) => `user ${place} has signed in`),
      ...lines(20, 600_000, (place) => `disk ${place} is full`),
      ...lines(30, 600_000, (place) => `payment ${place} was refused`),
    ]);
    const time = new Date(now - 1_200_000).toISOString();
    const note = { datasets: ["released"], type: "release", time, title: "till 7", description: "" };
    await service.call("/v2/annotations", note);
    const [from, to] = [now - 3_600_000, now].map((moment) => new Date(moment).toISOString());
    await page.goto(address(service, { q: "released", from, to }));
    await page.getByRole("button", { name: /till 7/ }).click();
    await page.getByRole("button", { name: "Patterns that are new since" }).click();
    const isNew = (text) => page.getByRole("row", { name: text }).getByText("new", { exact: true });
    await isNew(/payment .* was refused/).waitFor();
    assert.equal(await isNew(/disk .* is full/).count(), 0);
    assert.equal(await isNew(/has signed in/).count(), 0);
    await page.getByLabel("Only those that nothing before it had").check();
    await page.getByRole("row", { name: /has signed in/ }).waitFor({ state: "detached" });
    // The link has it, and the same is chosen by hand.
    const chosen = new URL(page.url()).searchParams.get("since");
    assert.equal(Date.parse(chosen), Date.parse(time));
    await page.getByLabel("new since").selectOption({ label: "the period before" });
    await page.waitForURL((at) => !at.searchParams.has("since"));
    await page.getByRole("row", { name: /has signed in/ }).waitFor();
    await page.getByLabel("new since").selectOption({ index: 1 });
    await page.waitForURL((at) => at.searchParams.get("since") === chosen);
  });
}
