"""What a question is: the same thing asked of the service and in SQL, and how answers become rows that compare.

The service always answers a JSON query with a series over time beside the totals; where a question is about totals
alone, the peers are asked for those alone.
"""

from datetime import timedelta

from peers.columns import CLICKHOUSE_COLUMNS

SPAN_PLACE = [column for column, _, _ in CLICKHOUSE_COLUMNS].index("span_id")


class Ask:
    """One thing to ask: the body of a query to the service, a statement for each peer, and how rows are read: of the
    service by `own`, of the peers by `theirs`."""

    def __init__(self, body, clickhouse, duckdb=None, own=None, theirs=None, percent=None):
        self.body = body
        self.statements = {"ClickHouse": clickhouse, "DuckDB": duckdb or clickhouse}
        self.own, self.theirs = own or totals, theirs or laid_out
        # How far the answer of each peer may differ, in percent, where engines estimate. None is not at all.
        self.percent = percent or {}


class Question:
    """A name, and what is asked in a round: mostly the same one thing each time."""

    # The rows that the service gave in the first round, for runs that compare with it.
    reference = None

    def __init__(self, name, *arguments, **options):
        self.name = name
        self.always = [Ask(*arguments, **options)]

    def asks(self, _round):
        return self.always


class Moving(Question):
    """Several things at once, at a moment that moves with the round; their times are added up."""

    def __init__(self, name, make):
        self.name, self.make = name, make

    def asks(self, round_):
        return self.make(round_)


class Window:
    """A range of time as each engine writes it."""

    def __init__(self, begin, end):
        self.begin, self.end = begin, end
        self.start, self.stop = (f"{moment:%Y-%m-%dT%H:%M:%SZ}" for moment in (begin, end))
        self.seconds = int((end - begin).total_seconds())
        self.sql = f"_time >= '{begin:%Y-%m-%d %H:%M:%S}' AND _time < '{end:%Y-%m-%d %H:%M:%S}'"
        self.events = f"bench.events WHERE {self.sql}"

    def later(self, seconds):
        return Window(self.begin + timedelta(seconds=seconds), self.end + timedelta(seconds=seconds))


class Times:
    """The windows of the questions: everything, 15 minutes in the last quarter, and two lengths of buckets. Of a day
    the buckets are 2 and 5 minutes, and the 15 minutes begin at 18:00."""

    def __init__(self, begin, end):
        self.whole = Window(begin, end)
        middle = begin + timedelta(seconds=self.whole.seconds * 3 // 4)
        self.quarter = Window(middle, middle + timedelta(minutes=15))
        self.fine, self.coarse = self.whole.seconds // 720, self.whole.seconds // 288


def query(window, resolution="auto", **fields):
    return {"startTime": window.start, "endTime": window.stop, "resolution": resolution, **fields}


def text(window, stages):
    """A query in text."""
    return {"apl": f"['bench'] | {stages}", "startTime": window.start, "endTime": window.stop}


def aggregate(op, field="*", alias="n", **more):
    return {"op": op, "field": field, "alias": alias, **more}


def is_(field, op, value, **more):
    return {"field": field, "op": op, "value": value, **more}


def both(*filters):
    return {"op": "and", "field": "", "children": list(filters)}


def bucket(seconds):
    """The beginning of a row's bucket of time, for each peer."""
    return {
        "ClickHouse": f"toStartOfInterval(_time, INTERVAL {seconds} SECOND)",
        "DuckDB": f"time_bucket(INTERVAL {seconds} SECOND, _time)",
    }


def words(seconds):
    """A length of time as people say it."""
    if seconds % 60:
        return f"{seconds} seconds"
    return f"{seconds // 60} minutes"


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
    groups = [group for part in answer["buckets"]["series"] for group in part["groups"]]
    return [[len(groups), sum(group["aggregations"][0]["value"] for group in groups)]]


def matched_spans(answer):
    """The ids of the events that were shown."""
    return sorted([match["data"]["span_id"]] for match in answer["matches"])


def table_rows(answer):
    """The rows of a query in text."""
    return sorted(answer["tables"][0]["rows"], key=str)


def shown_times(answer):
    """The times of the events that a query in text has shown, as the number that they have themselves."""
    (table,) = answer["tables"]
    place = [field["name"] for field in table["fields"]].index("time_us")
    return sorted([row[place]] for row in table["rows"])


def laid_out(rows):
    """The rows of a peer, with lists as so many cells."""
    return sorted(([value for cell in row for value in flat(cell)] for row in rows), key=str)


def first_cells(rows):
    """Of rows of a peer that begin with what tells them apart."""
    return sorted([row[0]] for row in rows)


def span_ids(rows):
    """Of rows of a peer that are whole events of the web, in the order of its columns."""
    return sorted([row[SPAN_PLACE]] for row in rows)


def flat(value):
    return value if isinstance(value, list) else [value]
