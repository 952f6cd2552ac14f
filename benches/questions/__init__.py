"""The questions of the benchmark: what the service is asked, the same in SQL, and how answers are compared."""

from . import ids, monitors, overview, text


def all_questions(times, samples):
    return [
        *overview.questions(times),
        *ids.questions(times, samples["trace"], samples["user"]),
        *text.questions(times, samples["part_of_id"]),
        *monitors.questions(times),
    ]
