"""The questions of the query benchmark: what the service is asked, the same in SQL, and how answers are compared.

A question gives the body of a dataset query, a statement for each peer, and two functions that bring answers into one
form: a list of rows of plain values. The service always answers with a series over time beside the totals; where a
question is about totals alone, the peers are asked for those alone.
"""

DAY = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")
QUARTER = ("2026-01-01T18:00:00Z", "2026-01-01T18:15:00Z")


class Question:
    def __init__(self, name, body, clickhouse, duckdb=None, own=None, percent=None):
        self.name, self.body = name, body
        self.clickhouse, self.duckdb = clickhouse, duckdb or clickhouse
        self.own = own or totals
        # How far the answer of each peer may differ, in percent, where engines estimate. None is not at all.
        self.percent = percent


def query(window, resolution="auto", **fields):
    return {"startTime": window[0], "endTime": window[1], "resolution": resolution, **fields}


def count(alias="n"):
    return {"op": "count", "field": "*", "alias": alias}


def is_(field, op, value, **more):
    return {"field": field, "op": op, "value": value, **more}


def both(*filters):
    return {"op": "and", "field": "", "children": list(filters)}


def totals(answer):
    """The groups over the whole range: their keys, then their values."""
    rows = []
    for group in answer["buckets"]["totals"]:
        keys = [group["group"][key] for key in sorted(group["group"])]
        values = [value for aggregation in group["aggregations"] for value in flat(aggregation["value"])]
        rows.append([*keys, *values])
    return sorted(rows, key=str)


def series_counts(answer):
    """How many rows the series has, and the sum of all its first values."""
    groups = [group for bucket in answer["buckets"]["series"] for group in bucket["groups"]]
    return [[len(groups), sum(group["aggregations"][0]["value"] for group in groups)]]


def matched_ids(answer):
    return sorted([match["data"]["span_id"]] for match in answer["matches"])


def flat(value):
    return value if isinstance(value, list) else [value]


def between(window, column="_time"):
    start, end = (moment.replace("T", " ").removesuffix("Z") for moment in window)
    return f"{column} >= '{start}' AND {column} < '{end}'"


ERRORS = is_("status", ">=", 500)
GROUPED = "SELECT count(*), sum(n) FROM (SELECT service, status, {bucket}, count(*) AS n FROM {table} WHERE {where} GROUP BY ALL)"


def questions(trace):
    events, quarter = f"bench.events WHERE {between(DAY)}", between(QUARTER)
    percentiles = "[0.5, 0.95, 0.99]"
    return [
        Question(
            "count by 2 minutes, a day",
            query(DAY, "2m", aggregations=[count()]),
            "SELECT count(*), sum(n) FROM (SELECT toStartOfInterval(_time, INTERVAL 2 MINUTE) AS t, count() AS n "
            f"FROM {events} GROUP BY t)",
            "SELECT count(*), sum(n) FROM (SELECT time_bucket(INTERVAL 2 MINUTE, _time) AS t, count(*) AS n "
            f"FROM {events} GROUP BY t)",
            own=series_counts,
        ),
        Question(
            "average and percentiles by service",
            query(DAY, aggregations=[
                {"op": "avg", "field": "duration_ms", "alias": "a"},
                {"op": "percentiles", "field": "duration_ms", "alias": "p", "argument": [50, 95, 99]},
            ], groupBy=["service"]),
            "SELECT service, avg(duration_ms), quantilesTDigest(0.5, 0.95, 0.99)(duration_ms) "
            f"FROM {events} GROUP BY service",
            f"SELECT service, avg(duration_ms), approx_quantile(duration_ms, {percentiles}) "
            f"FROM {events} GROUP BY service",
            # DuckDB's estimate of a far percentile is off by as much.
            percent={"ClickHouse": 3.0, "DuckDB": 15.0},
        ),
        Question(
            "top paths of failures",
            query(DAY, filter=ERRORS, aggregations=[count()], groupBy=["path"], limit=10),
            f"SELECT path, count(*) AS n FROM {events} AND status >= 500 GROUP BY path ORDER BY n DESC, path LIMIT 10",
        ),
        Question(
            "distinct users",
            query(DAY, aggregations=[{"op": "distinct", "field": "user_id", "alias": "n"}]),
            f"SELECT uniqCombined64(17)(user_id) FROM {events}",
            f"SELECT approx_count_distinct(user_id) FROM {events}",
            percent={"ClickHouse": 3.0, "DuckDB": 6.0},
        ),
        Question(
            "one trace",
            query(DAY, filter=is_("trace_id", "==", trace)),
            f"SELECT * FROM {events} AND trace_id = '{trace}' ORDER BY _time DESC LIMIT 1000",
            own=matched_ids,
        ),
        Question(
            "a rare word in the message",
            query(DAY, filter=is_("message", "contains", "checksum", caseSensitive=True), aggregations=[count()]),
            f"SELECT count(*) FROM {events} AND message LIKE '%checksum%'",
        ),
        Question(
            "a regular expression",
            query(DAY, filter=is_("message", "regexp", "after [0-9]{3}\\.[0-9]+ ms"), aggregations=[count()]),
            f"SELECT count(*) FROM {events} AND match(message, 'after [0-9]{{3}}\\\\.[0-9]+ ms')",
            f"SELECT count(*) FROM {events} AND regexp_matches(message, 'after [0-9]{{3}}\\.[0-9]+ ms')",
        ),
        Question(
            "last 100 failures, all fields",
            query(DAY, filter=ERRORS, limit=100),
            f"SELECT * FROM {events} AND status >= 500 ORDER BY _time DESC LIMIT 100",
            own=matched_ids,
        ),
        Question(
            "service and status by 5 minutes",
            query(DAY, "5m", aggregations=[count()], groupBy=["service", "status"]),
            GROUPED.format(bucket="toStartOfFiveMinutes(_time)", table="bench.events", where=between(DAY)),
            GROUPED.format(bucket="time_bucket(INTERVAL 5 MINUTE, _time)", table="bench.events", where=between(DAY)),
            own=series_counts,
        ),
        Question(
            "the same over 15 minutes, by 5 seconds",
            query(QUARTER, "5s", aggregations=[count()], groupBy=["service", "status"]),
            GROUPED.format(bucket="toStartOfInterval(_time, INTERVAL 5 SECOND)", table="bench.events", where=quarter),
            GROUPED.format(bucket="time_bucket(INTERVAL 5 SECOND, _time)", table="bench.events", where=quarter),
            own=series_counts,
        ),
        Question(
            "top users",
            query(DAY, aggregations=[count()], groupBy=["user_id"], limit=10),
            f"SELECT user_id, count(*) AS n FROM {events} GROUP BY user_id ORDER BY n DESC, user_id LIMIT 10",
        ),
        Question(
            "three filters",
            query(DAY, filter=both(is_("service", "==", "payments"), is_("region", "==", "us-west-2"), ERRORS),
                  aggregations=[count(), {"op": "max", "field": "duration_ms", "alias": "m"}]),
            f"SELECT count(*), max(duration_ms) FROM {events} AND service = 'payments' AND region = 'us-west-2' "
            "AND status >= 500",
        ),
        Question(
            "p95 over 15 minutes",
            query(QUARTER, aggregations=[{"op": "percentiles", "field": "duration_ms", "alias": "p", "argument": [95]}],
                  groupBy=["service"]),
            f"SELECT service, quantileTDigest(0.95)(duration_ms) FROM bench.events WHERE {quarter} GROUP BY service",
            f"SELECT service, approx_quantile(duration_ms, 0.95) FROM bench.events WHERE {quarter} GROUP BY service",
            # DuckDB's estimate of a far percentile is off by as much.
            percent={"ClickHouse": 3.0, "DuckDB": 15.0},
        ),
    ]
