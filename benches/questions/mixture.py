"""What many clients ask at once: mostly windows of 15 minutes, as dashboards and monitors do, and now and then a
question about all events, as people do. Windows lie anywhere and whole ranges begin anywhere in their first tenth, so
that hardly any question is asked twice. Answers are small: what is measured is the engine, not the reading of answers.
"""

from datetime import timedelta
from random import Random

from . import firehose, overview
from .question import Ask, Window, table_rows, text

WINDOW_SECONDS = 15 * 60
# Of ten questions.
WINDOWED = 7


def top(window, field, sql_field, where, sql_where):
    return Ask(
        text(window, f"where {where} | summarize n = count() by {field} | sort by n desc, {field} asc | take 10"),
        f"SELECT {sql_field} AS k, count(*) AS n FROM {window.events} AND {sql_where} GROUP BY k "
        "ORDER BY n DESC, k LIMIT 10",
        own=table_rows,
    )


def counted(window, where, sql_where):
    return Ask(
        text(window, f"where {where} | summarize n = count()"), f"SELECT count(*) FROM {window.events} AND {sql_where}",
        own=table_rows,
    )


def only(question):
    (ask,) = question.asks(0)
    return ask


class Mixture:
    """Questions about a window and about all, each a function of the range of time."""

    def __init__(self, windowed, whole):
        self.windowed, self.whole = windowed, whole

    def draw(self, times, seed, count):
        """So many asks, each with whether it is about a window: the same for the same seed."""
        rng = Random(seed)
        return [self.one(times, rng, rng.randrange(10) < WINDOWED) for _ in range(count)]

    def windows(self, times, seed, count):
        """So many asks about windows."""
        rng = Random(seed)
        return [self.one(times, rng, True) for _ in range(count)]

    def one(self, times, rng, is_windowed):
        begin, end = times.whole.begin, times.whole.end
        if is_windowed:
            start = begin + timedelta(seconds=rng.randrange(max(1, times.whole.seconds - WINDOW_SECONDS)))
            window = Window(start, min(end, start + timedelta(seconds=WINDOW_SECONDS)))
        else:
            window = Window(begin + timedelta(seconds=rng.randrange(max(1, times.whole.seconds // 10))), end)
        return is_windowed, rng.choice(self.windowed if is_windowed else self.whole)(window)


WEB = Mixture(
    [
        lambda window: only(overview.grouped("", window, 5)),
        lambda window: only(overview.quarter_percentile(window)),
        lambda window: top(window, "path", "path", "status >= 500", "status >= 500"),
        lambda window: counted(window, "message contains_cs 'checksum'", "message LIKE '%checksum%'"),
    ],
    [
        lambda window: top(window, "service", "service", "status >= 200", "status >= 200"),
        lambda window: top(window, "path", "path", "status >= 500", "status >= 500"),
        lambda window: counted(
            window, "service == 'payments' and region == 'us-west-2' and status >= 500",
            "service = 'payments' AND region = 'us-west-2' AND status >= 500",
        ),
        lambda window: counted(window, "message contains_cs 'breaker'", "message LIKE '%breaker%'"),
    ],
)

COLLECTION = "['commit.collection']"
FIREHOSE = Mixture(
    [
        lambda window: only(firehose.counted("", window, 5, ["commit.collection"], [COLLECTION])),
        lambda window: only(firehose.percentiles("", window)),
        lambda window: top(window, COLLECTION, "commit.collection", firehose.CREATED, firehose.SQL_CREATED),
        lambda window: counted(
            window, "['commit.record.text'] contains_cs 'morning'", "commit.record.text LIKE '%morning%'",
        ),
    ],
    [
        lambda window: top(window, COLLECTION, "commit.collection", firehose.CREATED, firehose.SQL_CREATED),
        lambda window: top(window, "did", "did", firehose.POSTS, firehose.SQL_POSTS),
        lambda window: counted(
            window, "['relay.verified'] == true and ['relay.region'] == 'ap-south'",
            "relay.verified = true AND relay.region = 'ap-south'",
        ),
        lambda window: counted(
            window, "['commit.record.text'] contains_cs 'archipelago'", "commit.record.text LIKE '%archipelago%'",
        ),
    ],
)
