// A backtest as it comes: with progress, plainly from an older service, refused; and the one beside the editor, of which
// only the last that was asked counts.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { backtest } from "../../src/api/backtest.ts";
import { ApiError } from "../../src/api/errors.ts";
import { BacktestRun } from "../../src/screens/monitors/backtest-run.svelte.ts";
import { newDefinition } from "../../src/screens/monitors/definition.ts";

const replayed = { runs: 1, opened: 2, notifications: 3, alerts: [], values: [], cost: 1, isJoined: true };
const definition = { ...newDefinition("['web'] | count", "n") };
const times = { startTime: "2026-06-01T00:00:00Z", endTime: "2026-06-02T00:00:00Z" };

function stream(...events: [string, unknown][]): Response {
  const text = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

const plain = (data: unknown) =>
  new Response(JSON.stringify(data), { headers: { "content-type": "application/json" } });

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a backtest", () => {
  test("tells how far it is, then what it found", async () => {
    const told = { elapsedTime: 500_000, share: 0.5, queries: 3, cost: 1 };
    vi.stubGlobal("fetch", async () => stream(["progress", told], ["result", { monitor: replayed }]));
    const heard: number[] = [];
    const found = await backtest({ monitor: definition, ...times }, new AbortController().signal, ({ share }) =>
      heard.push(share),
    );
    expect(heard).toEqual([0.5]);
    expect(found.monitor.opened).toBe(2);
  });

  test("comes plainly from a service that knows no events for it", async () => {
    vi.stubGlobal("fetch", async () => plain({ monitor: replayed }));
    const found = await backtest({ monitor: definition, ...times }, new AbortController().signal, () => undefined);
    expect(found.monitor.notifications).toBe(3);
  });

  test("is refused with the words of the service", async () => {
    const body = { code: 602, message: "threshold in body is required", requestId: "r" };
    vi.stubGlobal("fetch", async () => stream(["error", body]));
    const asked = backtest({ monitor: definition, ...times }, new AbortController().signal, () => undefined);
    await expect(asked).rejects.toMatchObject({ status: 422, message: body.message, requestId: "r" });
    await expect(asked).rejects.toBeInstanceOf(ApiError);
  });
});

describe("the backtest beside the editor", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  const bodies = (calls: { body: string }[]) =>
    calls.map(({ body }) => JSON.parse(body) as { monitor: { threshold: number; name: string }; compare?: unknown });

  test("is asked once a moment after the last change, and names what has no name yet", async () => {
    const calls: { body: string }[] = [];
    vi.stubGlobal("fetch", async (_: string, call: { body: string }) => {
      calls.push(call);
      return stream(["result", { monitor: replayed }]);
    });
    const run = new BacktestRun();
    for (const threshold of [1, 2, 3]) {
      run.soon({ ...definition, name: " ", threshold }, null);
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(500);
    expect(bodies(calls).map(({ monitor }) => [monitor.threshold, monitor.name])).toEqual([[3, "unnamed"]]);
    expect(run.found?.answer.monitor.opened).toBe(2);
    expect(run.isRunning).toBe(false);
  });

  test("ends the one before, whose answer no longer counts", async () => {
    const signals: AbortSignal[] = [];
    vi.stubGlobal("fetch", (_: string, call: { body: string; signal: AbortSignal }) => {
      signals.push(call.signal);
      const { threshold } = bodies([call])[0]!.monitor;
      return new Promise((resolve) =>
        setTimeout(
          () => resolve(stream(["result", { monitor: { ...replayed, opened: threshold } }])),
          threshold === 1 ? 2000 : 100,
        ),
      );
    });
    const run = new BacktestRun();
    void run.ask({ ...definition, threshold: 1 }, null);
    void run.ask({ ...definition, threshold: 2 }, null);
    await vi.advanceTimersByTimeAsync(3000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(run.found?.answer.monitor.opened).toBe(2);
  });

  test("goes on alone where the saved version cannot be asked any more", async () => {
    const calls: { body: string }[] = [];
    vi.stubGlobal("fetch", async (_: string, call: { body: string }) => {
      calls.push(call);
      const { compare } = bodies([call])[0]!;
      return compare
        ? stream(["error", { code: 422, message: 'dataset not found: "gone"' }])
        : stream(["result", { monitor: replayed }]);
    });
    const run = new BacktestRun();
    await run.ask(definition, { ...definition, threshold: 7 });
    expect(calls).toHaveLength(2);
    expect(run.error).toBeNull();
    expect(run.found?.answer.compare).toBeUndefined();
  });

  test("of nothing is not asked", async () => {
    const fetched = vi.fn();
    vi.stubGlobal("fetch", fetched);
    const run = new BacktestRun();
    await run.ask({ ...definition, aplQuery: " " }, null);
    expect(fetched).not.toHaveBeenCalled();
  });
});
