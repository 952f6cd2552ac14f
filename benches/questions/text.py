"""Searches in the text of messages: words that are common, rare, absent or a part of an id, and a pattern."""

from .question import Question, aggregate, is_, query

# One message in fifteen has it.
COMMON = "checksum"
# One in 270 has it.
RARE = "breaker"
ABSENT = "xylophone"
PATTERN = "after [0-9]{3}\\.[0-9]+ ms"
# ClickHouse reads a backslash in a literal as the begin of an escape.
ESCAPED = PATTERN.replace("\\", "\\\\")


def contains(name, word, window):
    return Question(
        name,
        query(window, filter=is_("message", "contains", word, caseSensitive=True), aggregations=[aggregate("count")]),
        f"SELECT count(*) FROM {window.events} AND message LIKE '%{word}%'",
    )


def questions(times, part_of_id):
    whole = times.whole
    return [
        contains("text: a common word", COMMON, whole),
        contains("text: a rare word", RARE, whole),
        contains("text: an absent word", ABSENT, whole),
        contains("text: a part of an id", part_of_id, whole),
        Question(
            "text: a regular expression",
            query(whole, filter=is_("message", "regexp", PATTERN), aggregations=[aggregate("count")]),
            f"SELECT count(*) FROM {whole.events} AND match(message, '{ESCAPED}')",
            f"SELECT count(*) FROM {whole.events} AND regexp_matches(message, '{PATTERN}')",
        ),
    ]
