// What the screen of a dataset offers of keeping and ending its events, and what it does not where the service refuses it.

import { flushSync, mount, unmount } from "svelte";
import { afterEach, expect, test } from "vitest";
import type { Dataset, Info } from "../../src/api/datasets.ts";
import Care from "../../src/screens/datasets/Care.svelte";
import { catalogue } from "../../src/session/catalogue.svelte.ts";

let mounted: ReturnType<typeof mount> | null = null;
afterEach(() => {
  if (mounted) void unmount(mounted);
  mounted = null;
  document.body.innerHTML = "";
  catalogue.datasets = null;
  catalogue.held = null;
});

/** The headings and buttons that an owner is shown of a dataset of a kind. */
function offered(kind: string): { headings: string[]; buttons: string[]; keeping: boolean } {
  const dataset = {
    name: "trail",
    kind,
    description: "",
    useRetentionPeriod: true,
    retentionDays: 1095,
  } as Dataset;
  catalogue.datasets = [dataset];
  catalogue.held = {
    org: { datasets: ["read", "update", "delete"] },
    datasets: { trail: { trim: ["update"], vacuum: ["update"], data: ["delete"] } },
    views: {},
  } as typeof catalogue.held;
  const info = { numEvents: 3, compressedBytes: 100, fields: [{ name: "a" }] } as Info;
  mounted = mount(Care, { target: document.body, props: { dataset, info, onchange: () => undefined } });
  flushSync();
  const texts = (selector: string) => [...document.querySelectorAll(selector)].map((it) => it.textContent ?? "");
  return {
    headings: texts("h2"),
    buttons: texts("button"),
    keeping: document.querySelector("input[type=checkbox]") !== null,
  };
}

test("a dataset of people is kept, trimmed and ended as they may", () => {
  const { headings, keeping } = offered("events:v1");
  expect(headings).toEqual(["Description and keeping", "Trim", "Forget fields", "Delete events", "Delete the dataset"]);
  expect(keeping).toBe(true);
});

test("of the audit trail nothing is offered but its description, and it is told how long it is kept", () => {
  const { headings, buttons, keeping } = offered("tidegauge:audit:v1");
  expect(headings).toEqual(["Description and keeping"]);
  expect(buttons).toEqual(["Save"]);
  expect(keeping).toBe(false);
  expect(document.body.textContent).toMatch(/kept for 1,095 days/);
});
