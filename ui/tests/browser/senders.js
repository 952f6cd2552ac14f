// The ways to send that the interface offers: those that are commands are run as they stand, and their events arrive.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export function senderTests(watched) {
  watched("ways to send: each has the address and the token; commands work as they are", async ({ page, service }) => {
    await page.goto(`${service.address}/datasets/web?view=send`);
    await page.getByRole("button", { name: "Make a token for it" }).click();
    await page.locator(".snippets pre", { hasText: "xaat-" }).first().waitFor();
    const names = await page.locator(".snippets nav button").allTextContents();
    assert.ok(names.length >= 20, names.join(", "));
    const host = new URL(service.address).host;
    for (const name of names) {
      await page.locator(".snippets nav").getByRole("button", { name, exact: true }).click();
      const text = (await page.locator(".snippets pre").allTextContents()).join("\n");
      const isListener = text.includes("[listeners]");
      assert.ok(isListener || (text.includes("xaat-") && !text.includes("YOUR-TOKEN")), `${name}: ${text}`);
      assert.ok(isListener || text.includes(host.split(":")[0]), `${name}: ${text}`);
      assert.ok(!text.includes("undefined") && !text.includes("null"), `${name}: ${text}`);
    }
    for (const [name, words] of [
      ["curl", "hello from curl"],
      ["Python", "hello from Python"],
      ["Splunk HEC", "hello from HEC"],
      ["GELF over HTTP", "hello from GELF"],
      ["CloudEvents", "order.placed"],
    ]) {
      await page.locator(".snippets nav").getByRole("button", { name, exact: true }).click();
      const text = await page.locator(".snippets pre").first().textContent();
      const before = await count(service, words);
      if (name === "Python") await run("python3", ["-c", text], { timeout: 120_000 });
      else await run("bash", ["-c", `${text} --fail --silent --show-error`], { timeout: 120_000 });
      assert.equal(await count(service, words), before + 1, `${name}: ${text}`);
    }
  });

  watched("ways to send: a listener gets an endpoint on the spot", async ({ page, service }) => {
    await page.goto(`${service.address}/datasets/web?view=send`);
    await page.locator(".snippets nav").getByRole("button", { name: "syslog, rsyslog" }).click();
    await page.getByRole("button", { name: "Make an endpoint for it" }).click();
    const text = page.locator(".snippets pre", { hasText: /syslog_endpoint = "endpoint_[0-9a-f]{32}"/ });
    await text.waitFor();
    const [, id] = /"(endpoint_[0-9a-f]+)"/.exec(await text.textContent());
    const made = await service.call(`/v2/endpoints/${id}`);
    assert.deepEqual([made.kind, made.dataset], ["syslog", "web"]);
  });

  watched("4: without Node and a registry the build of the interface says so and stops nothing", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tidegauge-without-node-"));
    try {
      await mkdir(join(folder, "bin"));
      await mkdir(join(folder, "scripts"));
      await mkdir(join(folder, "ui"));
      await cp(join(ROOT, "scripts/interface.sh"), join(folder, "scripts/interface.sh"));
      for (const name of ["package.json", "package-lock.json", "index.html"])
        await cp(join(ROOT, "ui", name), join(folder, "ui", name));
      const tools =
        "bash env dirname basename curl tar find sort xargs sha256sum sha512sum cut uname mktemp mkdir rm chmod openssl base64 tr fold sed mv touch printf cat";
      for (const tool of tools.split(" ")) {
        const { stdout } = await run("bash", ["-c", `command -v ${tool} || true`]);
        if (stdout.startsWith("/")) await symlink(stdout.trim(), join(folder, "bin", tool));
      }
      const env = {
        PATH: join(folder, "bin"),
        HOME: folder,
        XDG_CACHE_HOME: join(folder, "cache"),
        NPM_CONFIG_REGISTRY: "http://127.0.0.1:9",
      };
      const { stderr } = await run(join(folder, "bin/bash"), [join(folder, "scripts/interface.sh"), "build"], {
        env,
        timeout: 60_000,
      });
      assert.match(stderr, /not built \(Node from 20\.19 with npm is missing.*the service runs without it/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

async function count(service, words) {
  const answer = await service.call("/v1/query/_apl?format=tabular", {
    apl: `web | search "${words}" | count`,
    startTime: "now-30d",
    endTime: "now+1d",
  });
  return answer.tables[0].columns[0][0];
}
