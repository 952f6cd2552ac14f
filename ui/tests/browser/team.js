// Tokens, people and settings against the real service: what is shown once, what cannot be given, and a member who may
// only read, on every screen of the rail.

import assert from "node:assert/strict";
import { keepsTaste, openPage } from "./browser.js";
import { memberPage, PASSWORD } from "./members.js";

const bearer = (service, token, path) =>
  fetch(service.direct + path, { headers: { authorization: `Bearer ${token}` } }).then(({ status }) => status);

export function teamTests(watched) {
  watched("36: a token is shown once, works, and is gone when it is deleted", async ({ page, service }) => {
    await service.call("/v1/datasets/team/ingest", [{ message: "first" }]);
    await page.goto(`${service.address}/tokens`);
    await page.getByRole("button", { name: "New token" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("shipper on web-1");
    await page.getByRole("button", { name: /Send events only/ }).click();
    await page.getByLabel("Into").selectOption("team");
    await page.getByText("It may: send events on team.").waitFor();
    await page.getByRole("button", { name: "Make the token" }).click();
    const secret = await page.locator("[data-secret]").textContent();
    assert.match(secret, /^xaat-/);
    // Esc does not lose it, however often.
    for (let press = 0; press < 3; press++) await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Copy the token" }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), secret);
    await page.getByRole("button", { name: "I have it" }).click();
    const row = page.getByRole("row", { name: /shipper on web-1/ });
    await row.getByText("send events on team").waitFor();
    assert.doesNotMatch(await page.content(), new RegExp(secret.slice(5)));
    await page.reload();
    await row.waitFor();
    assert.doesNotMatch(await page.content(), new RegExp(secret.slice(5)));
    assert.equal(await bearer(service, secret, "/v2/users"), 403);
    if (await page.getByRole("columnheader", { name: "Last used" }).count()) {
      // What is refused is no use.
      const sent = await fetch(`${service.direct}/v1/datasets/team/ingest`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: '[{"message": "second"}]',
      });
      assert.equal(sent.status, 200);
      await page.reload();
      await row.getByText(/just now|\d+ s ago/).waitFor();
    }

    await row.getByRole("button", { name: "Regenerate" }).click();
    await page.getByLabel("The old one ends").selectOption({ label: "at once" });
    await page.getByRole("button", { name: "Regenerate", exact: true }).last().click();
    const second = await page.locator("[data-secret]").textContent();
    assert.notEqual(second, secret);
    await page.getByRole("button", { name: "I have it" }).click();
    assert.equal(await bearer(service, secret, "/v2/users"), 401);
    assert.equal(await bearer(service, second, "/v2/users"), 403);

    await page
      .getByRole("row", { name: /shipper on web-1.*in 90 d|shipper on web-1.*in \d+ d/ })
      .first()
      .waitFor();
    for (let left = await row.count(); left > 0; left -= 1) {
      await row.first().getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.waitForFunction(
        (count) => document.querySelectorAll('[aria-label^="Delete shipper"]').length === count,
        left - 1,
      );
    }
    assert.equal(await bearer(service, second, "/v2/users"), 401);
  });

  watched("36: capabilities that I lack cannot be chosen", async ({ service, browser }) => {
    const held = { apiTokens: ["create", "read", "delete"], monitors: ["read"] };
    const role = await service.call("/v2/rbac/roles", {
      name: "Token maker",
      orgCapabilities: held,
      datasetCapabilities: { team: { query: ["read"] } },
    });
    const { page, context, faults } = await memberPage(service, browser, "Maker", role.id);
    await page.goto(`${service.address}/tokens`);
    await page.getByRole("button", { name: "New token" }).first().click();
    const box = (name) => page.getByRole("checkbox", { name, exact: true });
    await box("The organisation, Monitors: read").waitFor();
    assert.equal(await box("The organisation, Monitors: read").isEnabled(), true);
    for (const name of [
      "Monitors: delete",
      "Members: read",
      "Usage and billing: update",
      "API tokens and clients: update",
    ])
      assert.equal(await box(`The organisation, ${name}`).isDisabled(), true, name);
    assert.equal(await box("All datasets, Query: read").isDisabled(), true);
    assert.equal(await page.getByRole("button", { name: /Send events only/ }).count(), 0);
    // The most that can be ticked is what is held, and the service takes it.
    await page.getByRole("button", { name: /Everything I may/ }).click();
    assert.equal(await box("Dataset team, Query: read").isChecked(), true);
    await page.getByLabel("Name", { exact: true }).fill("all of mine");
    await page.getByRole("button", { name: "Make the token" }).click();
    const secret = await page.locator("[data-secret]").textContent();
    assert.equal(await bearer(service, secret, "/v2/monitors"), 200);
    assert.equal(await bearer(service, secret, "/v2/users"), 403);
    await page.getByRole("button", { name: "I have it" }).click();
    // Without apiTokens|update nothing can be regenerated.
    assert.equal(await page.getByRole("button", { name: /^Regenerate/ }).count(), 0);
    assert.deepEqual(faults, []);
    await context.close();
  });

  watched(
    "people are added, invited by a link that is shown once, given roles and removed",
    async ({ page, service, browser }) => {
      await page.goto(`${service.address}/people`);
      await page.getByRole("button", { name: "Add somebody" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Grace");
      await page.getByLabel("E-mail address").fill("grace@example.com");
      await page.getByRole("button", { name: "Add and make the link" }).click();
      const link = await page.locator("[data-secret]").textContent();
      assert.match(link, /\/setup\//);
      await page.getByRole("button", { name: "I have it" }).click();
      const row = page.getByRole("row", { name: /Grace/ });
      await row.getByText("has not accepted").waitFor();
      const opened = await openPage(browser);
      await opened.page.goto(link.replace(new URL(link).origin, service.address));
      for (const field of await opened.page.locator('input[type="password"]').all()) await field.fill(PASSWORD);
      await opened.page.locator('main button[type="submit"]').first().click();
      await opened.page.waitForURL((address) => !address.pathname.startsWith("/setup"));
      await opened.context.close();
      await page.reload();
      await row.waitFor();
      assert.equal(await row.getByText("has not accepted").count(), 0);
      assert.equal(await row.getByRole("button", { name: /Invitation link/ }).count(), 0);
      await row.getByLabel("Role of Grace").selectOption("user");
      await page.getByText(/Grace has the role/).waitFor();
      // I am the last owner: nothing offers to change that.
      const own = page.getByRole("row", { name: /\byou\b/ });
      assert.equal(await own.getByRole("combobox").count(), 0);
      assert.equal(await own.getByRole("button").count(), 0);

      await page.getByRole("tab", { name: "Roles" }).click();
      await page.getByRole("button", { name: "New role" }).click();
      await page.getByLabel("Name", { exact: true }).fill("On call");
      await page.getByRole("checkbox", { name: "Grace" }).check();
      await page.getByRole("checkbox", { name: "The organisation, Notifiers: update", exact: true }).check();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("row", { name: /On call.*update notifiers/ }).waitFor();
      await page.getByRole("tab", { name: "Groups" }).click();
      await page.getByRole("button", { name: "New group" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Night shift");
      await page.getByRole("checkbox", { name: "On call" }).check();
      await page.getByRole("checkbox", { name: "Grace" }).check();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("row", { name: /Night shift.*On call.*Grace/ }).waitFor();
      const groups = await service.call("/v2/rbac/groups");
      assert.equal(groups.find(({ name }) => name === "Night shift").members.length, 1);

      await page.getByRole("tab", { name: /Members/ }).click();
      await row.getByRole("button", { name: "Remove Grace" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await row.waitFor({ state: "detached" });
      const users = await service.call("/v2/users");
      assert.ok(!users.some(({ name }) => name === "Grace"));
    },
  );

  watched("the audit trail is searched by who, what and outcome", async ({ page, service }) => {
    await service.call("/v2/notifiers", {
      name: "Searched for",
      properties: { webhook: { url: "https://example.com/hook" } },
    });
    await fetch(`${service.direct}/v2/notifiers`);
    await page.goto(`${service.address}/settings?tab=audit`);
    const rows = page.getByRole("table", { name: "Audit trail" }).locator("tbody tr");
    await page.getByLabel("What").fill("notifier.create searched");
    await page.getByText(/^1 found in/).waitFor();
    assert.equal(await rows.count(), 1);
    await rows.first().getByRole("button").click();
    await page.getByRole("dialog").getByText('"Searched for": webhook').waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("Who").fill("nobody at all");
    await page.getByText("Nothing in the trail fits").waitFor();
    // The search is in the address, so that a colleague sees the same.
    assert.equal(new URL(page.url()).searchParams.get("what"), "notifier.create searched");
    await page.getByLabel("Who").fill("");
    await page.getByLabel("Until").fill("2020-01-01");
    await page.getByText("Nothing in the trail fits").waitFor();
  });

  watched("OAuth clients: the secret is shown once, rotated and deleted", async ({ page, service }) => {
    await page.goto(`${service.address}/settings?tab=clients`);
    await page.getByRole("button", { name: "New client" }).click();
    await page.getByLabel(/^Name/).fill("Reports");
    await page.getByLabel(/Sign in with a browser/).uncheck();
    await page.getByLabel(/Stay signed in/).uncheck();
    await page.getByLabel(/Act for itself/).check();
    await page.getByRole("checkbox", { name: "All datasets, Query: read", exact: true }).check();
    await page.getByRole("button", { name: "Make the client" }).click();
    const secret = await page.locator("[data-secret]").textContent();
    const id = await page.getByRole("dialog").locator(".hint code").textContent();
    await page.getByRole("button", { name: "I have it" }).click();
    const ask = (text) =>
      fetch(`${service.direct}/oauth/token`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from(`${id}:${text}`).toString("base64")}` },
        body: new URLSearchParams({ grant_type: "client_credentials" }),
      }).then(({ status }) => status);
    assert.equal(await ask(secret), 200);
    await page.getByRole("button", { name: "New secret for Reports" }).click();
    await page.getByLabel("The present one ends").selectOption({ label: "at once" });
    await page.getByRole("button", { name: "Make a new secret" }).click();
    const second = await page.locator("[data-secret]").textContent();
    await page.getByRole("button", { name: "I have it" }).click();
    assert.deepEqual([await ask(secret), await ask(second)], [401, 200]);
    await page.getByRole("button", { name: "Delete Reports" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No program is registered").waitFor();
    assert.equal(await ask(second), 401);
  });

  watched("OAuth grants: what a program may is seen, and withdrawn at once", async ({ page, service }) => {
    const form = (path, fields) =>
      fetch(service.direct + path, {
        method: "POST",
        body: new URLSearchParams({ client_id: "tidegauge-cli", ...fields }),
      });
    const begun = await (await form("/oauth/device_authorization", { scope: "monitors|read" })).json();
    await page.goto(`${service.address}/device?user_code=${begun.user_code}`);
    await page
      .getByRole("button", { name: /allow|approve/i })
      .first()
      .click();
    await page.waitForLoadState();
    const polled = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: begun.device_code };
    const { access_token: token, refresh_token: refresh } = await (await form("/oauth/token", polled)).json();
    assert.equal(await bearer(service, token, "/v2/monitors"), 200);
    await page.goto(`${service.address}/settings?tab=grants`);
    const row = page.getByRole("row", { name: /tidegauge-cli/ });
    await row.getByText("monitors|read").waitFor();
    await row.getByRole("button", { name: /^End what/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Let it" }).click();
    await row.getByRole("button", { name: /^End what/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End it" }).click();
    await page.getByText("You have allowed no program to act for you").waitFor();
    assert.equal((await form("/oauth/token", { grant_type: "refresh_token", refresh_token: refresh })).status, 400);
    assert.equal(await bearer(service, token, "/v2/monitors"), 401);
  });

  watched("the organisation is renamed; preferences are kept", async ({ page, service }) => {
    await page.goto(`${service.address}/settings`);
    const name = page.getByLabel("Name", { exact: true });
    await name.waitFor();
    await name.fill("Harbour Watch");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { name: "Harbour Watch" }).waitFor();
    await page.getByRole("tab", { name: "Preferences" }).click();
    const letters = page.getByLabel("Single letters are keys");
    await keepsTaste(page, () => letters.uncheck());
    assert.equal((await service.call("/v2/user/preferences")).letterKeys, false);
    await page.keyboard.press("?");
    assert.equal(await page.getByRole("dialog").count(), 0);
    await keepsTaste(page, () => letters.check());
  });

  watched("usage is shown by day and dataset, beside the licence", async ({ page, service }) => {
    const { paths } = await service.call("/openapi.json");
    if (!paths["/v2/orgs/{id}/usage"]) return console.log("    not run: this binary does not tell usage");
    await service.call("/v1/datasets/used/ingest", [{ message: "x".repeat(3_000_000) }]);
    await service.call("/v1/query/_apl?format=tabular", { apl: "used | count" });
    await page.goto(`${service.address}/settings?tab=usage`);
    await page
      .getByRole("article", { name: "Events taken in" })
      .getByText(/of .*B · /)
      .waitFor();
    await page.getByText("No forecast yet: it needs three whole days.").first().waitFor();
    await page.getByRole("listitem").filter({ hasText: "used" }).first().waitFor();
    await page.getByRole("group", { name: /Days by dataset/ }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.getByText(new RegExp(`${new Date().toISOString().slice(0, 10)}.*used 3`)).waitFor();
    await page.getByRole("tab", { name: "Queries by day" }).click();
    await page.getByText(/divided among them/).waitFor();
    await page.locator(".legend li").first().waitFor();
    await page
      .getByRole("table", { name: "What is kept now" })
      .getByRole("row", { name: /used 1 / })
      .waitFor();
  });

  watched("37: who may only read sees no button that would be refused, on any screen", async ({ service, browser }) => {
    const { page, context, faults } = await memberPage(service, browser, "Looker", "read-only");
    const refused = [];
    page.on("response", (answer) => {
      if ([401, 403].includes(answer.status())) refused.push(`${answer.status()} ${answer.url()}`);
    });
    await page.goto(`${service.address}/explore`);
    const rail = page.getByRole("navigation", { name: "Screens" });
    await rail.getByRole("link", { name: "Explore", exact: true }).waitFor();
    await page.waitForFunction(() => document.querySelector(".initial")?.textContent === "L");
    const paths = await rail.locator("li a").evaluateAll((links) => links.map((link) => new URL(link.href).pathname));
    assert.ok(paths.includes("/settings") && paths.includes("/datasets"), paths.join(" "));
    assert.ok(!paths.includes("/tokens") && !paths.includes("/people"), paths.join(" "));
    const changing =
      /^(new|add|make|delete|remove|change|rename|regenerate|rotate|save|star|invit|edit|mute|resolve|trim|vacuum|load demo)/i;
    // What a reader may do: frames of their own screen, their own files and preferences.
    const own = /^(add (this )?filter|add column|new events?)/i;
    for (const path of [...paths, "/datasets/team", "/tokens", "/people"]) {
      await page.goto(service.address + path);
      await page.locator("main h1, main h2, main header").first().waitFor();
      await page.waitForTimeout(400);
      const tabs = await page.getByRole("main").getByRole("tab").count();
      for (let tab = 0; tab < Math.max(1, tabs); tab += 1) {
        if (tabs > 0) await page.getByRole("main").getByRole("tab").nth(tab).click();
        await page.waitForTimeout(200);
        const names = await page
          .getByRole("main")
          .getByRole("button")
          .evaluateAll((buttons) =>
            buttons
              .filter((button) => !button.disabled)
              .map((button) => (button.getAttribute("aria-label") ?? button.textContent ?? "").trim()),
          );
        const offered = names.filter((name) => changing.test(name) && !own.test(name));
        assert.deepEqual(offered, [], `${path}, tab ${tab}`);
      }
    }
    await page.goto(`${service.address}/settings`);
    await page.getByRole("tab", { name: "Preferences" }).waitFor();
    for (const name of ["Usage", "Audit trail", "OAuth clients"])
      assert.equal(await page.getByRole("tab", { name }).count(), 0, name);
    // No screen tried something that this person may not.
    assert.deepEqual(refused, []);
    assert.deepEqual(faults, []);
    await context.close();
  });
}
