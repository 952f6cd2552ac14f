// Lists without a mouse: tokens, people and notifiers by Tab, arrows, Enter, Delete and Esc alone.

import assert from "node:assert/strict";

/** Where the focus is: the row, and the control in it. */
const focus = (page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    const row = at?.closest("tbody > tr");
    return {
      row: row?.cells[0]?.innerText.split("\n")[0]?.trim() ?? null,
      control: at === row ? null : (at?.getAttribute("aria-label") ?? at?.textContent?.trim() ?? null),
    };
  });

async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
  return focus(page);
}

/** From the field above a list by Tab into it. */
async function intoList(page, field) {
  await page.getByLabel(field).focus();
  for (let presses = 0; presses < 6; presses += 1) {
    const at = await press(page, "Tab");
    if (at.row !== null) return at;
  }
  throw new Error("Tab never came to the list");
}

export function listKeyTests(watched) {
  watched("40: tokens are gone through, renewed and deleted by keys", async ({ page, service }) => {
    for (const name of ["keys-a", "keys-b", "keys-c"])
      await service.call("/v2/tokens", { name, datasetCapabilities: { "*": { ingest: ["create"] } } });
    await page.goto(`${service.address}/tokens`);
    await page.getByLabel("Find a token").fill("keys-");
    await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 3);
    assert.deepEqual(await intoList(page, "Find a token"), { row: "keys-a", control: null });
    assert.equal((await press(page, "ArrowDown", "j")).row, "keys-c");
    assert.equal((await press(page, "Home")).row, "keys-a");
    assert.equal((await press(page, "End", "ArrowUp")).row, "keys-b");
    // What is known of it, and back to where one was.
    await press(page, "Enter");
    await page.getByRole("dialog").getByText("keys-b").first().waitFor();
    await press(page, "Escape");
    assert.equal((await focus(page)).row, "keys-b");
    assert.equal((await press(page, "ArrowRight", "ArrowRight")).control, "Regenerate keys-b");
    assert.equal((await press(page, "Escape")).control, null);
    assert.equal((await press(page, "Shift+F10")).control, "Regenerate keys-b");
    // One stop for Tab: what is in this row, and then out of the list.
    assert.equal((await press(page, "Tab")).control, "Delete keys-b");
    assert.equal((await press(page, "Tab")).row, null);
    await press(page, "Shift+Tab");
    await press(page, "Delete");
    await page.getByRole("dialog", { name: "Delete the token?" }).waitFor();
    assert.equal((await focus(page)).control, "Keep it");
    await press(page, "Tab", "Enter");
    await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 2);
    await page.waitForFunction(() => document.activeElement?.closest("tbody > tr") !== null);
    assert.equal((await focus(page)).row, "keys-c");
  });

  watched("40: a member's role is changed, and a member removed, by keys", async ({ page, service }) => {
    await service.call("/v2/users", { name: "Keyed", email: "keyed@example.com", role: "user" });
    await page.goto(`${service.address}/people`);
    await page.getByLabel("Find somebody").fill("keyed");
    await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
    assert.match((await intoList(page, "Find somebody")).row, /^Keyed/);
    // Enter goes into the one thing that can be changed here, whose arrows are its own.
    assert.equal((await press(page, "Enter")).control, "Role of Keyed");
    const saved = page.waitForResponse((answer) => answer.request().method() === "PUT" && answer.ok());
    await press(page, "ArrowDown");
    await saved;
    await page.getByText(/Keyed has the role .* now/).waitFor();
    const { id, role } = (await service.call("/v2/users")).find(({ name }) => name === "Keyed");
    assert.notEqual(role.id, "user");
    await page.waitForFunction(() => document.activeElement?.matches("tbody select, tbody tr"));
    assert.equal((await press(page, "Escape")).control, null);
    await press(page, "Delete");
    await page.getByRole("dialog", { name: "Remove Keyed?" }).waitFor();
    await press(page, "Tab", "Enter");
    await page.getByText("Keyed is no member any more.").waitFor();
    assert.ok(!(await service.call("/v2/users")).some((user) => user.id === id));
  });

  watched("40: a notifier is switched off, opened and deleted by keys", async ({ page, service }) => {
    for (const name of ["keyed one", "keyed two"])
      await service.call("/v2/notifiers", { name, properties: { webhook: { url: "http://127.0.0.1:9/keyed" } } });
    await page.goto(`${service.address}/notifiers`);
    await page.getByLabel("Find a notifier").fill("keyed");
    await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 2);
    assert.equal((await intoList(page, "Find a notifier")).row, "keyed one");
    // The menu of how long: its own keys, and Esc goes back to its button.
    assert.match((await press(page, "ArrowDown", "Shift+F10")).control, /^Switch off keyed two/);
    await press(page, "Enter");
    await page.getByRole("button", { name: "For 1 hour" }).waitFor();
    assert.match((await press(page, "Escape")).control, /^Switch off keyed two/);
    await press(page, "Enter");
    await page.getByRole("button", { name: "For 1 hour" }).waitFor();
    await press(page, "Enter");
    await page
      .getByRole("row", { name: /keyed two/ })
      .getByText("off", { exact: true })
      .waitFor();
    await page.getByLabel("Find a notifier").focus();
    await intoList(page, "Find a notifier");
    await press(page, "Home", "Delete");
    await page.getByRole("dialog", { name: "Delete the notifier?" }).waitFor();
    await press(page, "Tab", "Enter");
    await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
    await page.waitForFunction(() => document.activeElement?.closest("tbody > tr") !== null);
    await press(page, "Enter");
    await page.waitForURL(/\/notifiers\/.+/);
    await page.getByRole("heading", { name: "keyed two" }).waitFor();
  });
}
