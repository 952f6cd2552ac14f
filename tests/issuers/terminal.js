// A person at a terminal who signs in with the real command line, whose browser is ours.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { Browser } from "./browser.js";

export class Terminal {
  constructor(binary, service, credentials) {
    Object.assign(this, { binary, service, credentials });
  }

  #arguments(command) {
    return [...command, "--url", this.service.url, "--credentials", this.credentials];
  }

  async run(...command) {
    return (await promisify(execFile)(this.binary, this.#arguments(command))).stdout;
  }

  // Signs in; `find` takes the address to visit from a line that is shown.
  async #signIn(command, login, find) {
    const child = spawn(this.binary, this.#arguments(["login", ...command]), { stdio: ["ignore", "pipe", "pipe"] });
    const ended = once(child, "exit");
    let [said, shown, address] = ["", "", undefined];
    child.stdout.on("data", (text) => (said += text));
    const lines = createInterface({ input: child.stderr });
    const found = new Promise((resolve, reject) => {
      lines.on("line", (line) => {
        shown += `${line}\n`;
        address ??= find(line);
        if (address) resolve(address);
      });
      ended.then(() => reject(new Error(`no address was shown: ${shown}`)));
    });
    // A browser is sent back to this machine, a device is not.
    const end = new URL(await found).searchParams.get("redirect_uri");
    const back = await new Browser().signIn(address, login, end);
    if (end) await fetch(back);
    const [code] = await ended;
    if (code !== 0) throw new Error(`tidegauge login ended with ${code}: ${shown}`);
    return { said, address };
  }

  byBrowser(login, ...command) {
    const find = (line) => line.match(/^\s*(http\S+)/)?.[1];
    return this.#signIn(["--no-browser", ...command], login, find);
  }

  byDevice(login, ...command) {
    return this.#signIn(["--device", ...command], login, (line) => line.match(/or visit (\S+)/)?.[1]);
  }

  get kept() {
    return JSON.parse(readFileSync(this.credentials, "utf8")).servers[this.service.url];
  }

  // Lets the access token end, as if its minutes had passed.
  expire() {
    const content = JSON.parse(readFileSync(this.credentials, "utf8"));
    content.servers[this.service.url].expiresAt = "2020-01-01T00:00:00Z";
    writeFileSync(this.credentials, JSON.stringify(content));
  }
}
