"""Talks to the service through axiom-py as it is on PyPI, and checks every value that comes back.

Usage: main.py [rate-limit]. The address, the organisation and the owner's personal token come from AXIOM_URL,
AXIOM_ORG_ID and AXIOM_TOKEN, which the client reads by itself. Annotations are left out: the service has none yet.
"""

import asyncio
import gzip
import json
import os
import sys
from datetime import datetime, timedelta, timezone

from axiom_py import AplOptions, AsyncClient, AxiomError, Client, ContentEncoding, ContentType, IngestOptions
from axiom_py.tokens import (
    CreateTokenRequest,
    RegenerateTokenRequest,
    TokenDatasetCapabilities,
    TokenOrganizationCapabilities,
)

from checks import check_refusal, equal, rate_limit_refuses, truth

LARGEST, SMALLEST = 2**63 - 1, -(2**63)
START = datetime(2026, 6, 1, 12, 0, 0, tzinfo=timezone.utc)
BODIES = {
    ContentType.JSON: b'[{"_time":"2026-06-01T12:00:00.123456789Z","source":"%s","n":3},{"_time":"2026-06-01T12:00:01Z","source":"%s","n":4}]',
    ContentType.NDJSON: b'{"_time":"2026-06-01T12:00:00.123456789Z","source":"%s","n":3}\n{"_time":"2026-06-01T12:00:01Z","source":"%s","n":4}\n',
    ContentType.CSV: b"_time,source,n\n2026-06-01T12:00:00.123456789Z,%s,3\n2026-06-01T12:00:01Z,%s,4\n",
}


def rows(client, apl, **options):
    """The rows of the first table of the answer."""
    return list(client.query(apl, AplOptions(**options)).tables[0].events())


def datasets(client):
    made = client.datasets.create("python-web", "Requests")
    equal((made.id, made.name, made.description), ("python-web", "python-web", "Requests"))
    equal(made.who, client.users.current().id)
    truth(datetime.fromisoformat(made.created.replace("Z", "+00:00")).tzinfo, "a time with its zone")
    equal(client.datasets.get("python-web"), made)
    equal([dataset for dataset in client.datasets.get_list() if dataset.name == "python-web"], [made])
    changed = client.datasets.update("python-web", "Requests to the shop")
    equal(changed.description, "Requests to the shop")
    equal(client.datasets.get("python-web"), changed)


def user(client):
    current = client.users.current()
    equal((current.id[:5], current.role.id), ("user_", "owner"))
    truth("@" in current.email, "an address")


def formats(client):
    """Each content type in each encoding, read back at once."""
    client.datasets.create("python-formats")
    for content_type, body in BODIES.items():
        for encoding in ContentEncoding:
            source = f"{content_type.name}-{encoding.name}"
            body_sent = body % (source.encode(), source.encode())
            packed = gzip.compress(body_sent) if encoding is ContentEncoding.GZIP else body_sent
            status = client.ingest("python-formats", packed, content_type, encoding)
            equal((status.ingested, status.failed, status.failures), (2, 0, []))
            equal(status.processed_bytes, len(body_sent))
            as_text = content_type is ContentType.CSV
            apl = f"['python-formats'] | where source == '{source}' | sort by _time asc | project _time, n"
            expected = [
                {"_time": "2026-06-01T12:00:00.123456789Z", "n": "3" if as_text else 3},
                {"_time": "2026-06-01T12:00:01Z", "n": "4" if as_text else 4},
            ]
            equal(rows(client, apl), expected)
    apl = "['python-formats'] | summarize events = count(), total = sum(toint(n)) by source | sort by source asc"
    sources = sorted(f"{kind.name}-{encoding.name}" for kind in BODIES for encoding in ContentEncoding)
    equal(rows(client, apl), [{"source": source, "events": 2, "total": 7} for source in sources])


def ingest_options(client):
    """Times in a field and a layout of the caller's, another delimiter, and events that fail alone."""
    options = IngestOptions("when", "2/Jan/2006:15:04:05 -0700", ";")
    body = b"when;host\n17/May/2025:08:05:30 +0200;first\n"
    equal(client.ingest("python-times", body, ContentType.CSV, ContentEncoding.IDENTITY, options).ingested, 1)
    equal(rows(client, "['python-times'] | project-away _sysTime"), [{"_time": "2025-05-17T06:05:30Z", "host": "first"}])

    options = IngestOptions(timestamp_format="2/Jan/2006:15:04:05 +0000", CSV_delimiter=";")
    equal(client.ingest_events("python-times", [{"_time": "17/May/2025:08:05:30 +0000", "host": "second"}], options).ingested, 1)

    status = client.ingest_events("python-times", [{"_time": START, "host": "third"}, {"_time": "soon", "host": "lost"}])
    equal((status.ingested, status.failed, len(status.failures)), (1, 1, 1))
    truth(status.failures[0].error.startswith("event 1: "), status.failures[0].error)
    truth(isinstance(status.failures[0].timestamp, datetime), "a time of the failure")
    equal([row["host"] for row in rows(client, "['python-times'] | sort by _time asc, host asc")], ["first", "second", "third"])


def values(client):
    """Numbers of 64 bits, floats, truth values, arrays, objects and times come back as they went in."""
    events = [
        {"_time": START, "whole": LARGEST, "part": 0.1, "yes": True, "list": [1, "a", None], "geo": {"city": "Köln"}},
        {"_time": START + timedelta(microseconds=1), "whole": SMALLEST, "part": -1.5e300, "yes": False, "list": []},
        {"_time": START + timedelta(seconds=1), "whole": 2**53 + 1},
    ]
    equal(client.ingest_events("python-web", events).ingested, 3)
    apl = "['python-web'] | sort by _time asc | project _time, whole, part, yes, list, ['geo.city']"
    result = client.query(apl)
    table = result.tables[0]
    equal([(field.name, field.type) for field in table.fields], [
        ("_time", "datetime"), ("whole", "integer"), ("part", "float"), ("yes", "boolean"), ("list", "array"), ("geo.city", "string"),
    ])
    equal(table.columns, [
        ["2026-06-01T12:00:00Z", "2026-06-01T12:00:00.000001Z", "2026-06-01T12:00:01Z"],
        [LARGEST, SMALLEST, 2**53 + 1],
        [0.1, -1.5e300, None],
        [True, False, None],
        [[1, "a", None], [], None],
        ["Köln", None, None],
    ])
    equal([source.name for source in table.sources], ["python-web"])
    equal((result.status.rowsExamined, result.status.rowsMatched, result.status.isPartial), (3, 3, False))
    truth(result.status.elapsedTime > 0, "a time that it took")
    equal(rows(client, "['python-web'] | summarize max(whole), min(whole)"), [{"max_whole": LARGEST, "min_whole": SMALLEST}])


def queries(client):
    """Groups over time with their totals, ranges, and messages."""
    events = [{"_time": START + timedelta(minutes=n), "n": n, "even": n % 2 == 0} for n in range(10)]
    equal(client.ingest_events("python-series", events).ingested, 10)
    result = client.query("['python-series'] | summarize count(), sum(n) by bin(_time, 5m), even | sort by _time asc, even asc")
    table, totals = result.tables
    equal((table.name, totals.name), ("0", "_totals"))
    equal([group.name for group in table.groups], ["_time", "even"])
    equal((table.buckets.field, table.buckets.size), ("_time", 300_000_000_000))
    equal([field.agg.name for field in table.fields if field.agg], ["count", "sum"])
    times = ["2026-06-01T12:00:00Z"] * 2 + ["2026-06-01T12:05:00Z"] * 2
    equal(table.columns, [times, [False, True, False, True], [2, 3, 3, 2], [4, 6, 21, 14]])
    equal(sorted(zip(*totals.columns)), [(False, 5, 25), (True, 5, 20)])
    equal(result.status.numGroups, 2)

    within = rows(client, "['python-series'] | count", start_time=START, end_time=START + timedelta(minutes=4))
    equal(within, [{"Count": 4}])
    truth(client.query("['python-series'] | where true").status.messages, "a message about the filter")
    equal(list(client.apl_query("['python-series'] | where n > 100").tables[0].events()), [])


def paging(client):
    """Pages of events of the same moment, by the cursor in the status."""
    equal(client.ingest_events("python-pages", [{"_time": START, "n": n} for n in range(1000)]).ingested, 1000)
    apl, seen, cursor = "['python-pages'] | sort by _time desc | take 300", [], None
    while True:
        result = client.query(apl, AplOptions(cursor=cursor))
        page = [row["n"] for row in result.tables[0].events()]
        if not page:
            break
        seen += page
        cursor = result.status.minCursor
    equal((len(seen), sorted(seen)), (1000, list(range(1000))))
    first = client.query(apl, AplOptions()).status.minCursor
    again = rows(client, apl, cursor=first, includeCursor=True)
    equal([row["n"] for row in again], seen[299:599])


def tokens(client):
    capabilities = {"python-web": TokenDatasetCapabilities(ingest=["create"], query=["read"])}
    request = CreateTokenRequest(
        name="python",
        description="For a test",
        expiresAt="2099-01-01T00:00:00Z",
        datasetCapabilities=capabilities,
        orgCapabilities=TokenOrganizationCapabilities(users=["read"]),
    )
    made = client.tokens.create(request)
    truth(made.token.startswith("xaat-"), "an API token")
    equal((made.name, made.description, made.samlAuthenticated), ("python", "For a test", False))
    equal(made.expiresAt, datetime(2099, 1, 1, tzinfo=timezone.utc))
    equal(made.datasetCapabilities, capabilities)
    equal(made.orgCapabilities, TokenOrganizationCapabilities(users=["read"]))
    got = client.tokens.get(made.id)
    equal((got.id, got.datasetCapabilities, got.expiresAt), (made.id, capabilities, made.expiresAt))
    equal([token for token in client.tokens.list() if token.id == made.id], [got])

    limited = Client(token=made.token)
    equal(limited.users.current(), None)
    equal(rows(limited, "['python-web'] | count"), [{"Count": 3}])
    equal([dataset.name for dataset in limited.datasets.get_list()], ["python-web"])
    check_refusal(403, "token does not have access to resource: query with action: read", lambda: limited.query("['python-series']"))
    check_refusal(403, "token does not have access to resource: ingest with action: create", lambda: limited.ingest_events("python-series", [{"n": 1}]))
    check_refusal(403, "token does not have access to resource: datasets with action: create", lambda: limited.datasets.create("x"))

    end = datetime(2098, 1, 1, tzinfo=timezone.utc)
    renewed = client.tokens.regenerate(made.id, RegenerateTokenRequest(end, end))
    truth(renewed.id != made.id, "another token")
    equal((renewed.name, renewed.datasetCapabilities, renewed.expiresAt), ("python", capabilities, end))
    equal(client.tokens.get(made.id).expiresAt, end)
    for token in (made, renewed):
        client.tokens.delete(token.id)
        check_refusal(404, "token not found", lambda: client.tokens.get(token.id))
    check_refusal(401, "forbidden", lambda: limited.query("['python-web']"))


def edge(client):
    """The other pair of paths, which asks for an API token."""
    everything = TokenDatasetCapabilities(ingest=["create"], query=["read"])
    made = client.tokens.create(CreateTokenRequest(name="edge", datasetCapabilities={"*": everything}))
    near = Client(token=made.token, edge_url=os.environ["AXIOM_URL"])
    equal(near.ingest_events("python-times", [{"_time": START, "host": "edge"}]).ingested, 1)
    equal(rows(near, "['python-times'] | where host == 'edge' | count"), [{"Count": 1}])
    check_refusal(404, "dataset not found", lambda: near.ingest_events("python-unknown", [{"n": 1}]))
    client.tokens.delete(made.id)


def refusals(client):
    stranger = Client(token="xapt-123")
    check_refusal(401, "forbidden", stranger.datasets.get_list)
    check_refusal(401, "forbidden", stranger.users.current)
    check_refusal(404, "dataset not found", lambda: client.datasets.get("python-unknown"))
    check_refusal(404, "dataset not found", lambda: client.datasets.update("python-unknown", ""))
    check_refusal(404, "dataset not found", lambda: client.datasets.delete("python-unknown"))
    check_refusal(404, "dataset not found", lambda: client.datasets.trim("python-unknown", timedelta(hours=1)))
    check_refusal(404, 'dataset not found: "python-unknown"', lambda: client.query("['python-unknown']"))
    check_refusal(409, "there is a dataset with this name", lambda: client.datasets.create("python-web"))
    check_refusal(422, "name in body must be a dataset's name", lambda: client.datasets.create(""), exact=False)
    check_refusal(422, "name in body is required", lambda: client.tokens.create(CreateTokenRequest(name=None)))
    check_refusal(422, "startTime", lambda: client.query("['python-web']", AplOptions(start_time="soon")), exact=False)
    check_refusal(400, "line 1, column", lambda: client.query("['python-web'] | where"), exact=False)
    check_refusal(400, "malformed body at line 1, column 3", lambda: client.ingest("python-web", b"[{", ContentType.JSON, ContentEncoding.IDENTITY), exact=False)
    check_refusal(400, "gzip", lambda: client.ingest("python-web", b"[{}]", ContentType.JSON, ContentEncoding.GZIP), exact=False)


def trim(client):
    """Only what is older goes, and only whole segments of it."""
    client.ingest_events("python-trim", [{"_time": "2020-01-01T00:00:00Z", "n": 1}])
    client.datasets.trim("python-trim", timedelta(hours=1))
    client.ingest_events("python-trim", [{"n": 2}])
    client.datasets.trim("python-trim", timedelta(hours=1))
    equal(rows(client, "['python-trim'] | project n"), [{"n": 2}])


def deletion(client):
    for dataset in client.datasets.get_list():
        if dataset.name.startswith("python-"):
            client.datasets.delete(dataset.id)
    check_refusal(404, "dataset not found", lambda: client.datasets.get("python-web"))
    client.datasets.create("python-web")
    equal(rows(client, "['python-web'] | count"), [{"Count": 0}])
    client.datasets.delete("python-web")


async def asynchronous():
    """The same service through the client for asyncio, which has another HTTP library below it."""
    async with AsyncClient() as client:
        made = await client.datasets.create("python-async", "Asynchronous")
        equal(await client.datasets.get("python-async"), made)
        status = await client.ingest_events("python-async", [{"_time": START, "n": LARGEST}, {"_time": START, "n": 1}])
        equal((status.ingested, status.failed), (2, 0))
        result = await client.query("['python-async'] | summarize count(), max(n)")
        equal(list(result.tables[0].events()), [{"count_": 2, "max_n": LARGEST}])
        equal((await client.users.current()).role.id, "owner")
        made = await client.tokens.create(CreateTokenRequest(name="async"))
        equal([token.name for token in await client.tokens.list() if token.id == made.id], ["async"])
        await deleted(client.tokens.delete(made.id))
        equal([token for token in await client.tokens.list() if token.id == made.id], [])
        await client.datasets.trim("python-async", timedelta(hours=1))
        try:
            await client.datasets.create("python-async")
            raise AssertionError("a dataset was made twice")
        except AxiomError as error:
            equal((error.status, error.message), (409, "there is a dataset with this name"))
        await deleted(client.datasets.delete("python-async"))
        equal([dataset for dataset in await client.datasets.get_list() if dataset.name == "python-async"], [])


async def deleted(deletion):
    """This half of the client reads a JSON body where it deletes, and answers with 204 have none."""
    try:
        await deletion
    except json.JSONDecodeError:
        pass


def main():
    client = Client()
    if sys.argv[1:] == ["rate-limit"]:
        rate_limit_refuses(client.datasets.get_list)
        return
    parts = [datasets, user, formats, ingest_options, values, queries, paging, tokens, edge, refusals, trim, deletion]
    for part in parts:
        part(client)
    asyncio.run(asynchronous())


main()
