"""Questions by chance: a list of stages over the events, in a range of time, that is written in both languages."""

import dataclasses

import events
from dialect import column, name
from events import HOUR
from expressions import Ex, Grower
from stages import KEEPING_THE_RIGHT, Beside, Count, Distinct, Extend, First, Newest, Outermost, Project, Summarize, Union, Where

KINDS = {"BIGINT": "int", "DOUBLE": "real", "VARCHAR": "text", "BOOLEAN": "bool", events.MIXED: "mixed"}
TABLE = {"_time": "time", **{field: KINDS[kind] for field, kind in events.FIELDS.items()}}

# Fields with so many values that a group by them has about as many groups as rows.
VERY_MANY = ("id", "seq", "hi", "uniq", "uuid", "msg", "_time")

# Fields with so few values that the most frequent are counted exactly.
FEW_VALUES = frozenset(("n2", "n10", "n60", "s3", "s10", "s60"))

# Rows of an answer beyond which it is counted or cut instead of being compared row by row.
ROWS_SHOWN = 6_000

# The service tells how exact these are: to the value up to so many values, and then within these shares.
EXACT_VALUES = 1024
DISTINCT_SHARE = 0.05
PERCENTILE_SHARE = 0.0041


@dataclasses.dataclass(frozen=True)
class Query:
    stages: tuple
    start: int | None = None
    end: int | None = None

    def table(self):
        """The columns that the answer has; fails where stages do not fit together."""
        return self.table_of(self.stages)

    @staticmethod
    def table_of(stages):
        table = TABLE
        for stage in stages:
            table = stage.after(table)
        return table

    def apl(self):
        return "\n| ".join(["events", *(stage.apl() for stage in self.stages)])

    def sql(self):
        return self.sql_of(self.stages)

    def sql_of(self, stages):
        bounds = [f"_time {operator} {bound}" for operator, bound in ((">=", self.start), ("<", self.end)) if bound is not None]
        text = "SELECT * FROM events" + (f" WHERE {' AND '.join(bounds)}" if bounds else "")
        others = f" WHERE {' AND '.join(bounds)}" if bounds else ""
        for stage in stages:
            text = stage.sql(text)
        # The range of the request is that of every dataset that the question reads.
        return text.replace("FROM partners", f"FROM (SELECT * FROM partners{others}) partners") if others else text

    def is_whole(self):
        """Whether the answer has all rows: single events are cut to a thousand where nothing is said."""
        return any(isinstance(stage, (Summarize, Outermost, Distinct, Count, First, Newest)) for stage in self.stages)

    def has_whole_events(self):
        """Whether the answer has the fields of events as they are."""
        return not any(isinstance(stage, (Project, Summarize, Outermost, Distinct, Count)) for stage in self.stages)

    def is_ordered(self):
        return bool(self.stages) and isinstance(self.stages[-1], (First, Newest))


class Author:
    def __init__(self, chance, samples):
        self.chance = chance
        self.grower = Grower(chance, samples)
        self.samples = samples

    def one_in(self, count):
        return self.grower.one_in(count)

    def query(self):
        stages, table = [], TABLE

        def add(stage):
            nonlocal table
            if stage is not None:
                table = stage.after(table)
                stages.append(stage)

        for _ in range(self.chance.choice((0, 1, 1, 1, 2))):
            add(self.row_stage(table, len(stages)))
        if self.one_in(8):
            add(self.beside(table))
        elif self.one_in(20):
            add(self.projected_join(table, add))
        elif self.one_in(15):
            add(self.projected_union(table, add))
        is_single = not any(isinstance(stage, (Beside, Union)) for stage in stages)
        match self.chance.randrange(20):
            case 0:
                add(Count())
            case 1 | 2 | 3 if is_single:
                self.listed(table, add)
            case 7 if is_single:
                self.outermost(table, add)
            case 4 | 5 | 6:
                self.distinct(table, add)
            case _:
                self.grouped(table, add)
        start, end = self.range()
        return Query(tuple(stages), start, end)

    def first_of_all(self):
        """Aggregates of more values than are exact or kept, which chance draws too seldom."""
        hi, f, n = (self.grower.of(TABLE, field) for field in ("hi", "f", "n300"))
        listed = f"list({f.sql}) FILTER (WHERE {f.sql} IS NOT NULL)"
        ranked = f"{{'v': rank_of({listed}, 50)::DOUBLE, 'n': len({listed})}}"
        aggregates = (
            ("a0", hi.with_text(f"dcount({hi.apl})", f"count(DISTINCT {hi.sql})", "distinct")),
            ("a1", f.with_text(f"percentile({f.apl}, 50)", ranked, "percentile")),
            ("a2", n.with_text(f"make_set({n.apl})", f"list(DISTINCT {n.sql})", "set")),
        )
        return Query((Summarize(aggregates, ()),))

    def range(self):
        """Everything, or a stretch of the events: an end is mostly a time that an event has."""
        if self.one_in(2):
            return None, None
        start, end = sorted(self.chance.choice(self.samples["_time"]) for _ in range(2))
        start, end = start // HOUR * HOUR if self.one_in(2) else start, end + self.chance.choice((0, 1, HOUR))
        least, most = events.WILD_SECONDS[0] * events.SECOND, events.WILD_SECONDS[-1] * events.SECOND
        start = max(start, least)
        return start, max(start + 1, min(end, most))

    # Stages that look at one row.

    def row_stage(self, table, number):
        if not self.one_in(3):
            return Where(self.grower.condition(table))
        return Extend(tuple((f"e{number}{at}", self.grower.value(table)) for at in range(self.chance.choice((1, 1, 2)))))

    def beside(self, table):
        left, right = self.chance.choice((("n300", "key"), ("s10", "code"), ("n60", "key"), ("opt", "key")))
        where, where_sql = self.chance.choice((
            ("", ""), (" | where rank < 300", " WHERE rank < 300"), (' | where name contains "a"', " WHERE contains(lower(name), 'a')"),
        ))
        if right == "code":
            # Every code has many partners: few of them, so that there are not too many rows.
            where, where_sql = " | where rank < 20", " WHERE rank < 20"
        fields = [("r_name", "name", "text"), ("r_weight", "weight", "real"), ("r_rank", "rank", "int")]
        self.chance.shuffle(fields)
        fields = tuple(fields[:self.chance.randrange(1, 4)])
        if self.one_in(3):
            return Beside("lookup", self.chance.choice(("leftouter", "inner")), left, right, where, where_sql, fields)
        kind = self.chance.choice(("inner", "leftouter", "leftsemi", "leftanti"))
        return Beside("join", kind, left, right, where, where_sql, fields)

    def projected_join(self, table, add):
        """The kinds of joins that hang on all columns of the left, which are few therefore."""
        fields = [field for field in ("id", "n300", "n60", "s10", "s3", "f", "b", "_time") if field in table]
        add(Project(tuple((field, self.grower.of(table, field)) for field in fields)))
        joined = self.beside(table)
        while joined.left not in fields:
            joined = self.beside(table)
        kind = self.chance.choice(("innerunique", "rightouter", "fullouter"))
        texts = tuple(field for field in fields if table[field] == "text") if kind in KEEPING_THE_RIGHT else ()
        return dataclasses.replace(joined, operator="join", kind=kind, texts=texts, fields=() if kind == "innerunique" else joined.fields)

    def projected_union(self, table, add):
        fields = [field for field in ("id", "n300", "s10", "word", "f", "_time") if field in table]
        add(Project(tuple((field, self.grower.of(table, field)) for field in fields)))
        there = {"n300": ("key", "int"), "s10": ("code", "text"), "word": ("name", "text"), "f": ("weight", "real")}
        chosen = [field for field in fields if field in there and not self.one_in(3)] or ["n300"]
        return Union(tuple((field, *there[field]) for field in chosen))

    # Ends.

    def listed(self, table, add):
        """Events as they are, in an order that `id` makes whole; beside others an `id` may be there twice."""
        if self.one_in(4):
            add(Project((("_time", self.grower.of(table, "_time")),)))
            return add(Newest(self.chance.choice((1, 20, 500, 5_000))))
        fields = self.chance.sample([field for field in table if field != "id"], min(len(table) - 1, self.chance.randrange(1, 6)))
        if self.one_in(2):
            add(Project(tuple((field, self.grower.of(table, field)) for field in ["id", *fields])))
            table = {field: table[field] for field in ["id", *fields]}
        add(self.first(table, ("id",), fields))

    def first(self, table, unique, fields):
        """The first rows by some fields and then by those that make the order whole."""
        sortable = [field for field in fields if table[field] in ("int", "real", "text", "time", "bool") and field not in unique]
        chosen = self.chance.sample(sortable, min(len(sortable), self.chance.randrange(3)))
        nulls = ("", "", "", "first", "last")
        keys = [(field, self.one_in(2), self.chance.choice(nulls)) for field in chosen]
        keys += [(field, self.one_in(2), self.chance.choice(nulls)) for field in unique]
        return First(tuple(keys), self.chance.choice((0, 1, 10, 25, 100, 1000)), self.one_in(3), unique)

    def distinct(self, table, add):
        fields = self.keys(table, self.chance.choice((1, 1, 2, 3, 5, 9, 14)))
        fields = tuple(field for field, ex in fields if ex.apl == name(field)) or ("n10",)
        fields = tuple(field for field in fields if field in table) or (next(iter(table)),)
        add(Distinct(fields))
        self.shortened({field: table[field] for field in fields}, fields, add)

    def keys(self, table, count):
        """Pairs of a name and what is grouped by: columns mostly, among them few with very many values."""
        keys, names = [], [field for field, kind in table.items() if not (field in VERY_MANY and not self.one_in(12))]
        self.chance.shuffle(names)
        for field in names[:count]:
            if table[field] == "time" or self.one_in(10):
                ex = self.grower.bucket(table) if self.one_in(2) else self.grower.value(table)
                if ex is not None:
                    keys.append((f"k{len(keys)}", ex))
            elif field != "big":
                keys.append((field, self.grower.of(table, field)))
        return keys

    def grouped(self, table, add):
        count = self.chance.choice((0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 8, 10, 12, 17))
        keys = self.keys(table, count)
        if table.get("_time") == "time" and self.one_in(4):
            keys.insert(self.chance.randrange(len(keys) + 1), ("_time", self.grower.bucket({"_time": "time"})))
        aggregates = []
        for at in range(self.chance.choice((1, 1, 2, 3, 5))):
            aggregates.append((f"a{at}", self.aggregate(table)))
        stage = Summarize(tuple(aggregates), tuple(keys))
        add(stage)
        after = stage.after(table)
        exact = {field: kind for field, kind in after.items() if kind in ("int", "real", "text", "bool", "time")}
        if self.one_in(6) and exact:
            condition = self.grower.condition({field: kind for field, kind in exact.items() if kind != "real"} or exact, 1)
            # A sum of reals differs in its last digits, so that no condition may hang on it.
            if not any(exact[field] == "real" for field in condition.uses):
                add(Where(condition))
        self.shortened(after, tuple(field for field, _ in keys), add)

    def outermost(self, table, add):
        keys = self.keys(table, self.chance.choice((0, 1, 1, 2, 3, 5, 9)))
        names = {"id", *(field for field, _ in keys)}
        keys = tuple((field, ex) for field, ex in keys if field != "id")
        free = [field for field in table if field not in names]
        stage = Outermost(self.one_in(2), tuple(self.chance.sample(free, min(len(free), self.chance.randrange(1, 5)))), keys)
        add(stage)
        self.shortened(stage.after(table), tuple(field for field, _ in keys), add)

    def shortened(self, table, unique, add):
        """Behind groups: as they are, the first of them, groups of groups, or how many."""
        sortable = all(table[field] != "mixed" for field in unique) and unique
        is_bucketed = "_time" in unique
        match self.chance.randrange(8):
            case 0:
                add(Count())
            case 1 | 2 | 3 if sortable:
                exact = tuple(field for field in table if table[field] in ("int", "text", "time", "bool"))
                first = self.first(table, unique, exact)
                # `take` behind groups over time is about groups, which is not what SQL says.
                add(dataclasses.replace(first, is_top=first.is_top or is_bucketed))
            case 4 if len(table) > 1:
                keys = tuple((field, self.grower.of(table, field)) for field in unique[:1])
                wholes = [field for field, kind in table.items() if kind == "int" and field not in unique[:1]]
                aggregates = [("z0", Ex("count()", "count(*)", "int"))]
                if wholes:
                    of = self.grower.of(table, self.chance.choice(wholes))
                    aggregates.append(("z1", of.with_text(f"max({of.apl})", f"max({of.sql})", "int")))
                add(Summarize(tuple(aggregates), keys))

    def aggregate(self, table):
        for _ in range(20):
            found = self.aggregate_or_none(table)
            if found is not None:
                return found
        return Ex("count()", "count(*)", "int")

    def aggregate_or_none(self, table):
        grower = self.grower
        when = grower.condition(table, 1) if self.one_in(4) else None
        tail, only = (f", {when.apl}", f" FILTER (WHERE {when.sql})") if when else ("", "")
        suffix = "if" if when else ""

        def call(function, of, sql, kind):
            others = (when,) if when else ()
            return of.with_text(f"{function}({of.apl}{tail})", sql, kind, *others)

        match self.chance.randrange(15):
            case 13:
                of = grower.column(table, "int", "text")
                if of is None or {"x", "big"} & of.uses:
                    return None
                listed = f"list({of.sql}) FILTER (WHERE {of.sql} IS NOT NULL{f' AND {when.sql}' if when else ''})"
                return call("make_list_if" if when else "make_list", of, listed, "list")
            case 14:
                of = grower.column(table, "int", "text")
                if of is None or not of.uses <= FEW_VALUES:
                    return None
                count = self.chance.choice((1, 3, 10))
                apl = f"topkif({of.apl}, {count}{tail})" if when else f"topk({of.apl}, {count})"
                return of.with_text(apl, f"{{'k': {count}, 'h': histogram({of.sql}){only}}}", "topk", *((when,) if when else ()))
            case 12:
                of = grower.column(table, "int", "real")
                if of is None or {"x", "y"} & of.uses:
                    return None
                function, sql = self.chance.choice((("stdev", "stddev_samp"), ("variance", "var_samp")))
                return call(f"{function}{suffix}", of, f"{sql}({of.sql}){only}", "spread")
            case 0 | 1:
                if when:
                    return when.with_text(f"countif({when.apl})", f"count(*) FILTER (WHERE {when.sql})", "int")
                return Ex("count()", "count(*)", "int")
            case 2 | 3:
                of = grower.number(table) if self.one_in(4) else grower.column(table, "int", "real")
                if of is None or "y" in of.uses:
                    return None
                if of.kind == "int":
                    return call(f"sum{suffix}", of, f"coalesce(sum({of.sql}::HUGEINT){only}, 0)", "sum")
                return call(f"sum{suffix}", of, f"coalesce(sum({of.sql}){only}, 0)", "real")
            case 4:
                of = grower.column(table, "int", "real")
                if of is None or "y" in of.uses or "x" in of.uses:
                    return None
                return call(f"avg{suffix}", of, f"avg({of.sql}){only}", "real")
            case 5 | 6 | 7:
                of = grower.column(table, "int", "real", "text", "time")
                if of is None:
                    return None
                function = self.chance.choice(("min", "max"))
                return call(f"{function}{suffix}", of, f"{function}({of.sql}){only}", of.kind)
            case 8 | 9:
                of = grower.column(table, "int", "real", "text")
                if of is None:
                    return None
                return call(f"dcount{suffix}", of, f"count(DISTINCT {of.sql}){only}", "distinct")
            case 10:
                of = grower.column(table, "int", "real")
                if of is None or {"x", "y"} & of.uses:
                    return None
                share = self.chance.choice((1, 25, 50, 90, 99, 100))
                listed = f"list({of.sql}) FILTER (WHERE {of.sql} IS NOT NULL{f' AND {when.sql}' if when else ''})"
                of = of.with_text(of.apl, of.sql, of.kind, *((when,) if when else ()))
                apl = f"percentile{suffix}({of.apl}, {share}{tail})"
                return of.with_text(apl, f"{{'v': rank_of({listed}, {share})::DOUBLE, 'n': len({listed})}}", "percentile" if of.kind == "real" else "whole percentile")
            case _:
                of = grower.column(table, "int", "text")
                if of is None or when:
                    return None
                return of.with_text(f"make_set({of.apl})", f"list(DISTINCT {of.sql}) FILTER (WHERE {of.sql} IS NOT NULL)", "set")
