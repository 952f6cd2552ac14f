"""Whether two engines gave the same answer: rows of one form, equal or as near as an estimate may be."""

from peers.columns import CLICKHOUSE_COLUMNS
from peers.process import PEERS
from questions import question as forms

SPAN_PLACE = [column for column, _, _ in CLICKHOUSE_COLUMNS].index("span_id")


def plain(name, ask, answer):
    """Rows of one form: of the service by the question, of peers as they are, with lists laid out."""
    if not name.startswith(tuple(PEERS)):
        return ask.own(answer)
    if ask.own is forms.matched_spans:
        return sorted([row[SPAN_PLACE]] for row in answer)
    return sorted(([value for cell in row for value in forms.flat(cell)] for row in answer), key=str)


def difference(asks, name, answers, other, others):
    """What is not equal between the answers of two engines, or None."""
    for ask, left, right in zip(asks, answers, others, strict=True):
        left, right = plain(name, ask, left), plain(other, ask, right)
        if not agree(left, right, ask.percent.get(other.removesuffix(" kept"))):
            return f"{name} {str(left)[:300]} but {other} {str(right)[:300]}"
    return None


def agree(left, right, percent):
    return len(left) == len(right) and all(
        len(a) == len(b) and all(near(x, y, percent) for x, y in zip(a, b)) for a, b in zip(left, right)
    )


def near(left, right, percent):
    """Whole numbers and texts are equal unless engines estimate; sums of fractions depend on the order of adding."""
    left, right = number(left), number(right)
    if isinstance(left, str) or isinstance(right, str) or left is None or right is None:
        return left == right
    if percent is None and isinstance(left, int) and isinstance(right, int):
        return left == right
    return abs(left - right) <= (percent or 1e-7) / 100 * max(abs(left), abs(right))


def number(value):
    """Counts come as texts from some."""
    return int(value) if isinstance(value, str) and value.isdigit() else value
