// What stands in a place while something is asked for, when that fails, and when it fails after it had come.

import { flushSync, mount, unmount } from "svelte";
import { afterEach, expect, test, vi } from "vitest";
import { Asked } from "../../src/api/asked.svelte.ts";
import { ApiError } from "../../src/api/errors.ts";
import { adviceOn } from "../../src/parts/advice.ts";
import Place from "./Place.svelte";

interface Shown {
  data: string | null;
  error: ApiError | null;
  again: () => unknown;
}

let mounted: ReturnType<typeof mount> | null = null;
afterEach(() => {
  if (mounted) void unmount(mounted);
  mounted = null;
  document.body.innerHTML = "";
});

/** A place with these, and a way to change them. */
function place(shown: Shown): (next: Partial<Shown>) => void {
  const main = document.createElement("main");
  main.tabIndex = -1;
  document.body.append(main);
  const made = mount(Place, { target: main, props: shown });
  mounted = made;
  flushSync();
  return (next) => {
    (made as unknown as { set: (next: Partial<Shown>) => void }).set(next);
    flushSync();
  };
}

const seen = (selector: string) => document.querySelector(selector)?.textContent ?? null;
const away = new ApiError(503, { message: "the service is away", requestId: "0123456789" });

test("bars while nothing has come, the problem when it failed, the data when it came", () => {
  const set = place({ data: null, error: null, again: () => undefined });
  expect(seen("[role=status]")).toContain("Loading");
  expect(seen("[role=alert]")).toBeNull();
  set({ error: away });
  expect(seen("[role=status]")).toBeNull();
  expect(seen("[role=alert]")).toContain("the service is away");
  expect(seen("[role=alert]")).toContain("try again in a moment");
  expect(seen("[role=alert]")).not.toContain("was there before");
  set({ data: "three datasets", error: null });
  expect(seen("[role=alert]")).toBeNull();
  expect(seen("[data-there]")).toBe("three datasets");
});

test("what has come stays when asking anew fails, and the box says so", () => {
  const set = place({ data: "three datasets", error: null, again: () => undefined });
  set({ error: away });
  expect(seen("[data-there]")).toBe("three datasets");
  expect(seen("[role=alert]")).toContain("What is shown was there before.");
});

test("trying again asks again once, and the keyboard goes on from where the box was", async () => {
  let asked = 0;
  let answer = () => undefined as unknown;
  const again = () => {
    asked += 1;
    return new Promise<void>((resolve) => {
      answer = () => resolve();
    });
  };
  const set = place({ data: null, error: away, again });
  const button = [...document.querySelectorAll("button")].find((found) => found.textContent?.includes("Try again"))!;
  button.focus();
  button.click();
  button.click();
  flushSync();
  expect(asked).toBe(1);
  expect(document.activeElement).toBe(button);
  expect(button.textContent).toContain("Trying");
  // The same box after it failed once more, with the keyboard in it.
  answer();
  await new Promise((resolve) => setTimeout(resolve));
  expect(document.activeElement).toBe(button);
  expect(button.textContent).toContain("Try again");
  button.click();
  set({ data: "here", error: null });
  answer();
  await new Promise((resolve) => setTimeout(resolve));
  expect(document.activeElement?.tagName).toBe("MAIN");
});

test("a call that has to wait is not made before its time", () => {
  vi.useFakeTimers();
  const again = vi.fn();
  place({ data: null, error: new ApiError(429, { message: "too many" }, 7), again });
  const button = [...document.querySelectorAll("button")].find((found) => found.textContent?.includes("Try again"))!;
  // Not disabled: the keyboard would lose its place.
  expect(button.getAttribute("aria-disabled")).toBe("true");
  for (let left = 7; left > 0; left -= 1) {
    expect(button.textContent).toContain(`in ${left} s`);
    button.click();
    vi.advanceTimersByTime(1000);
    flushSync();
  }
  expect(again).not.toHaveBeenCalled();
  expect(button.textContent?.trim()).toBe("Try again");
  expect(button.getAttribute("aria-disabled")).toBe("false");
  button.click();
  expect(again).toHaveBeenCalledOnce();
  vi.useRealTimers();
});

test("each kind of refusal says what can be done, once", () => {
  for (const status of [401, 403, 404, 409, 412, 413, 429, 430, 432, 500, 502, 503, 504, 507])
    expect(adviceOn(new ApiError(status, { message: "no" })), String(status)).not.toBe("");
  expect(adviceOn(new ApiError(500, { message: "no", hint: "do that" }))).toBe("do that");
  expect(adviceOn(new ApiError(500, { message: "no, do that", hint: "do that" }))).toBe("");
});

test("what was asked keeps its answer when asking anew fails, and forgets the failure when it comes", async () => {
  const asked = new Asked<string>();
  await asked.ask(async () => "first");
  await asked.ask(async () => {
    throw away;
  });
  expect([asked.made, asked.error?.status]).toEqual(["first", 503]);
  await asked.ask(async () => "second");
  expect([asked.made, asked.error]).toEqual(["second", null]);
});
