"""The limits of fast ways (docs/internals/fast-paths.md) that events and questions are to lie on both sides of, and
what was seen of each. The limits are read from the code; what is counted here is counted by DuckDB."""

import pathlib
import re

from stages import Beside, Distinct, Summarize

CRATES = pathlib.Path(__file__).resolve().parents[2] / "crates"

# What is counted, the constant and its file, and how many events it takes to come to the other side.
LIMITS = (
    ("keys", "PACKED_MAX", "engine/src/groups/places.rs", 0),
    ("keys", "KEYS_MAX", "engine/src/groups/merge.rs", 0),
    ("combinations", "TABLE_PLACES", "engine/src/groups/dense.rs", 0),
    ("combinations", "a 32-bit number", 2**32, 0),
    ("combinations", "a 64-bit number", 2**64, 0),
    ("rows", "NARROW_ROWS", "engine/src/groups/wide.rs", 70_000),
    ("rows", "COUNTED_ROWS", "engine/src/events/walk.rs", 600_000),
    ("groups", "WIDE_GROUPS", "engine/src/groups/wide.rs", 0),
    ("groups", "GROUPS_MAX", "engine/src/groups/dense/kept.rs", 20_000),
    ("groups", "GROUPS_MAX", "engine/src/groups/dense.rs", 600_000),
    ("spread of a key", "SPREAD_MAX", "engine/src/groups/dense/codes.rs", 0),
    ("spread of a key", "SPREAD_MAX", "exec/src/expr/input.rs", 0),
    ("bytes of a key", "SHORT_MAX", "engine/src/groups/many/keys/short.rs", 0),
    ("bytes of a key", "INLINE_MAX", "exec/src/types.rs", 0),
    ("different values", "FEW", "aggregates/src/distinct.rs", 5_000),
    ("values", "FEW", "aggregates/src/values.rs", 5_000),
    ("members of a set", "SET_DEFAULT", "aggregates/src/collect.rs", 0),
    ("values after in", "SET_LEAST", "bind/src/among.rs", 0),
    ("values after in", "LIST_MAX", "engine/src/prune.rs", 0),
    ("rows of a join", "BATCH_ROWS", "engine/src/partners.rs", 20_000),
    ("events of a request", "CHUNK_ROWS", "store/src/blocks/memtable.rs", 40_000),
    ("events of an hour", "ROWS_MIN", "store/src/time_partitions.rs", 20_000),
    ("events of a day", "ROW_GROUP_ROWS", "store/src/segment.rs", 280_000),
    ("bytes of a text", "ID_BYTES_MAX", "store/src/segment/encoding.rs", 0),
    ("bytes of a text", "TEXT_BYTES_LEAST", "store/src/templates/build.rs", 0),
    ("bytes of different texts", "DICTIONARY_BYTES_MAX", "store/src/segment/encoding.rs", 80_000),
    ("size of a number", "WHOLE_MAX", "cache/src/columns/narrow.rs", 0),
)


def value_of(constant, place):
    """The value of a constant as the code has it."""
    if isinstance(place, int):
        return place
    source = (CRATES / place).read_text()
    found = re.search(rf"\bconst {constant}: \w+ = ([0-9_.<>()* +-]+);", source)
    if not found:
        raise SystemExit(f"oracle: {place} has no constant {constant}; mend the list in tests/oracle/limits.py")
    return eval(found[1])


class Seen:
    """The least and the greatest of what was counted."""

    def __init__(self, database):
        self.database = database
        self.ends = {}

    def note(self, what, *values):
        for value in values:
            if value is not None:
                least, greatest = self.ends.get(what, (value, value))
                self.ends[what] = (min(least, value), max(greatest, value))

    def note_events(self, fields):
        """What lies in the events themselves."""
        for what, step in (("events of an hour", 3_600_000_000_000), ("events of a day", 86_400_000_000_000)):
            rows = self.database.execute(f"SELECT count(*) FROM all_events GROUP BY _time // {step}").fetchall()
            self.note(what, *(count for count, in rows))
        for field, kind in fields.items():
            if kind == "VARCHAR":
                texts = f"SELECT avg(strlen({field})), sum(DISTINCT strlen({field})) FROM all_events"
                self.note("bytes of a text", self.database.execute(texts).fetchone()[0])
                whole = f"SELECT sum(strlen(t)) FROM (SELECT DISTINCT {field} t FROM all_events)"
                self.note("bytes of different texts", self.database.execute(whole).fetchone()[0])
            if kind == "BIGINT":
                # In 128 bits: the least number of 64 has no opposite there.
                size = f"SELECT min(abs({field}::HUGEINT)), max(abs({field}::HUGEINT)) FROM all_events"
                self.note("size of a number", *self.database.execute(size).fetchone())

    def note_query(self, query):
        """What a question makes of them. Only what is grouped and joined first is counted."""
        for at, stage in enumerate(query.stages):
            before = query.sql_of(query.stages[:at])
            for count in re.findall(r" !?in \(([^()]*)\)", stage.apl()):
                self.note("values after in", count.count(",") + 1)
            if isinstance(stage, Beside):
                self.note("rows of a join", *self.database.execute(f"SELECT count(*) FROM ({before})").fetchone())
            if isinstance(stage, (Summarize, Distinct)):
                return self.note_groups(query, at, before)
        self.note("rows", *self.database.execute(f"SELECT count(*) FROM ({before})").fetchone())

    def note_groups(self, query, at, before):
        stage = query.stages[at]
        keys = [ex.sql for _, ex in stage.keys] if isinstance(stage, Summarize) else [f'"{field}"' for field in stage.fields]
        self.note("keys", len(keys))
        counted = ["count(*)", *(f"count(DISTINCT {key}) + 1" for key in keys)]
        rows, *different = self.database.execute(f"SELECT {', '.join(counted)} FROM ({before})").fetchone()
        self.note("rows", rows)
        combinations = 1
        for count in different:
            combinations *= count
        self.note("combinations", combinations)
        grouped = query.sql_of(query.stages[:at + 1])
        self.note("groups", *self.database.execute(f"SELECT count(*) FROM ({grouped})").fetchone())
        table = query.table_of(query.stages[:at + 1])
        for field, kind in table.items():
            if field in ("_time",) or kind not in ("int", "text", "distinct", "set", "percentile", "whole percentile"):
                continue
            name = f'"{field}"'
            counted = {
                "int": ("spread of a key", f"max({name})::HUGEINT - min({name})::HUGEINT, NULL"),
                "text": ("bytes of a key", f"min(strlen({name})), max(strlen({name}))"),
                "distinct": ("different values", f"min({name}), max({name})"),
                "set": ("members of a set", f"min(len({name})), max(len({name}))"),
            }.get(kind, ("values", f"min({name}.n), max({name}.n)"))
            self.note(counted[0], *self.database.execute(f"SELECT {counted[1]} FROM ({grouped})").fetchone())

    def report(self, events):
        """Lines for the limits, and how many were not crossed although there are enough events for it."""
        lines, missed = [], 0
        for what, constant, place, events_least in LIMITS:
            limit = value_of(constant, place)
            least, greatest = self.ends.get(what, (None, None))
            if least is not None and least <= limit < greatest:
                continue
            is_missed = events >= events_least
            missed += is_missed
            why = "not crossed" if is_missed else f"takes {events_least} events"
            lines.append(f"oracle: {constant} = {limit}, {what} from {least} to {greatest}: {why}")
        crossed = len(LIMITS) - len(lines)
        lines.append(f"oracle: {crossed} of {len(LIMITS)} limits were crossed from both sides")
        return lines, missed
