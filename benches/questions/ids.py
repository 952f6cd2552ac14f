"""Looking for one id among all events, and groups of as many keys as there are ids."""

from .question import Question, aggregate, is_, matched_spans, query, span_ids, table_rows, text

DIFFERENT = "SELECT span_id, count(*) AS n FROM {events} GROUP BY span_id ORDER BY n DESC, span_id LIMIT 10"


def one(name, field, value, window):
    return Question(
        name,
        query(window, filter=is_(field, "==", value)),
        f"SELECT * FROM {window.events} AND {field} = '{value}' ORDER BY _time DESC LIMIT 1000",
        own=matched_spans, theirs=span_ids,
    )


def questions(times, trace, user):
    whole = times.whole
    return [
        one("one trace", "trace_id", trace, whole),
        one("one user", "user_id", user, whole),
        Question(
            "top users",
            query(whole, aggregations=[aggregate("count")], groupBy=["user_id"], limit=10),
            f"SELECT user_id, count(*) AS n FROM {whole.events} GROUP BY user_id ORDER BY n DESC, user_id LIMIT 10",
        ),
        Question(
            "groups that are all different",
            query(whole, aggregations=[aggregate("count")], groupBy=["span_id"], limit=10),
            DIFFERENT.format(events=whole.events),
        ),
        Question(
            "the same, in text",
            text(whole, "summarize n = count() by span_id | sort by n desc, span_id asc | take 10"),
            DIFFERENT.format(events=whole.events),
            own=table_rows,
        ),
    ]
