// A service for the browser tests: the real binary on an empty folder, with the built files before it. Where
// TIDEGAUGE_SERVES_UI is set, the binary serves them itself.
//
//   TIDEGAUGE_BINARY   the binary to start (target/fast/tidegauge unless given)

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { preview } from "../../tools/preview.js";

const BINARY =
  process.env.TIDEGAUGE_BINARY ?? fileURLToPath(new URL("../../../target/fast/tidegauge", import.meta.url));

export async function startService(settings = []) {
  const folder = await mkdtemp(join(tmpdir(), "tidegauge-ui-"));
  const servesItself = process.env.TIDEGAUGE_SERVES_UI !== undefined;
  const [port, front] = [await freePort(), await freePort()];
  const address = `http://127.0.0.1:${servesItself ? port : front}`;
  const child = spawn(
    BINARY,
    // By all addresses, so that a test can open it by another one than that of public_url.
    ["serve", "--data", join(folder, "data"), "--listen", `0.0.0.0:${port}`, "--public-url", address, ...settings],
    {
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let told = "";
  const link = await new Promise((resolve, reject) => {
    const hear = (chunk) => {
      told += chunk;
      const found = /http:\/\/\S+\/setup\/\S+/.exec(told);
      if (found && told.includes("listens on")) resolve(found[0]);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", (code) => reject(new Error(`the service ended with ${code}: ${told}`)));
  });
  const before = servesItself ? null : preview(`http://127.0.0.1:${port}`);
  if (before) await new Promise((resolve) => before.listen(front, "127.0.0.1", resolve));
  const token = (await readFile(join(folder, "data", "first-token"), "utf8")).trim();
  const direct = `http://127.0.0.1:${port}`;
  return {
    address,
    direct,
    link,
    token,
    pid: child.pid,
    /** In which the folder `data` is. */
    folder,
    binary: BINARY,
    /** Calls the service as a program does. */
    async call(path, body, method = body === undefined ? "GET" : "POST") {
      const answer = await fetch(direct + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
      return text ? JSON.parse(text) : null;
    },
    /** Sends events of the generator that is in the binary, up to now. */
    async generate(dataset, count, hours) {
      const from = new Date(Date.now() - hours * 3_600_000).toISOString();
      const lines = await run(BINARY, [
        "bench",
        "generate",
        "--events",
        String(count),
        "--span",
        `${hours * 60}m`,
        "--from",
        from,
      ]);
      for (const part of split(lines, 20_000)) {
        const answer = await fetch(`${direct}/v1/datasets/${dataset}/ingest`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" },
          body: part,
        });
        if (!answer.ok) throw new Error(await answer.text());
      }
    },
    async stop() {
      before?.closeAllConnections();
      before?.close();
      child.removeAllListeners("exit");
      child.kill();
      await new Promise((resolve) => child.once("exit", resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function* split(text, lines) {
  const all = text.split("\n").filter(Boolean);
  for (let at = 0; at < all.length; at += lines) yield all.slice(at, at + lines).join("\n");
}

function run(command, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, options, { stdio: ["ignore", "pipe", "inherit"] });
    const parts = [];
    child.stdout.on("data", (part) => parts.push(part));
    child.on("exit", (code) =>
      code === 0 ? resolve(Buffer.concat(parts).toString()) : reject(new Error(`${command} ended with ${code}`)),
    );
  });
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
