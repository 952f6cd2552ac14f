// Endpoints without a browser: their kinds, what senders are given, labels, how one stands and what can be done about it.

// @ts-expect-error: the test runs in Node, of whose types the interface has no need.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Endpoint } from "../../src/api/endpoints.ts";
import { addressFor, KINDS } from "../../src/screens/endpoints/kinds.ts";
import { labelsOf, labelText, problemOf, rowsOf } from "../../src/screens/endpoints/labels.ts";
import { adviceOn, fieldProblem, queryFor, standing } from "../../src/screens/endpoints/words.ts";
import { waysTo } from "../../src/screens/first/senders/by-address.ts";
import { sendersTo } from "../../src/screens/first/snippets.ts";

const SECRET = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
const ID = "endpoint_01890a5dac96774bbcceb302099a8057";
const place = (origin: string) => ({ origin, url: `${origin}/e/${SECRET}`, dataset: "web", id: ID });

describe("kinds", () => {
  test("are those of the service, in its order", () => {
    const source = String(readFileSync("../crates/model/src/endpoint.rs"));
    const ids = [...source.matchAll(/^ {8}\w+ = "(\w+)",$/gm)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(10);
    expect(KINDS.map(({ id }) => id)).toEqual(ids);
  });

  test("a sender is given the address with what it does not add by itself", () => {
    expect(addressFor("loki", "https://a/e/x")).toBe("https://a/e/x/loki/api/v1/push");
    expect(addressFor("otlp", "https://a/e/x")).toBe("https://a/e/x");
    expect(addressFor("of a later service", "https://a/e/x")).toBe("https://a/e/x");
  });
});

describe("what is there to copy", () => {
  test.each(KINDS)(
    "$id: each way has the address, or the id for the settings of a listener",
    ({ id, path, listens }) => {
      const ways = waysTo(id, place("https://events.example.com"));
      expect(ways.length).toBeGreaterThan(0);
      expect(new Set(ways.map((way) => way.id)).size).toBe(ways.length);
      for (const way of ways) {
        const text = way.parts.map((part) => part.text).join("\n");
        const isListener = text.includes("[listeners]");
        expect(text).toContain(isListener ? ID : SECRET);
        expect(text).not.toMatch(/undefined|null|Bearer|xaat-/);
        if (path === null) expect(isListener).toBe(true);
        if (isListener) expect(listens).toBe(true);
      }
    },
  );

  test("senders that take another port than that of HTTPS are told it", () => {
    const texts = (id: string, origin: string) =>
      waysTo(id, place(origin))
        .flatMap(({ parts }) => parts.map(({ text }) => text))
        .join("\n");
    expect(texts("elastic", "https://a.example")).toContain(`hosts: ["https://a.example:443/e/${SECRET}"]`);
    expect(texts("elastic", "https://a.example")).toContain(`Elasticsearch("https://a.example:443/e/${SECRET}")`);
    expect(texts("elastic", "http://a.example:8080")).toContain('hosts => ["http://a.example:8080"]');
    expect(texts("journald", "https://a.example")).toContain(`--url="https://a.example:443/e/${SECRET}"`);
    expect(texts("ingest", "https://a.example")).toContain(`URI     /e/${SECRET}\n    tls     On`);
    expect(texts("ingest", "http://a.example:8080")).not.toContain("tls");
    expect(texts("gelf", "https://a.example")).toContain('GelfHttpsHandler(host="a.example", port=443');
    // This one puts its path behind the last slash.
    expect(texts("loki", "https://a.example")).toContain(`host: "https://a.example/e/${SECRET}/"`);
  });

  test("with a token, the senders that people asked for are there", () => {
    const senders = sendersTo({ origin: "https://a.example", dataset: "web", token: "xaat-1", endpoint: ID });
    expect(new Set(senders.map(({ id }) => id)).size).toBe(senders.length);
    const text = (id: string) =>
      senders
        .find((sender) => sender.id === id)
        ?.parts.map((part) => part.text)
        .join("\n");
    expect(text("vmagent")).toContain("-remoteWrite.url='https://a.example/api/v1/write?dataset=web'");
    expect(text("heroku")).toBe("heroku drains:add 'https://any:xaat-1@a.example/v1/datasets/web/ingest' -a your-app");
    for (const id of ["vmagent", "pino", "winston"]) expect(text(id)).toContain("xaat-1");
    for (const id of ["syslog-ng", "fluent-bit-forward"]) expect(text(id)).toContain(ID);
  });
});

describe("labels", () => {
  test("keep what they were as long as nobody types something else", () => {
    const labels = { site: "pier", tier: 2, big: 9007199254740993n, on: true, zip: "0123", none: null };
    const rows = rowsOf(labels);
    expect(labelsOf(rows)).toEqual(labels);
    rows[1]!.text = "3";
    rows[2]!.text = "9007199254740995";
    rows[3]!.text = "perhaps";
    rows[4]!.text = "123";
    expect(labelsOf(rows)).toEqual({ ...labels, tier: 3, big: 9007199254740995n, on: "perhaps", zip: "123" });
  });

  test("new ones are texts, and empty rows are none", () => {
    const rows = [
      { name: " site ", text: "007" },
      { name: "", text: "" },
      { name: "__proto__", text: "x" },
    ];
    expect(JSON.stringify(labelsOf(rows))).toBe('{"site":"007","__proto__":"x"}');
    expect(problemOf(rows)).toBe("");
    expect(problemOf([...rows, { name: "", text: "x" }])).toBe("Each label needs a name.");
    expect(problemOf([...rows, { name: "site", text: "x" }])).toBe("The label site is there twice.");
    expect(labelText("tier", 2)).toBe("tier=2");
  });
});

describe("how one stands", () => {
  const fresh: Endpoint = {
    id: ID,
    name: "Shops",
    kind: "loki",
    dataset: "web",
    labels: {},
    createdAt: "2026-06-01T12:00:00Z",
    createdBy: "user_1",
    updatedAt: "2026-06-01T12:00:00Z",
    events: 0,
    bytes: 0,
    failures: 0,
    lastEventAt: null,
    lastError: null,
  };
  const refused = (time: string) => ({ time, message: "no" });

  test("is what happened last, to the microsecond", () => {
    expect(standing(fresh)).toEqual({ text: "nothing came yet", tag: "note" });
    const stored = { ...fresh, events: 1, lastEventAt: "2026-06-01T12:00:00.000001Z" };
    expect(standing(stored).tag).toBe("good");
    expect(standing({ ...fresh, failures: 1, lastError: refused("2026-06-01T12:00:00Z") }).tag).toBe("bad");
    expect(standing({ ...stored, failures: 1, lastError: refused("2026-06-01T12:00:00Z") }).tag).toBe("good");
    expect(standing({ ...stored, failures: 1, lastError: refused("2026-06-01T12:00:00.000002Z") }).tag).toBe("bad");
    expect(standing({ ...stored, failures: 1, lastError: refused("2026-06-01T12:00:00.000001Z") })).toEqual({
      text: "refused in part",
      tag: "warn",
    });
  });

  test("what can be done about a refusal is said where it is known", () => {
    expect(adviceOn("the endpoint takes otlp, and this is loki")).toMatchObject({ kind: "loki" });
    expect(adviceOn("dataset not found")?.text).toContain("gone");
    expect(adviceOn("the organisation has sent as many bytes this month as its licence allows")?.text).toContain(
      "Usage",
    );
    expect(adviceOn("the body is no JSON")).toBeNull();
  });

  test("what came in by it is found by its labels, whatever is in them", () => {
    expect(queryFor(fresh)).toBe("web");
    const labels = { site: 'a "pier"', tier: 2, "of what": true };
    expect(queryFor({ dataset: "my-web", labels })).toBe(
      "['my-web']\n| where site == \"a \\\"pier\\\"\"\n| where tier == 2\n| where ['of what'] == true",
    );
  });

  test("a refusal that names a field stands at that field", () => {
    expect(fieldProblem("labels.site in body must be a text, a number or a boolean")).toEqual({
      field: "labels",
      says: "must be a text, a number or a boolean",
    });
    expect(fieldProblem("no such dataset")).toBeNull();
  });
});
