"""Whether two engines gave the same answer: rows of one form, equal or as near as an estimate may be."""

from peers.process import PEERS


def plain(name, ask, answer):
    """Rows of one form. What is missing is an empty text in ClickHouse, and in no event is a text that is empty."""
    if not name.startswith(tuple(PEERS)):
        return ask.own(answer)
    if name.startswith("ClickHouse"):
        answer = [[None if cell == "" else cell for cell in row] for row in answer]
    return ask.theirs(answer)


def difference(asks, name, answers, other, others):
    """What is not equal between the answers of two engines, or None."""
    for ask, left, right in zip(asks, answers, others, strict=True):
        left, right = plain(name, ask, left), plain(other, ask, right)
        percent = ask.percent.get(other.removesuffix(" kept"))
        if not agree(left, right, percent):
            mine, theirs = first_difference(left, right, percent)
            return f"{name} {str(mine)[:300]} but {other} {str(theirs)[:300]}"
    return None


def first_difference(left, right, percent):
    """The first row that differs, or the last rows where one has more than the other."""
    pairs = zip(left, right)
    different = next(((a, b) for a, b in pairs if not agree([a], [b], percent)), None)
    return different or (f"{len(left)} rows, {left[-1:]}", f"{len(right)} rows, {right[-1:]}")


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
