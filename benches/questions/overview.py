"""Questions of dashboards and of who looks into something: counts, percentiles, tops, lists of events."""

from .question import (
    Question, aggregate, both, bucket, is_, matched_spans, query, series_counts, span_ids, table_rows, text, words,
)

ERRORS = is_("status", ">=", 500)
GROUPED = "SELECT count(*), sum(n) FROM (SELECT service, status, {bucket}, count(*) AS n FROM {events} GROUP BY ALL)"
COUNTED = "SELECT count(*), sum(n) FROM (SELECT {bucket} AS t, count(*) AS n FROM {events} GROUP BY t)"
# The peers' estimates of a far percentile are off by as much.
PERCENTILES = {"ClickHouse": 6.0, "DuckDB": 15.0}


def grouped(name, window, seconds):
    """Asked in text, because the peers too answer with the number of the groups and not with all of them."""
    statements = {peer: GROUPED.format(bucket=of, events=window.events) for peer, of in bucket(seconds).items()}
    body = text(window, f"summarize n = count() by service, status, bin(_time, {seconds}s) | summarize count(), sum(n)")
    return Question(name, body, statements["ClickHouse"], statements["DuckDB"], own=table_rows)


def percentiles(name, window):
    return Question(
        name,
        query(window, aggregations=[
            aggregate("avg", "duration_ms", "a"),
            aggregate("percentiles", "duration_ms", "p", argument=[50, 95, 99]),
        ], groupBy=["service"]),
        "SELECT service, avg(duration_ms), quantilesTDigest(0.5, 0.95, 0.99)(duration_ms) "
        f"FROM {window.events} GROUP BY service",
        "SELECT service, avg(duration_ms), approx_quantile(duration_ms, [0.5, 0.95, 0.99]) "
        f"FROM {window.events} GROUP BY service",
        percent=PERCENTILES,
    )


def quarter_percentile(window):
    return Question(
        "p95 over 15 minutes",
        text(window, "summarize percentile(duration_ms, 95) by service"),
        f"SELECT service, quantileTDigest(0.95)(duration_ms) FROM {window.events} GROUP BY service",
        f"SELECT service, approx_quantile(duration_ms, 0.95) FROM {window.events} GROUP BY service",
        own=table_rows, percent=PERCENTILES,
    )


def questions(times):
    whole, quarter = times.whole, times.quarter
    counted = {peer: COUNTED.format(bucket=of, events=whole.events) for peer, of in bucket(times.fine).items()}
    return [
        Question(
            f"count by {words(times.fine)}",
            query(whole, f"{times.fine}s", aggregations=[aggregate("count")]),
            counted["ClickHouse"], counted["DuckDB"], own=series_counts,
        ),
        percentiles("average and percentiles by service", whole),
        Question(
            "top paths of failures",
            query(whole, filter=ERRORS, aggregations=[aggregate("count")], groupBy=["path"], limit=10),
            f"SELECT path, count(*) AS n FROM {whole.events} AND status >= 500 GROUP BY path "
            "ORDER BY n DESC, path LIMIT 10",
        ),
        Question(
            "distinct users",
            query(whole, aggregations=[aggregate("distinct", "user_id")]),
            f"SELECT uniqCombined64(17)(user_id) FROM {whole.events}",
            f"SELECT approx_count_distinct(user_id) FROM {whole.events}",
            percent={"ClickHouse": 3.0, "DuckDB": 6.0},
        ),
        Question(
            "last 100 failures, all fields",
            query(whole, filter=ERRORS, limit=100),
            f"SELECT * FROM {whole.events} AND status >= 500 ORDER BY _time DESC LIMIT 100",
            own=matched_spans, theirs=span_ids,
        ),
        grouped(f"service and status by {words(times.coarse)}", whole, times.coarse),
        grouped("the same over 15 minutes, by 5 seconds", quarter, 5),
        Question(
            "three filters",
            query(whole, filter=both(is_("service", "==", "payments"), is_("region", "==", "us-west-2"), ERRORS),
                  aggregations=[aggregate("count"), aggregate("max", "duration_ms", "m")]),
            f"SELECT count(*), max(duration_ms) FROM {whole.events} AND service = 'payments' "
            "AND region = 'us-west-2' AND status >= 500",
        ),
        quarter_percentile(quarter),
    ]
