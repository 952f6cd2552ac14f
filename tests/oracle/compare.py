"""Whether an answer of the service has the rows that DuckDB has: whole numbers, texts and times exactly, reals within
a share of 1e-9, estimates within what the service promises. Nothing is left out."""

import collections
import json
import math

from events import WHOLE_MAX, WHOLE_MIN, nanoseconds_of
from queries import DISTINCT_SHARE, EXACT_VALUES, PERCENTILE_SHARE

REAL_SHARE = 1e-9
SET_MAX = 128

# Lists that are shorter as text are not cut.
LIST_BYTES_SURE = 1 << 19

# Columns by which rows are put beside each other; the others differ in their last digits, or more.
EXACT_KINDS = ("int", "text", "bool", "time", "mixed")


def mixed(value):
    """The one value that a field of several types has."""
    values = [part for part in (value or {}).values() if part is not None]
    return values[0] if values else None


def finite(value):
    """Infinities and what is no number are shown as null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def expected_value(value, kind):
    match kind:
        case "mixed":
            return mixed(value)
        case "real" | "spread":
            return finite(value)
        case "set" | "list":
            return value or []
        case _:
            return value


def answered_value(value, kind):
    if kind == "time" and isinstance(value, str):
        return nanoseconds_of(value)
    return value


def is_near(value, wanted, share):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return value == wanted or abs(value - wanted) <= share * max(abs(value), abs(wanted))


def is_same(value, wanted, kind):
    if kind == "set":
        if len(wanted) <= SET_MAX:
            return sorted(map(repr, value)) == sorted(map(repr, wanted))
        return len(value) == SET_MAX and len(set(map(repr, value))) == SET_MAX and set(value) <= set(wanted)
    if kind == "list":
        left_over = collections.Counter(map(repr, value)) - collections.Counter(map(repr, wanted))
        return not left_over and (len(value) == len(wanted) or len(json.dumps(wanted)) > LIST_BYTES_SURE)
    if kind == "topk":
        return is_most_frequent(value, wanted["h"] or {}, wanted["k"])
    if kind in ("percentile", "whole percentile"):
        wanted, count = wanted["v"], wanted["n"] or 0
        if wanted is None or value is None:
            return wanted is value
        if count > EXACT_VALUES and kind == "whole percentile":
            # The estimate is rounded to a whole number.
            return type(value) is int and abs(value - wanted) <= PERCENTILE_SHARE * abs(wanted) + 0.5
        return is_near(value, wanted, REAL_SHARE if count <= EXACT_VALUES else PERCENTILE_SHARE)
    if wanted is None or value is None:
        return wanted is value
    match kind:
        case "real" | "spread":
            return isinstance(value, float) and is_near(value, wanted, REAL_SHARE)
        case "distinct":
            return value == wanted if wanted <= EXACT_VALUES else is_near(value, wanted, DISTINCT_SHARE)
        case "sum" if not WHOLE_MIN <= wanted <= WHOLE_MAX:
            return is_near(value, wanted, REAL_SHARE)
        case _:
            return type(value) is type(wanted) and value == wanted


def is_most_frequent(value, counts, most):
    """Of values that are equally frequent any will do."""
    told = [entry["count"] for entry in value]
    is_right = all(entry["error"] == 0 and counts.get(entry["key"]) == entry["count"] for entry in value)
    return is_right and told == sorted(counts.values(), reverse=True)[:most] and len({entry["key"] for entry in value}) == len(value)


def row_key(kinds):
    """A key that puts rows of exact values into one order, whatever their types."""
    exact = [at for at, kind in enumerate(kinds) if kind in EXACT_KINDS]
    rest = [at for at, kind in enumerate(kinds) if kind in ("real", "sum")]

    def key(row):
        exactly = [(type(row[at]).__name__, row[at]) if row[at] is not None else ("", 0) for at in exact]
        return exactly, [(row[at] is not None, row[at] or 0) for at in rest]

    return key


def difference(query, answer, wanted):
    """What is different, as text; none if nothing is. `answer` is a table of the service, `wanted` rows of DuckDB."""
    table = query.table()
    names, kinds = list(table), list(table.values())
    columns = {field["name"]: column for field, column in zip(answer["fields"], answer["columns"])}
    if query.has_whole_events():
        # Only the service knows when an event came, and only DuckDB of fields that no event has had yet.
        columns.pop("_sysTime", None)
        count = len(next(iter(columns.values()), ()))
        columns = {name: [None] * count for name in names} | columns
    if sorted(columns) != sorted(names):
        return f"the columns are {sorted(columns)} instead of {sorted(names)}"
    columns = [columns[name] for name in names]
    rows = [tuple(answered_value(value, kind) for value, kind in zip(row, kinds)) for row in zip(*columns)]
    wanted = [tuple(expected_value(value, kind) for value, kind in zip(row, kinds)) for row in wanted]
    if not query.is_ordered():
        rows.sort(key=row_key(kinds))
        wanted.sort(key=row_key(kinds))
    found = []
    if len(rows) != len(wanted):
        found.append(f"{len(rows)} rows instead of {len(wanted)}")
    for at, (row, other) in enumerate(zip(rows, wanted)):
        differing = [name for name, *values in zip(names, row, other, kinds) if not is_same(*values)]
        if differing:
            found.append(f"row {at} differs in {differing}\n  answered {cut(row)}\n  expected {cut(other)}")
        if len(found) > 2:
            break
    if found and len(rows) != len(wanted) and len(found) == 1:
        longer, what = (rows, "answered") if len(rows) > len(wanted) else (wanted, "expected")
        found.append(f"only {what}: {cut(longer[min(len(rows), len(wanted))])}")
    return "\n".join(found) or None


def cut(row):
    text = repr(dict(enumerate(row)))
    return text if len(text) < 800 else text[:800] + " …"
