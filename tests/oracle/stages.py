"""The stages of a query: each knows its text, its SQL over the stages before it, what it reads and what it leaves.
A stage says by `parts` which of its parts may be left out, so that a query that fails can be made smaller."""

import dataclasses

from dialect import column, name
from expressions import Ex


class Unfit(Exception):
    """A stage reads what the stages before it do not leave."""


def check(table, *expressions):
    for ex in expressions:
        missing = [field for field in ex.uses if field not in table]
        if missing:
            raise Unfit(missing)


def shown(field, ex):
    return name(field) if ex.apl == name(field) else f"{name(field)} = {ex.apl}"


def without(items, at):
    return items[:at] + items[at + 1:]


@dataclasses.dataclass(frozen=True)
class Where:
    condition: Ex

    def apl(self):
        return f"where {self.condition.apl}"

    def sql(self, before):
        return f"SELECT * FROM ({before}) WHERE {self.condition.sql}"

    def after(self, table):
        check(table, self.condition)
        return table

    def parts(self):
        return []


@dataclasses.dataclass(frozen=True)
class Extend:
    fields: tuple

    def apl(self):
        return "extend " + ", ".join(shown(field, ex) for field, ex in self.fields)

    def sql(self, before):
        return f"SELECT *, {', '.join(f'{ex.sql} AS {column(field)}' for field, ex in self.fields)} FROM ({before})"

    def after(self, table):
        check(table, *(ex for _, ex in self.fields))
        return table | {field: ex.kind for field, ex in self.fields}

    def parts(self):
        return [Extend(without(self.fields, at)) for at in range(len(self.fields)) if len(self.fields) > 1]


@dataclasses.dataclass(frozen=True)
class Project:
    fields: tuple

    def apl(self):
        return "project " + ", ".join(shown(field, ex) for field, ex in self.fields)

    def sql(self, before):
        return f"SELECT {', '.join(f'{ex.sql} AS {column(field)}' for field, ex in self.fields)} FROM ({before})"

    def after(self, table):
        check(table, *(ex for _, ex in self.fields))
        return {field: ex.kind for field, ex in self.fields}

    def parts(self):
        return [Project(without(self.fields, at)) for at in range(len(self.fields)) if len(self.fields) > 1]


@dataclasses.dataclass(frozen=True)
class Summarize:
    """Aggregates are (name, expression); one whose value may be an estimate has a kind of its own."""

    aggregates: tuple
    keys: tuple

    def apl(self):
        by = ", ".join(shown(field, ex) for field, ex in self.keys)
        aggregates = ", ".join(f"{name(field)} = {ex.apl}" for field, ex in self.aggregates)
        return f"summarize {aggregates}" + (f" by {by}" if by else "")

    def sql(self, before):
        columns = [f"{ex.sql} AS {column(field)}" for field, ex in self.keys + self.aggregates]
        # The keys get names of their own inside, because SQL would take a name for the column that it came from.
        by = f" GROUP BY {', '.join(ex.sql for _, ex in self.keys)}" if self.keys else ""
        return f"SELECT {', '.join(columns)} FROM ({before}){by}"

    def after(self, table):
        check(table, *(ex for _, ex in self.keys + self.aggregates))
        return {field: ex.kind for field, ex in self.keys + self.aggregates}

    def parts(self):
        less = [Summarize(self.aggregates, without(self.keys, at)) for at in range(len(self.keys))]
        less += [Summarize(without(self.aggregates, at), self.keys) for at in range(len(self.aggregates))]
        return [stage for stage in less if stage.aggregates]


@dataclasses.dataclass(frozen=True)
class Outermost:
    """Of each group the row with the least or the greatest `id`, which no two rows share."""

    is_most: bool
    fields: tuple
    keys: tuple

    def apl(self):
        function = "arg_max" if self.is_most else "arg_min"
        by = ", ".join(shown(field, ex) for field, ex in self.keys)
        return f"summarize {function}({', '.join(map(name, ('id', *self.fields)))})" + (f" by {by}" if by else "")

    def sql(self, before):
        order = "DESC" if self.is_most else "ASC"
        columns = [f"{ex.sql} AS {column(field)}" for field, ex in self.keys]
        # Unlike SQL's arg_max, `first` takes a row whose field is null.
        columns += [f"first({column(field)} ORDER BY id {order}) AS {column(field)}" for field in ("id", *self.fields)]
        by = f" GROUP BY {', '.join(ex.sql for _, ex in self.keys)}" if self.keys else ""
        return f"SELECT {', '.join(columns)} FROM ({before}){by}"

    def after(self, table):
        check(table, *(ex for _, ex in self.keys))
        if not {"id", *self.fields} <= set(table):
            raise Unfit(self.fields)
        return {field: ex.kind for field, ex in self.keys} | {field: table[field] for field in ("id", *self.fields)}

    def parts(self):
        less = [dataclasses.replace(self, keys=without(self.keys, at)) for at in range(len(self.keys))]
        return less + [dataclasses.replace(self, fields=without(self.fields, at)) for at in range(len(self.fields))]


@dataclasses.dataclass(frozen=True)
class Distinct:
    fields: tuple

    def apl(self):
        return "distinct " + ", ".join(map(name, self.fields))

    def sql(self, before):
        return f"SELECT DISTINCT {', '.join(map(column, self.fields))} FROM ({before})"

    def after(self, table):
        if not set(self.fields) <= set(table):
            raise Unfit(self.fields)
        return {field: table[field] for field in self.fields}

    def parts(self):
        return [Distinct(without(self.fields, at)) for at in range(len(self.fields)) if len(self.fields) > 1]


@dataclasses.dataclass(frozen=True)
class Count:
    def apl(self):
        return "count"

    def sql(self, before):
        return f'SELECT count(*) AS "Count" FROM ({before})'

    def after(self, _):
        return {"Count": "int"}

    def parts(self):
        return []


@dataclasses.dataclass(frozen=True)
class First:
    """The first rows in an order, by (field, is descending, where nulls are said to be)."""

    keys: tuple
    count: int
    is_top: bool
    needed: tuple

    def apl(self):
        def key(field, descending, nulls):
            return name(field) + (" desc" if descending else " asc") + (f" nulls {nulls}" if nulls else "")

        by = ", ".join(key(*parts) for parts in self.keys)
        return f"top {self.count} by {by}" if self.is_top else f"sort by {by}\n| take {self.count}"

    def sql(self, before):
        def key(field, descending, nulls):
            nulls = nulls or ("last" if descending else "first")
            return f"{column(field)} {'DESC' if descending else 'ASC'} NULLS {nulls}"

        return f"SELECT * FROM ({before}) ORDER BY {', '.join(key(*parts) for parts in self.keys)} LIMIT {self.count}"

    def after(self, table):
        if not {field for field, _, _ in self.keys} <= set(table) or not set(self.needed) <= set(table):
            raise Unfit(self.keys)
        return table

    def parts(self):
        # Without a key the order of rows would not be said to the last.
        return []


@dataclasses.dataclass(frozen=True)
class Newest:
    """So many events without a word about their order: the newest, of which only the times are sure."""

    count: int

    def apl(self):
        return f"take {self.count}"

    def sql(self, before):
        return f"SELECT * FROM ({before}) ORDER BY _time DESC LIMIT {self.count}"

    def after(self, table):
        if set(table) != {"_time"}:
            raise Unfit(table)
        return table

    def parts(self):
        return []


# Kinds of joins that have rows of the other dataset without a partner, as SQL has them.
KEEPING_THE_RIGHT = {"rightouter": "RIGHT", "fullouter": "FULL"}


@dataclasses.dataclass(frozen=True)
class Beside:
    """Rows of the other dataset beside those that are there: `join` or `lookup`. `fields` are (new name, field, kind),
    `texts` the texts that are there, for the kinds that leave rows without them."""

    operator: str
    kind: str
    left: str
    right: str
    where: str
    where_sql: str
    fields: tuple
    texts: tuple = ()

    def apl(self):
        fields = ", ".join(f"{name(new)} = {name(field)}" for new, field, _ in (("r_key", self.right, ""),) + self.fields)
        other = f"(partners{self.where} | project {fields})"
        return f"{self.operator} kind={self.kind} {other} on $left.{name(self.left)} == $right.{name('r_key')}"

    def sql(self, before):
        fields = ", ".join(f"{column(field)} AS {column(new)}" for new, field, _ in self.fields)
        other = f"SELECT {column(self.right)} AS r_key, true AS r_is_there{', ' + fields if fields else ''} FROM partners{self.where_sql}"
        on = f"l.{column(self.left)} = r.r_key"
        if self.kind in ("leftsemi", "leftanti"):
            joined = "SEMI" if self.kind == "leftsemi" else "ANTI"
            return f"SELECT l.* FROM ({before}) l {joined} JOIN ({other}) r ON {on}"
        if self.kind == "innerunique":
            return f"SELECT l.*, l.{column(self.left)} AS r_key FROM ({before}) l SEMI JOIN ({other}) r ON {on}"
        shown = []
        for new, _, kind in ((("r_key", "", self.key_kind()),) if self.operator == "join" else ()) + self.fields:
            # Texts of rows without a partner are empty.
            shown.append(
                f"CASE WHEN r_is_there THEN {column(new)} ELSE '' END AS {column(new)}" if kind == "text" else column(new)
            )
        if self.kind in KEEPING_THE_RIGHT:
            empty = ", ".join(f"CASE WHEN l_is_there THEN l.{column(text)} ELSE '' END AS {column(text)}" for text in self.texts)
            left = "l.* EXCLUDE (l_is_there)" + (f" REPLACE ({empty})" if empty else "")
            joined = f"(SELECT *, true AS l_is_there FROM ({before})) l {KEEPING_THE_RIGHT[self.kind]} JOIN ({other}) r ON {on}"
            return f"SELECT {left}{''.join(', ' + part for part in shown)} FROM {joined}"
        joined = "LEFT" if self.kind == "leftouter" else "INNER"
        return f"SELECT l.*{''.join(', ' + part for part in shown)} FROM ({before}) l {joined} JOIN ({other}) r ON {on}"

    def key_kind(self):
        return "text" if self.right == "code" else "int"

    def after(self, table):
        if self.left not in table or table[self.left] != self.key_kind():
            raise Unfit(self.left)
        if self.kind in ("leftsemi", "leftanti"):
            return table
        if self.kind in KEEPING_THE_RIGHT and set(self.texts) != {field for field, kind in table.items() if kind == "text"}:
            raise Unfit(self.texts)
        own = {"r_key": self.key_kind()} if self.operator == "join" else {}
        return table | own | {new: kind for new, _, kind in self.fields}

    def parts(self):
        return [dataclasses.replace(self, fields=without(self.fields, at)) for at in range(len(self.fields))]


@dataclasses.dataclass(frozen=True)
class Union:
    """Rows of the other dataset below those that are there; fields are (name here, field there, kind)."""

    fields: tuple

    def apl(self):
        fields = ", ".join(f"{name(here)} = {name(there)}" for here, there, _ in self.fields)
        return f"union (partners | project {fields})"

    def sql(self, before):
        fields = ", ".join(f"{column(there)} AS {column(here)}" for here, there, _ in self.fields)
        return f"SELECT * FROM ({before}) UNION ALL BY NAME SELECT {fields} FROM partners"

    def after(self, table):
        if any(table.get(here) != kind for here, _, kind in self.fields):
            raise Unfit(self.fields)
        return table

    def parts(self):
        return []
