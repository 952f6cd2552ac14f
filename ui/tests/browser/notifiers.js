// Notifiers: a test with its result, messages that were given up and are sent again, secrets that are not drawn, and the
// snippets that check signatures, run against a real message.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { startReceiver } from "./receiver.js";

export function notifierTests(watched) {
  watched("35: a test shows status and latency; a dead letter is sent again", async ({ page, service }) => {
    const receiver = await startReceiver();
    try {
      await page.goto(`${service.address}/notifiers`);
      await page.getByRole("link", { name: "New notifier" }).first().click();
      await page.getByLabel("Name").fill("On call");
      await page.getByLabel("Channel").selectOption("webhook");
      await page.getByLabel("Address").fill(receiver.address);
      await page.getByRole("button", { name: "Save the notifier" }).click();
      await page.getByRole("heading", { name: "On call" }).waitFor();
      await page.getByText("No message yet").waitFor();
      await page.getByRole("button", { name: "Test" }).click();
      await page.getByText(/^Test sent: 200 · \d+ ms$/).waitFor();
      assert.equal(receiver.received.length, 1);

      receiver.answer(404);
      await page.getByRole("button", { name: "Test" }).click();
      await page.getByText(/^Test not sent: 404 · \d+ ms/).waitFor();
      const dead = page.getByRole("table", { name: "Messages" }).locator("tr", { hasText: "dead" });
      await dead.getByRole("button", { name: /1 attempt, 404/ }).click();
      await page.getByText("the server answers 404").first().waitFor();
      receiver.answer(200);
      await dead.getByRole("button", { name: "Send again" }).click();
      await page.getByRole("button", { name: /2 attempts, last 200/ }).waitFor();
      const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
      assert.equal(ids.length, 3);
      assert.equal(ids[1], ids[2], "the same message");

      await page.getByRole("button", { name: "Switch off for a while" }).click();
      await page.getByRole("button", { name: "For 1 day" }).click();
      await page.getByText(/off until/).waitFor();
      await page.getByRole("button", { name: "Switch off for a while" }).click();
      await page.getByRole("button", { name: "On again" }).click();
      await page.getByText("It sends again.").waitFor();
    } finally {
      await receiver.stop();
    }
  });

  watched("35: a message that was given up is found behind many that were sent", async ({ page, service }) => {
    const receiver = await startReceiver();
    try {
      const properties = { webhook: { url: receiver.address } };
      const { id } = await service.call("/v2/notifiers", { name: "Of many messages", properties });
      const tried = () => service.call(`/v2/notifiers/${id}/test`, undefined, "POST");
      receiver.answer(404);
      await tried();
      receiver.answer(200);
      for (let count = 0; count < 55; count++) await tried();
      await page.goto(`${service.address}/notifiers/${id}`);
      const table = page.getByRole("table", { name: "Messages" });
      await table.waitFor();
      await page.getByText("Counted in the newest 50 messages; there may be older ones.").waitFor();
      await page.getByRole("button", { name: "dead 0" }).click();
      await page.getByRole("button", { name: "dead 1" }).waitFor();
      assert.equal(await table.locator("tbody tr").count(), 1);
      assert.equal(await page.getByText("Counted in the newest").count(), 0);
      await page.getByRole("button", { name: "sent 55" }).waitFor();
      await service.call(`/v2/notifiers/${id}`, undefined, "DELETE");
    } finally {
      await receiver.stop();
    }
  });

  watched("35: snippets that check a signature do so", async ({ page, service }) => {
    const receiver = await startReceiver();
    try {
      const properties = { webhook: { url: receiver.address } };
      const made = await service.call("/v2/notifiers", { name: "Signed", properties });
      await service.call(`/v2/notifiers/${made.id}/test`, undefined, "POST");
      const [{ headers, body }] = receiver.received;
      await page.goto(`${service.address}/notifiers/${made.id}?view=signing`);
      await page.getByRole("button", { name: "Show the secret" }).waitFor();
      assert.doesNotMatch(await page.locator("body").innerText(), /whsec_\w/);
      await page.getByRole("button", { name: "Show the secret" }).click();
      const secret = await page.locator('code[aria-label="Signing secret"]', { hasText: /whsec_\w/ }).innerText();
      const snippet = async (language) => {
        await page.getByRole("tab", { name: language }).click();
        return page.locator(".snippet pre").innerText();
      };
      const environment = { ...process.env, SIGNING_SECRET: secret };
      const call = { headers, body };
      for (const [given, wanted] of [
        [call, "yes"],
        [{ headers, body: `${body} ` }, "no"],
      ]) {
        const node = `${await snippet("Node")}\nconst { headers, body } = JSON.parse(process.argv[1]);\nconsole.log(isOurs(headers, Buffer.from(body)) ? "yes" : "no");`;
        const ran = spawnSync(process.execPath, ["--input-type=module", "-e", node, JSON.stringify(given)], {
          env: environment,
        });
        assert.equal(ran.stdout.toString().trim(), wanted, ran.stderr.toString());
        const python = `${await snippet("Python")}\nimport json, sys\ngiven = json.loads(sys.argv[1])\nprint("yes" if is_ours(given["headers"], given["body"].encode()) else "no")`;
        const asked = spawnSync("python3", ["-c", python, JSON.stringify(given)], { env: environment });
        if (asked.error) console.log("    not run: python3 is missing");
        else assert.equal(asked.stdout.toString().trim(), wanted, asked.stderr.toString());
      }
      const shell = (await snippet("Shell")).replace("; cat BODY;", '; printf %s "$BODY";');
      const ran = spawnSync("bash", ["-c", shell], {
        env: {
          ...environment,
          BODY: body,
          ID: headers["webhook-id"],
          TIMESTAMP: headers["webhook-timestamp"],
          SIGNATURE: headers["webhook-signature"],
        },
      });
      assert.equal(ran.stdout.toString().trim(), "ours", ran.stderr.toString());
    } finally {
      await receiver.stop();
    }
  });

  watched(
    "35: no secret is drawn before somebody wants to see it, and a wrong address is told at its field",
    async ({ page, service }) => {
      const token = "xoxb-very-secret";
      const made = await service.call("/v2/notifiers", {
        name: "Bot",
        properties: { discord: { discordChannel: "1234", discordToken: token } },
      });
      await page.goto(`${service.address}/notifiers`);
      await page.getByRole("link", { name: "Bot" }).waitFor();
      assert.ok(!(await page.content()).includes(token));
      await page.goto(`${service.address}/notifiers/${made.id}?view=settings`);
      const field = page.getByLabel("Token of the bot", { exact: true });
      await field.waitFor();
      assert.equal(await field.getAttribute("type"), "password");
      assert.ok(!(await page.locator("body").innerText()).includes(token));
      await page.getByRole("button", { name: "Show Token of the bot" }).click();
      assert.equal(await field.getAttribute("type"), "text");
      assert.equal(await field.inputValue(), token);
      await page.getByLabel("Name").fill("The bot");
      await page.getByRole("button", { name: "Save the changes" }).click();
      await page.getByRole("heading", { name: "The bot" }).waitFor();
      const kept = await service.call(`/v2/notifiers/${made.id}`);
      assert.deepEqual(kept.properties, { discord: { discordChannel: "1234", discordToken: token } });

      await page.goto(`${service.address}/notifiers/new`);
      await page.getByLabel("Name").fill("Wrong");
      await page.getByLabel("Channel").selectOption("webhook");
      await page.getByLabel("Address").fill("ftp://example.com/x");
      await page.getByRole("button", { name: "Save the notifier" }).click();
      await page.locator(".wrong").waitFor();
      assert.equal(await page.getByLabel("Address").getAttribute("aria-invalid"), "true");
    },
    [/status of 4\d\d/],
  );
}
