// Behind a proxy that gathers answers nothing is heard of a stream: what is asked for then, and when a stream is tried
// again. The time is a list of what waits for it.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { backtest } from "../../src/api/backtest.ts";
import { watch } from "../../src/api/query.ts";
import { SILENCE, type Timer, way } from "../../src/api/silence.ts";
import { tail } from "../../src/api/tail.ts";
import { newDefinition } from "../../src/screens/monitors/definition.ts";
import { shell } from "../../src/session/shell.ts";
import { signIn } from "../../src/session/sign-in.svelte.ts";

interface Asked {
  path: string;
  streams: boolean;
  body: Record<string, unknown>;
  say: (text: string) => void;
  ended: boolean;
}

let asked: Asked[] = [];
/** What a plain answer holds, by the path. */
let plain: (path: string) => unknown = () => ({});
let waiting: (() => void)[] = [];

const timer: Timer = (run, ms) => {
  expect(ms).toBe(SILENCE);
  waiting.push(run);
  return () => {
    waiting = waiting.filter((other) => other !== run);
  };
};

/** Lets everything go on that waits for nothing but other parts of the page. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

/** So much time goes by that who waits for words has waited long enough. */
async function beSilent(): Promise<void> {
  await settle();
  const due = waiting;
  waiting = [];
  for (const run of due) run();
  await settle();
}

/** Answers plainly at once; streams say what the test says, and end when they are given up. */
async function answer(path: string, { headers, body, signal }: RequestInit): Promise<Response> {
  const streams = (headers as Record<string, string>).accept === "text/event-stream";
  const call: Asked = { path, streams, body: JSON.parse(String(body)), say: () => undefined, ended: false };
  asked.push(call);
  if (!streams) {
    return new Response(JSON.stringify(plain(path)), { headers: { "content-type": "application/json" } });
  }
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      call.say = (text) => controller.enqueue(new TextEncoder().encode(text));
      signal?.addEventListener("abort", () => {
        call.ended = true;
        controller.error(new DOMException("ended", "AbortError"));
      });
    },
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

beforeEach(() => {
  asked = [];
  waiting = [];
  way.forget();
  vi.stubGlobal("fetch", answer);
});

afterEach(() => vi.unstubAllGlobals());

const request = { apl: "['web']", startTime: "now-1h", endTime: "now" };
const found = (n: number) => ({
  format: "tabular",
  status: {},
  tables: [],
  datasetNames: [`d${n}`],
  fieldsMetaMap: {},
});

describe("a query", () => {
  test("is asked plainly when nothing is heard, and the next one at once", async () => {
    plain = () => found(1);
    const first = watch(request, { timer });
    await beSilent();
    expect((await first).answer.datasetNames).toEqual(["d1"]);
    expect(asked.map(({ streams }) => streams)).toEqual([true, false]);
    expect(asked[0]!.ended).toBe(true);
    await watch(request, { timer });
    expect(asked.map(({ streams }) => streams)).toEqual([true, false, false]);
  });

  test("is waited for as long as something is heard, were it nothing but a comment", async () => {
    const slow = watch(request, { timer });
    await settle();
    const before = waiting[0];
    asked[0]!.say(":\n\n");
    await settle();
    expect(waiting).toHaveLength(1);
    expect(waiting[0]).not.toBe(before);
    asked[0]!.say(`event: result\ndata: ${JSON.stringify(found(2))}\n\n`);
    expect((await slow).answer.datasetNames).toEqual(["d2"]);
    expect(waiting).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  test("that breaks off after some words says nothing about the way", async () => {
    plain = () => found(3);
    const broken = watch(request, { timer });
    await settle();
    asked[0]!.say(":\n\n");
    await beSilent();
    expect((await broken).answer.datasetNames).toEqual(["d3"]);
    expect(way.holdsBack).toBe(false);
  });

  test("that is given up is not asked again", async () => {
    const abort = new AbortController();
    const given = watch(request, { timer, signal: abort.signal });
    await settle();
    abort.abort();
    await expect(given).rejects.toMatchObject({ name: "AbortError" });
    expect(waiting).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  test("waits for who has to sign in first", async () => {
    const slow = watch(request, { timer });
    await settle();
    signIn.ended = true;
    await beSilent();
    signIn.ended = false;
    expect(asked).toHaveLength(1);
    expect(waiting).toHaveLength(1);
    asked[0]!.say(`event: result\ndata: ${JSON.stringify(found(4))}\n\n`);
    expect((await slow).answer.datasetNames).toEqual(["d4"]);
  });
});

test("a backtest of which nothing is heard is asked for plainly", async () => {
  plain = () => ({ monitor: { opened: 7 } });
  const times = { startTime: "2026-06-01T00:00:00Z", endTime: "2026-06-02T00:00:00Z" };
  const definition = newDefinition("['web'] | count", "n");
  const asking = backtest({ monitor: definition, ...times }, new AbortController().signal, () => undefined, timer);
  await beSilent();
  expect((await asking).monitor.opened).toBe(7);
  expect(asked.map(({ streams }) => streams)).toEqual([true, false]);
});

describe("a stream", () => {
  const table = {
    name: "0",
    sources: [],
    fields: [{ name: "_cursor", type: "string" }],
    order: [],
    groups: [],
    range: { field: "_time", start: "", end: "" },
    columns: [["0000000000001-a"]],
  };

  test("polls from its beginning when nothing is heard of it, and says that late events are missed", async () => {
    (shell.extras as Set<string>).add("tail");
    plain = () => ({ ...found(5), tables: [table] });
    const abort = new AbortController();
    const ways: boolean[] = [];
    const began = Date.now();
    const rows: (string | null)[] = [];
    const following = tail("web", "", {
      signal: abort.signal,
      timer,
      onway: (seesLate) => ways.push(seesLate),
      onproblem: (problem) => expect.unreachable(problem.message),
      onrows: (arrived) => {
        rows.push(...arrived.rows.map(({ id }) => id));
        abort.abort();
      },
    });
    await settle();
    expect(asked[0]!.path).toBe("/v1/query/tail");
    await beSilent();
    await following;
    expect(ways).toEqual([true, false]);
    expect(rows).toEqual(["0000000000001-a"]);
    expect(asked[1]!.body.cursor).toBeUndefined();
    expect(Math.abs(Date.parse(String(asked[1]!.body.startTime)) - began)).toBeLessThan(60_000);
    expect(way.holdsBack).toBe(true);
  });

  test("that breaks off goes on as a stream, behind what was seen", async () => {
    const abort = new AbortController();
    const following = tail("web", "", {
      signal: abort.signal,
      timer,
      onproblem: () => undefined,
      onrows: () => undefined,
    });
    await settle();
    const told = { answer: { ...found(6), tables: [table] }, dropped: 0, position: "here" };
    asked[0]!.say(`event: events\ndata: ${JSON.stringify(told)}\n\n`);
    await beSilent();
    expect(asked.map(({ streams, body }) => [streams, body.after])).toEqual([
      [true, undefined],
      [true, "here"],
    ]);
    abort.abort();
    await following;
  });
});
