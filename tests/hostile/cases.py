"""What is asked of the service: queries in text, and other requests that compute much: lists and panels with one request,
files, figures of fields, and tools of language models. Each gives the statuses that it was answered with, those inside
of an answer too."""

import json
from typing import NamedTuple

from queries import ANSWERED, MANY, QUERIES, WIDE

LISTS, PANELS = 20, 20
# As a status, what a person would see of a query that failed within an answer.
UNTOLD = 500


class Case(NamedTuple):
    """What is asked, in words, and how. Where `is_answered`, nothing but an answer will do."""

    name: str
    ask: object
    is_answered: bool = False


def all_cases():
    texts = [Case(apl, in_text(apl), apl in ANSWERED) for apl in QUERIES + MANY]
    wide = [Case(apl, in_text(apl, "wide"), apl in ANSWERED) for apl in WIDE]
    return texts + wide + OTHERS


def in_text(apl, org=None):
    return lambda service: [service.ask(apl, org)[:2]]


def batch(queries):
    """Statuses of all queries of one request."""
    body = json.dumps([{"queryId": str(number), "aplRequest": {"apl": apl}} for number, apl in enumerate(queries)])

    def ask(service):
        status, text = service.post(f"/v1/query/batch?maxConcurrency={len(queries)}", body)
        if status != 200:
            return [(status, text)]
        events = [json.loads(line[5:]) for line in text.splitlines() if line.startswith(b"data:")]
        failures = [event["error"] for event in events if "error" in event]
        statuses = [(failure.get("code", UNTOLD), json.dumps(failure).encode()) for failure in failures]
        lacking = [(UNTOLD, b"a query of a batch has no answer")] * (len(queries) - len(events))
        return [*statuses, *lacking, (200, b"")]

    return ask


def export(apl, form):
    def ask(service):
        status, body = service.post("/v2/exports", json.dumps({"apl": apl, "format": form}))
        return [service.get(json.loads(body)["link"])] if status == 200 else [(status, body)]

    return ask


def statistics(apl, fields):
    body = json.dumps({"apl": apl, "fields": fields, "top": 100})
    return lambda service: [service.post("/v1/query/fields", body)]


def tool(name, arguments):
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    return lambda service: [service.post("/mcp", json.dumps(call))]


OTHERS = [
    Case("20 lists with one request", batch(["d | take 50000"] * LISTS)),
    Case("20 sorted lists with one request", batch(["d | sort by s asc, u desc | take 50000"] * LISTS)),
    Case(
        "20 lists of computed texts with one request",
        batch([f"d | extend t = strrep(s, {number + 1}) | take 50000" for number in range(LISTS)]),
    ),
    Case(
        "a dashboard of 20 panels",
        batch([f"d | summarize count(), make_set(s), max(u) by bin(n, {number + 2}), w" for number in range(PANELS)]),
    ),
    Case("a file of all events, as CSV", export("d", "csv")),
    Case("a file of all events, as NDJSON", export("d", "ndjson")),
    Case("a file of 50,000 events, as Parquet", export("d | take 50000", "parquet")),
    Case("a file of computed texts", export("d | extend t = strrep(s, 300)", "csv")),
    Case("a file of sparse events", export("sparse", "ndjson")),
    Case("figures of all fields", statistics("d", ["s", "n", "w", "u", "o", "a"])),
    Case("figures of computed texts", statistics("d | extend t = strrep(s, 5000), r = range(1, n, 1)", ["t", "r"])),
    Case("figures of 50 sparse fields", statistics("sparse", [f"f_{number}" for number in range(50)])),
    Case("a tool of language models that lists", tool("queryApl", {"apl": "d | extend t = strrep(s, 1000)", "limit": 1000})),
    Case("a tool of language models that groups", tool("queryApl", {"apl": "d | summarize make_list(s) by u | count"})),
    Case("a tool of language models about fields", tool("getDatasetSchema", {"dataset": "sparse"})),
]
