// The service under test: its settings, its process, and requests to it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

export class Service {
  static async start(binary, folder, settings) {
    const config = join(folder, "tidegauge.toml");
    writeFileSync(config, settings);
    const flags = ["serve", "--config", config, "--data", join(folder, "data"), "--listen", "127.0.0.1:0"];
    const service = new Service();
    service.process = spawn(binary, flags, { stdio: ["ignore", "pipe", "inherit"] });
    process.on("exit", () => service.process.kill());
    const ended = once(service.process, "exit").then(([code]) => {
      throw new Error(`the service ended with ${code}`);
    });
    ended.catch(() => {});
    await Promise.race([service.#listening(), ended]);
    service.owner = readFileSync(join(folder, "data", "first-token"), "utf8").trim();
    const orgs = await (await service.send("GET", "/v2/orgs", `Bearer ${service.owner}`)).json();
    service.org = orgs[0].id;
    return service;
  }

  async #listening() {
    for await (const line of createInterface({ input: this.process.stdout })) {
      const found = line.match(/listens on (\S+)/);
      if (!found) continue;
      this.url = found[1];
      return;
    }
  }

  send(method, path, authorization, { body, headers } = {}) {
    const all = { ...headers };
    if (authorization) all.authorization = authorization;
    if (body) all["content-type"] = "application/json";
    return fetch(this.url + path, { method, headers: all, body: body && JSON.stringify(body) });
  }

  async stop() {
    const ended = once(this.process, "exit");
    this.process.kill("SIGTERM");
    await ended;
  }
}
