// Dashboards that are changed: by mouse and keys, with versions, without going over what others saved; and their list.

import assert from "node:assert/strict";
import { board, cellOf, EVENTS, put, read, textOf } from "./boards.js";

export function changedDashboardTests(watched) {
  watched(
    "32: changing one note leaves everything else of a client's document as it was",
    async ({ page, service }) => {
      const before = (await read(service, "all-charts")).dashboard;
      await page.goto(`${service.address}/dashboards/all-charts?edit=1&chart=note-1`);
      await page.getByLabel("Text, in Markdown").fill("It is **you**");
      await page.getByRole("button", { name: "Apply" }).click();
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByLabel("What is it about?").fill("who is on call");
      await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved.").waitFor();
      const after = await read(service, "all-charts");
      const expected = structuredClone(before);
      expected.charts[9].text = "It is **you**";
      assert.deepEqual(after.dashboard, expected);
      assert.deepEqual(Object.keys(after.dashboard), Object.keys(before));
      assert.match((await textOf(service, "all-charts")).text, /9007199254740993/);
      const versions = await service.call("/v2/dashboards/uid/all-charts/versions");
      assert.equal(versions[0].message, "who is on call");
    },
  );

  watched("dashboards: a version is looked at and brought back", async ({ page, service }) => {
    await page.goto(`${service.address}/dashboards/all-charts`);
    await page.getByRole("button", { name: "More about this dashboard" }).click();
    await page.getByRole("button", { name: "Versions" }).click();
    const row = page.getByRole("dialog").locator("tr").nth(2);
    await row.getByRole("button", { name: "What changed since" }).click();
    await page.getByRole("dialog").getByText("Note without a name").waitFor();
    await row.getByRole("button", { name: "Bring back" }).click();
    await page.getByText(/Version 1 is back, as version 3/).waitFor();
    await page.getByText("see the wiki").waitFor();
  });

  watched("31: panels are moved and sized by keys, with undo; by mouse too", async ({ page, service }) => {
    const charts = ["a", "b", "c"].map((id) => ({ id, type: "Note", name: `Note ${id}`, text: id }));
    const layout = [
      { i: "a", x: 0, y: 0, w: 4, h: 4 },
      { i: "b", x: 4, y: 0, w: 4, h: 4 },
      { i: "c", x: 0, y: 4, w: 8, h: 4 },
    ];
    await put(service, "moves", board("Moves", charts, layout));
    await page.goto(`${service.address}/dashboards/moves`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const handle = page.locator('[data-handle="b"]');
    await handle.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("Shift+ArrowDown");
    assert.equal(await handle.evaluate((element) => element === document.activeElement), true);
    await page.getByText("Note b: column 7, row 1, 5 wide, 5 high").waitFor({ state: "attached" });
    // Down is behind the neighbour below, and the focus stays although the place in the page changes.
    await page.locator('[data-handle="a"]').focus();
    await page.keyboard.press("ArrowDown");
    await page.getByText(/Note a: column 1, row \d+, 4 wide/).waitFor({ state: "attached" });
    assert.equal(await page.evaluate(() => document.activeElement.dataset.handle), "a");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Redo" }).isEnabled();
    // By mouse: the corner of c is drawn two columns to the right and a row down.
    const corner = await cellOf(page, "c").locator(".corner").boundingBox();
    const column = (await page.locator(".grid").boundingBox()).width / 12;
    await page.mouse.move(corner.x + 6, corner.y + 6);
    await page.mouse.down();
    await page.mouse.move(corner.x + 6 + 2 * column, corner.y + 6 + 52, { steps: 6 });
    await page.mouse.up();
    const head = await cellOf(page, "a").locator("h3").boundingBox();
    await page.mouse.move(head.x + 5, head.y + 5);
    await page.mouse.down();
    await page.mouse.move(head.x + 5 + 8 * column, head.y + 5, { steps: 6 });
    await page.keyboard.press("Escape");
    await page.mouse.up();
    await page.keyboard.press("Control+s");
    await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.").waitFor();
    const saved = Object.fromEntries(
      (await read(service, "moves")).dashboard.layout.map(({ i, x, y, w, h }) => [i, [x, y, w, h]]),
    );
    assert.deepEqual(saved, { a: [0, 0, 4, 4], b: [6, 0, 5, 5], c: [0, 5, 10, 5] });
  });

  watched(
    "31: who saved first is not written over: both versions are shown, and one is chosen",
    async ({ page, service }) => {
      const change = async (text) => {
        await page.getByRole("button", { name: "Change Note a" }).click();
        await page.getByLabel("Text, in Markdown").fill(text);
        await page.getByRole("button", { name: "Apply" }).click();
      };
      const save = async () => {
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
      };
      const byOther = async (text) => {
        const { version, dashboard } = await read(service, "moves");
        dashboard.charts[1].text = text;
        await service.call("/v2/dashboards/uid/moves", { version, dashboard }, "PUT");
      };
      await page.goto(`${service.address}/dashboards/moves?edit=1`);
      await change("mine");
      await byOther("theirs");
      await save();
      const dialog = page.getByRole("dialog", { name: "Somebody else saved this dashboard" });
      await dialog.getByRole("region", { name: "Their version" }).getByText("Note b").waitFor();
      await dialog.getByRole("region", { name: "Your version" }).getByText("Note a").waitFor();
      await dialog.getByRole("button", { name: "Take theirs, drop mine" }).click();
      await page.getByText("theirs").waitFor();
      assert.equal(await page.getByText("mine", { exact: true }).count(), 0);
      await change("mine again");
      await byOther("theirs again");
      await save();
      await dialog.getByRole("button", { name: "Save mine over theirs" }).click();
      await page.getByText("Saved.").waitFor();
      const { dashboard } = await read(service, "moves");
      assert.deepEqual(
        dashboard.charts.map(({ text }) => text),
        ["mine again", "theirs", "c"],
      );
    },
    [/412/],
  );

  watched("dashboards: changes that were not saved are there after a reload", async ({ page, service }) => {
    await page.goto(`${service.address}/dashboards/moves?edit=1`);
    await page.getByRole("button", { name: "Remove Note c" }).click();
    page.once("dialog", (dialog) => dialog.accept());
    await page.reload();
    await page.getByRole("button", { name: "Go on with them" }).click();
    await page.getByRole("button", { name: "Change Note a" }).waitFor();
    assert.equal(await cellOf(page, "c").count(), 0);
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
    await cellOf(page, "c").waitFor();
  });

  watched(
    "dashboards: made, filled, duplicated, taken out, brought in and deleted from the list",
    async ({ page, service }) => {
      await page.goto(`${service.address}/dashboards`);
      await page.getByRole("button", { name: "New dashboard" }).first().click();
      await page.getByLabel("Name", { exact: true }).fill("Made by hand");
      await page.getByRole("button", { name: "Make it" }).click();
      await page.getByRole("button", { name: "Add a panel" }).first().click();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: /^Number/ })
        .click();
      await page.locator(".cm-content").waitFor();
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+a");
      await page.keyboard.type(`${EVENTS} | where strln(path) > 1`);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+Enter");
      await page
        .locator(".preview")
        .getByText(/strlen/)
        .waitFor();
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+a");
      await page.keyboard.type(`${EVENTS} | take 7 | count`);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+Enter");
      await page.locator(".preview .value").getByText("7", { exact: true }).waitFor();
      await page.getByLabel("Name", { exact: true }).fill("All events");
      await page.getByLabel("Unit").selectOption("Custom");
      await page.getByLabel("Word behind the number").fill("events");
      await page.getByRole("button", { name: "Apply" }).click();
      await page.locator(".card .value").getByText("7 events").waitFor();
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved.").waitFor();

      await page.goto(`${service.address}/dashboards`);
      await page.getByLabel("Find a dashboard").fill("by hand");
      const menu = (name) => page.getByRole("button", { name: `Menu of ${name}`, exact: true }).click();
      await menu("Made by hand");
      await page.getByRole("button", { name: "Duplicate" }).click();
      await page.getByRole("link", { name: "Made by hand (copy)" }).waitFor();
      await menu("Made by hand");
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Export as JSON" }).click(),
      ]);
      const path = await download.path();
      await menu("Made by hand");
      await page.getByRole("button", { name: "Delete…" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByRole("link", { name: "Made by hand", exact: true }).waitFor({ state: "detached" });
      await page.locator('input[type="file"]').setInputFiles(path);
      await page.getByRole("link", { name: "Made by hand", exact: true }).click();
      await page.locator(".card .value").getByText("7 events").waitFor();
      await page.goto(`${service.address}/dashboards`);
      await page
        .locator('input[type="file"]')
        .setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from('{"a": 1}') });
      await page.getByText(/the file has no dashboard/).waitFor();
    },
  );

  watched("37: who may only read sees no button that would be refused", async ({ page, service }) => {
    await page.route("**/v2/user/capabilities", (route) =>
      route.fulfill({ json: { org: { dashboards: ["read"] }, datasets: { "*": { query: ["read"] } }, views: {} } }),
    );
    await page.goto(`${service.address}/dashboards`);
    await page.getByRole("link", { name: "Moves" }).waitFor();
    assert.equal(await page.getByRole("button", { name: /New dashboard|Import/ }).count(), 0);
    await page.getByRole("button", { name: "Menu of Moves" }).click();
    assert.equal(await page.getByRole("button", { name: /Duplicate|Delete/ }).count(), 0);
    await page.goto(`${service.address}/dashboards/moves?edit=1`);
    await cellOf(page, "a").waitFor();
    await page.getByRole("button", { name: "More about this dashboard" }).waitFor();
    assert.equal(
      await page.getByRole("button", { name: /^(Edit|Save|Settings|Add a panel|Remove|Change)/ }).count(),
      0,
    );
    await page.unroute("**/v2/user/capabilities");
  });

  watched(
    "dashboards: three come with the demo events, and what somebody made of one stays",
    async ({ page, service }) => {
      const load = async () => {
        // Fresh ones are offered where there are none.
        const datasets = await service.call("/v2/datasets");
        if (datasets.some(({ name }) => name === "demo")) await service.call("/v2/datasets/demo", undefined, "DELETE");
        await page.goto(`${service.address}/start`);
        await page.getByRole("button", { name: "Load demo events" }).click();
        await page.waitForURL(/\/explore/, { timeout: 60_000 });
      };
      await load();
      for (const [uid, count] of [
        ["demo-services", 10],
        ["demo-visitors", 8],
        ["demo-log", 4],
      ]) {
        await page.goto(`${service.address}/dashboards/${uid}`);
        const cards = page.locator(".card");
        await cards.nth(count - 1).waitFor();
        for (const card of await cards.all()) await card.scrollIntoViewIfNeeded();
        await page.waitForFunction(() => document.querySelectorAll("[aria-busy=true], .waiting").length === 0);
        assert.equal(await page.locator(".problem, .nothing").count(), 0, uid);
      }
      const { version, dashboard } = await read(service, "demo-log");
      await service.call("/v2/dashboards/uid/demo-log", { version, dashboard: { ...dashboard, name: "Ours" } }, "PUT");
      await load();
      assert.equal((await read(service, "demo-log")).dashboard.name, "Ours");
    },
  );
}
