"""Ten monitors that look at the last five minutes, a minute earlier in each round: their times are added up."""

from datetime import timedelta

from .overview import ERRORS, PERCENTILES
from .question import Ask, Moving, Window, aggregate, both, is_, query

MINUTES = 5


def ask(window, select, where=None, filter_=None, by=None, own=None, duckdb=None, percent=None):
    """An aggregation over the window, for the service and in SQL."""
    def statement(what):
        keys = f"{by}, " if by else ""
        condition = f" AND {where}" if where else ""
        return f"SELECT {keys}{what} FROM {window.events}{condition}" + (f" GROUP BY {by}" if by else "")

    body = query(window, aggregations=[own or aggregate("count")])
    if filter_:
        body["filter"] = filter_
    if by:
        body["groupBy"] = [by]
    return Ask(body, statement(select), statement(duckdb or select), percent=percent)


def ten(window):
    return [
        ask(window, "count(*)", "status >= 500", ERRORS),
        ask(window, "quantileTDigest(0.95)(duration_ms)", by="service", percent=PERCENTILES,
            own=aggregate("percentiles", "duration_ms", argument=[95]), duckdb="approx_quantile(duration_ms, 0.95)"),
        ask(window, "avg(duration_ms)", "service = 'payments'", is_("service", "==", "payments"),
            own=aggregate("avg", "duration_ms")),
        ask(window, "count(*)", by="level"),
        ask(window, "max(duration_ms)", own=aggregate("max", "duration_ms")),
        ask(window, "uniqCombined64(17)(user_id)", own=aggregate("distinct", "user_id"),
            duckdb="approx_count_distinct(user_id)", percent={"ClickHouse": 3.0, "DuckDB": 10.0}),
        ask(window, "count(*)", "message LIKE '%timed out%'",
            is_("message", "contains", "timed out", caseSensitive=True)),
        ask(window, "sum(bytes)", by="region", own=aggregate("sum", "bytes")),
        ask(window, "count(*)", "status >= 500 AND region = 'us-east-1'",
            both(ERRORS, is_("region", "==", "us-east-1")), by="service"),
        ask(window, "count(*)", "retries >= 3", is_("retries", ">=", 3)),
    ]


def questions(times):
    end = times.whole.end

    def make(round_):
        until = end - timedelta(minutes=round_)
        return ten(Window(until - timedelta(minutes=MINUTES), until))

    return [Moving(f"ten monitors over {MINUTES} minutes", make)]
