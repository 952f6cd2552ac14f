// Starred queries: what is changed is changed, and all that others wrote beside it stays, to the last digit.

import { afterEach, expect, test, vi } from "vitest";
import { changeStarred, starredByMe } from "../../src/api/starred.ts";

const KEPT = `{"id":"q1","kind":"apl","name":"Old","who":"someone","dataset":"web","metadata":{"number":9007199254740993},
"query":{"apl":"web","startTime":"now-1h","endTime":"now","queryOptions":{"a":"b"}},"created":"2026-06-01T00:00:00Z"}`;

afterEach(() => vi.unstubAllGlobals());

async function bodyOf(change: Parameters<typeof changeStarred>[1]): Promise<string> {
  let body = "";
  vi.stubGlobal("fetch", async (path: string, { method, body: sent }: RequestInit) => {
    expect(path).toBe("/v2/apl-starred-queries/q1");
    if (method === "PUT") body = String(sent);
    return new Response(KEPT, { headers: { "content-type": "application/json" } });
  });
  await changeStarred("q1", change);
  return body;
}

test("one's own are asked for without a name, which `me` would be", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(path);
    return new Response(`[${KEPT}]`, { headers: { "content-type": "application/json" } });
  });
  expect([...(await starredByMe())]).toEqual(["q1"]);
  expect(asked).toEqual(["/v2/apl-starred-queries?limit=1000&offset=0"]);
});

test("another name leaves the query and whose it is alone", async () => {
  const body = await bodyOf({ name: "New" });
  expect(JSON.parse(body)).toMatchObject({
    kind: "apl",
    name: "New",
    who: "someone",
    dataset: "web",
    query: { apl: "web", startTime: "now-1h", endTime: "now", queryOptions: { a: "b" } },
  });
  expect(body).not.toContain("created");
});

test("another text keeps what belongs to the query", async () => {
  const body = await bodyOf({ apl: "web | count", startTime: "now-1d" });
  expect(JSON.parse(body)).toMatchObject({
    name: "Old",
    query: { apl: "web | count", startTime: "now-1d", endTime: "now", queryOptions: { a: "b" } },
  });
});
