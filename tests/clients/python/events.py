"""Events in every format and encoding that the client knows, by every way that it has, read back at once."""

import gzip
import logging
import os
from datetime import datetime, timedelta

from axiom_py import AxiomHandler, Client, ContentEncoding, ContentType, IngestOptions
from axiom_py.tokens import CreateTokenRequest, TokenDatasetCapabilities

from checks import LARGEST, SMALLEST, START, check_refusal, equal, rows, truth

FIRST = b'{"_time":"2026-06-01T12:00:00.123456789Z","source":"%s","n":3}'
SECOND = b'{"_time":"2026-06-01T12:00:01Z","source":"%s","n":4}'
BODIES = {
    ContentType.JSON: b"[" + FIRST + b"," + SECOND + b"]",
    ContentType.NDJSON: FIRST + b"\n" + SECOND + b"\n",
    ContentType.CSV: b"_time,source,n\n2026-06-01T12:00:00.123456789Z,%s,3\n2026-06-01T12:00:01Z,%s,4\n",
}


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
    apl = "['python-formats'] | summarize count(), sum(toint(n)) by source | sort by source asc"
    sources = sorted(f"{kind.name}-{encoding.name}" for kind in BODIES for encoding in ContentEncoding)
    equal(rows(client, apl), [{"source": source, "count_": 2, "sum_": 7} for source in sources])


def ingest_options(client):
    """Times in a field and a layout of the caller's, another delimiter, and events that fail alone."""
    options = IngestOptions("when", "2/Jan/2006:15:04:05 -0700", ";")
    body = b"when;host\n17/May/2025:08:05:30 +0200;first\n"
    equal(client.ingest("python-times", body, ContentType.CSV, ContentEncoding.IDENTITY, options).ingested, 1)
    equal(
        rows(client, "['python-times'] | project-away _sysTime"),
        [{"_time": "2025-05-17T06:05:30Z", "host": "first"}],
    )

    options = IngestOptions(timestamp_format="2/Jan/2006:15:04:05 +0000", CSV_delimiter=";")
    equal(
        client.ingest_events(
            "python-times", [{"_time": "17/May/2025:08:05:30 +0000", "host": "second"}], options
        ).ingested,
        1,
    )

    status = client.ingest_events(
        "python-times", [{"_time": START, "host": "third"}, {"_time": "soon", "host": "lost"}]
    )
    equal((status.ingested, status.failed, len(status.failures)), (1, 1, 1))
    truth(status.failures[0].error.startswith("event 1: "), status.failures[0].error)
    truth(isinstance(status.failures[0].timestamp, datetime), "a time of the failure")
    equal(
        [row["host"] for row in rows(client, "['python-times'] | sort by _time asc, host asc")],
        ["first", "second", "third"],
    )


def values(client):
    """Numbers of 64 bits, floats, truth values, arrays, objects and times come back as they went in."""
    events = [
        {
            "_time": START,
            "whole": LARGEST,
            "part": 0.1,
            "yes": True,
            "list": [1, "a", None],
            "geo": {"city": "Köln"},
        },
        {
            "_time": START + timedelta(microseconds=1),
            "whole": SMALLEST,
            "part": -1.5e300,
            "yes": False,
            "list": [],
        },
        {"_time": START + timedelta(seconds=1), "whole": 2**53 + 1},
    ]
    equal(client.ingest_events("python-web", events).ingested, 3)
    apl = "['python-web'] | sort by _time asc | project _time, whole, part, yes, list, ['geo.city']"
    result = client.query(apl)
    table = result.tables[0]
    equal(
        [(field.name, field.type) for field in table.fields],
        [
            ("_time", "datetime"),
            ("whole", "integer"),
            ("part", "float"),
            ("yes", "boolean"),
            ("list", "array"),
            ("geo.city", "string"),
        ],
    )
    equal(
        table.columns,
        [
            ["2026-06-01T12:00:00Z", "2026-06-01T12:00:00.000001Z", "2026-06-01T12:00:01Z"],
            [LARGEST, SMALLEST, 2**53 + 1],
            [0.1, -1.5e300, None],
            [True, False, None],
            [[1, "a", None], [], None],
            ["Köln", None, None],
        ],
    )
    equal([source.name for source in table.sources], ["python-web"])
    equal((result.status.rowsExamined, result.status.rowsMatched, result.status.isPartial), (3, 3, False))
    truth(result.status.elapsedTime > 0, "a time that it took")
    equal(
        rows(client, "['python-web'] | summarize max(whole), min(whole)"),
        [{"max_whole": LARGEST, "min_whole": SMALLEST}],
    )


def log(client):
    """The handler for Python's own logging sends its records when it is flushed."""
    handler = AxiomHandler(client, "python-log", interval=3600)
    logger = logging.getLogger("shop")
    logger.addHandler(handler)
    logger.warning("order %s is late", 7, extra={"order": LARGEST})
    handler.flush()
    handler.timer.cancel()
    apl = "['python-log'] | project name, levelname, msg, args, order"
    expected = {
        "name": "shop",
        "levelname": "WARNING",
        "msg": "order %s is late",
        "args": [7],
        "order": LARGEST,
    }
    equal(rows(client, apl), [expected])


def edge(client):
    """The other pair of paths, which asks for an API token."""
    everything = TokenDatasetCapabilities(ingest=["create"], query=["read"])
    made = client.tokens.create(CreateTokenRequest(name="edge", datasetCapabilities={"*": everything}))
    near = Client(token=made.token, edge_url=os.environ["AXIOM_URL"])
    equal(near.ingest_events("python-times", [{"_time": START, "host": "edge"}]).ingested, 1)
    equal(rows(near, "['python-times'] | where host == 'edge' | count"), [{"Count": 1}])
    check_refusal(404, "dataset not found", lambda: near.ingest_events("python-unknown", [{"n": 1}]))
    client.tokens.delete(made.id)
