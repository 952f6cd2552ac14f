"""The questions of the benchmark: what the service is asked, the same in SQL, and how answers are compared."""

from . import firehose, ids, monitors, overview, text


def all_questions(times, samples):
    """Those about the web's events."""
    return [
        *overview.questions(times),
        *ids.questions(times, samples["trace"], samples["user"]),
        *text.questions(times, samples["part_of_id"]),
        *monitors.questions(times),
    ]


def firehose_questions(times, samples):
    return firehose.questions(times, samples)
