"""Groups over time, ranges, messages and pages."""

from datetime import timedelta

from axiom_py import AplOptions

from checks import START, equal, rows, truth


def queries(client):
    """Groups over time with their totals, ranges, and messages."""
    events = [{"_time": START + timedelta(minutes=n), "n": n, "even": n % 2 == 0} for n in range(10)]
    equal(client.ingest_events("python-series", events).ingested, 10)
    result = client.query(
        "['python-series'] | summarize count(), sum(n) by bin(_time, 5m), even | sort by _time asc, even asc"
    )
    table, totals = result.tables
    equal((table.name, totals.name), ("0", "_totals"))
    equal([group.name for group in table.groups], ["_time", "even"])
    equal((table.buckets.field, table.buckets.size), ("_time", 300_000_000_000))
    equal([field.agg.name for field in table.fields if field.agg], ["count", "sum"])
    times = ["2026-06-01T12:00:00Z"] * 2 + ["2026-06-01T12:05:00Z"] * 2
    equal(table.columns, [times, [False, True, False, True], [2, 3, 3, 2], [4, 6, 21, 14]])
    equal(sorted(zip(*totals.columns)), [(False, 5, 25), (True, 5, 20)])
    equal(result.status.numGroups, 2)

    within = rows(
        client, "['python-series'] | count", start_time=START, end_time=START + timedelta(minutes=4)
    )
    equal(within, [{"Count": 4}])
    truth(client.query("['python-series'] | where true").status.messages, "a message about the filter")
    equal(list(client.apl_query("['python-series'] | where n > 100").tables[0].events()), [])


def paging(client):
    """Pages of events of the same moment, by the cursor in the status."""
    equal(
        client.ingest_events("python-pages", [{"_time": START, "n": n} for n in range(1000)]).ingested, 1000
    )
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
