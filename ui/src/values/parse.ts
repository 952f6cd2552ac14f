// Chooses where an answer is read: small ones here, large ones in a worker.

import { parseExact } from "./exact-json.ts";
import ParseWorkerAddress from "./parse-worker.ts?worker&url";
import type { Value } from "./value.ts";

const WORTH_A_WORKER = 400_000;

interface Waiting {
  resolve: (value: Value) => void;
  reject: (reason: Error) => void;
}

let worker: Worker | null = null;
let last = 0;
const waiting = new Map<number, Waiting>();

export async function parseAnswer(text: string): Promise<Value> {
  if (text.length < WORTH_A_WORKER || typeof Worker === "undefined") return parseExact(text);
  worker ??= start();
  const id = ++last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker?.postMessage({ id, text });
  });
}

function start(): Worker {
  const made = new Worker(trustedAddress(ParseWorkerAddress) as string, { type: "module" });
  made.onmessage = (message: MessageEvent<{ id: number; value?: Value; problem?: string }>) => {
    const { id, value, problem } = message.data;
    const asked = waiting.get(id);
    waiting.delete(id);
    if (problem !== undefined) asked?.reject(new Error(problem));
    else asked?.resolve(value ?? null);
  };
  return made;
}

interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): {
    createScriptURL: (address: string) => unknown;
  };
}

// The page's policy lets workers start only from addresses that this one rule has looked at.
function trustedAddress(address: string): unknown {
  const policies = (globalThis as { trustedTypes?: Policies }).trustedTypes;
  if (!policies) return address;
  const policy = policies.createPolicy("tidegauge", {
    createScriptURL: (wanted) => {
      if (new URL(wanted, location.href).origin !== location.origin) throw new TypeError("a worker of another origin");
      return wanted;
    },
  });
  return policy.createScriptURL(address);
}
