"""Talks to the service through the last axiom-py that asks questions in JSON and takes answers in the legacy format."""

import warnings
from datetime import datetime, timedelta, timezone

from axiom_py import AplOptions, Client
from axiom_py.client import AplResultFormat
from axiom_py.query import Aggregation, Filter, FilterOperation, Order, Projection, QueryKind, QueryLegacy, QueryOptions, VirtualField

from checks import check_refusal, equal, truth

START = datetime(2026, 6, 1, 12, 0, 0, tzinfo=timezone.utc)
END = START + timedelta(hours=1)
LARGEST = 2**63 - 1


def fill(client):
    client.datasets.create("python-legacy")
    events = [{"_time": START + timedelta(minutes=n), "n": n, "text": f"GET /{n}", "even": n % 2 == 0} for n in range(10)]
    events[3]["whole"] = LARGEST
    equal(client.ingest_events("python-legacy", events).ingested, 10)


def events_in_json(client):
    """Single events: filter with children, order, projection, saved in the history."""
    small = Filter(FilterOperation.LESS_THAN, "n", 5, children=[])
    text = Filter(FilterOperation.STARTS_WITH, "text", "get", children=[])
    query = QueryLegacy(
        START,
        END,
        filter=Filter(FilterOperation.AND, "", None, children=[small, text]),
        order=[Order("_time", False)],
        project=[Projection("n", "number"), Projection("whole", "")],
        limit=4,
    )
    result = client.query_legacy("python-legacy", query, QueryOptions(streamingDuration=timedelta(seconds=1), nocache=True))
    equal([entry.data for entry in result.matches], [
        {"number": 0, "whole": None}, {"number": 1, "whole": None}, {"number": 2, "whole": None}, {"number": 3, "whole": LARGEST},
    ])
    equal([entry._time for entry in result.matches][:2], ["2026-06-01T12:00:00Z", "2026-06-01T12:01:00Z"])
    equal((result.status.rowsExamined, result.status.rowsMatched, result.status.isPartial), (10, 5, False))
    equal((result.buckets.series, result.buckets.totals), ([], []))
    truth(result.savedQueryID, "the id of the query in the history")


def groups_in_json(client):
    query = QueryLegacy(
        START,
        END,
        resolution="36s",
        aggregations=[Aggregation("count", "*", "events"), Aggregation("sum", "n"), Aggregation("max", "whole")],
        groupBy=["late"],
        virtualFields=[VirtualField("late", "n >= 8")],
        order=[Order("late", True)],
        limit=0,
    )
    result = client.query_legacy("python-legacy", query, QueryOptions(saveAsKind=QueryKind.STREAM))
    found = [(total.group, [(part.op, part.value) for part in total.aggregations]) for total in result.buckets.totals]
    equal(found, [
        ({"late": True}, [("events", 2), ("SUM", 17), ("MAX", None)]),
        ({"late": False}, [("events", 8), ("SUM", 28), ("MAX", LARGEST)]),
    ])
    filled = [interval for interval in result.buckets.series if interval.groups]
    equal(len(filled), 10)
    equal((filled[0].startTime, filled[0].endTime), (START, START + timedelta(seconds=36)))
    equal((result.matches, result.status.numGroups), ([], 2))


def pages_in_json(client):
    seen, cursor = [], None
    while True:
        result = client.query_legacy("python-legacy", QueryLegacy(START, END, limit=3, cursor=cursor), QueryOptions())
        if not result.matches:
            break
        seen += [entry.data["n"] for entry in result.matches]
        cursor = result.status.minCursor
    equal(seen, list(range(9, -1, -1)))


def text_in_both_formats(client):
    legacy = AplOptions(start_time=START, end_time=END, format=AplResultFormat.Legacy)
    result = client.query("['python-legacy'] | where n < 2 | sort by _time asc", legacy)
    equal([entry.data["text"] for entry in result.matches], ["GET /0", "GET /1"])
    equal(result.tables, None)
    result = client.query("['python-legacy'] | summarize events = count(), sum(n) by even | sort by even asc", legacy)
    found = [(total.group, [(part.op, part.value) for part in total.aggregations]) for total in result.buckets.totals]
    equal(found, [({"even": False}, [("events", 5), ("sum_n", 25)]), ({"even": True}, [("events", 5), ("sum_n", 20)])])

    result = client.query("['python-legacy'] | where true", AplOptions(format=AplResultFormat.Legacy))
    equal([(message.code, message.msg) for message in result.status.messages], [(
        "apl_whereclausealwaysevaluatestoTRUEwhichwillincludealldata_1",
        "where clause always evaluates to TRUE, which will include all data",
    )])
    tabular = client.query("['python-legacy'] | count", AplOptions(format=AplResultFormat.Tabular))
    equal((list(tabular.tables[0].events()), tabular.matches), ([{"Count": 10}], None))


def refusals(client):
    check_refusal(404, "dataset not found", lambda: client.query_legacy("python-unknown", QueryLegacy(START, END), QueryOptions()))
    unknown = QueryLegacy(START, END, aggregations=[Aggregation("guess", "n")])
    check_refusal(422, "op in body must be one of", lambda: client.query_legacy("python-legacy", unknown, QueryOptions()), exact=False)
    backwards = QueryLegacy(END, START)
    check_refusal(422, "endTime in body must be after startTime", lambda: client.query_legacy("python-legacy", backwards, QueryOptions()))


def main():
    warnings.simplefilter("ignore", FutureWarning)
    client = Client()
    for part in [fill, events_in_json, groups_in_json, pages_in_json, text_in_both_formats, refusals]:
        part(client)
    client.datasets.delete("python-legacy")


main()
