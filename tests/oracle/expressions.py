"""Expressions by chance, each in the query language and in SQL."""

import dataclasses

from dialect import apl_literal, apl_time, column, name, sql_literal
from events import DAY, HOUR, SECOND

NUMBERS = ("int", "real")


@dataclasses.dataclass(frozen=True)
class Ex:
    apl: str
    sql: str
    kind: str
    uses: frozenset = frozenset()

    def with_text(self, apl, sql, kind, *others):
        return Ex(apl, sql, kind, self.uses.union(*(other.uses for other in others)))


class Grower:
    """Draws expressions over the columns of a table, with literals among values that the events have."""

    def __init__(self, chance, samples):
        self.chance = chance
        self.samples = samples

    def one_in(self, count):
        return self.chance.randrange(count) == 0

    def columns(self, table, *kinds):
        return [column for column, kind in table.items() if kind in kinds]

    def column(self, table, *kinds):
        """A column of one of these kinds, none where there is none."""
        names = self.columns(table, *kinds)
        return self.of(table, self.chance.choice(names)) if names else None

    def of(self, table, column_name):
        return Ex(name(column_name), column(column_name), table[column_name], frozenset((column_name,)))

    def value_for(self, ex):
        """A value to compare with: mostly one that is there."""
        fields = [field for field in ex.uses if field in self.samples]
        values = self.samples[fields[0]] if len(fields) == 1 else ()
        kinds = {"int": int, "real": float, "text": str, "time": int}
        values = [value for value in values if type(value) is kinds.get(ex.kind)]
        if values and not self.one_in(8):
            return self.chance.choice(values)
        return {
            "int": lambda: self.chance.choice((-1, 0, 1, 5, 17, 100, 2_000, 2**31, -(2**63), 2**63 - 1)),
            "real": lambda: self.chance.choice((-2.5, 0.0, 0.25, 12.5, 500.01, 1e18)),
            "text": lambda: self.chance.choice(("", "s1", "s3", "alpha", "w7", "host", "x", "日本", "l3")),
            "time": lambda: self.chance.choice(self.samples["_time"]),
        }[ex.kind]()

    # Conditions.

    def condition(self, table, depth=2):
        if depth > 0 and not self.one_in(3):
            a, b = self.condition(table, depth - 1), self.condition(table, depth - 1)
            match self.chance.randrange(5):
                case 0 | 1:
                    return a.with_text(f"({a.apl} and {b.apl})", f"({a.sql} AND {b.sql})", "bool", b)
                case 2 | 3:
                    return a.with_text(f"({a.apl} or {b.apl})", f"({a.sql} OR {b.sql})", "bool", b)
                case _:
                    return a.with_text(f"not({a.apl})", f"(NOT {a.sql})", "bool")
        tests = [self.comparison, self.comparison, self.membership, self.text_test, self.presence, self.truth]
        tests += [self.mixed_test, self.between, self.of_columns, self.comparison]
        for _ in range(10):
            found = self.chance.choice(tests)(table)
            if found is not None:
                return found
        return Ex("true", "true", "bool")

    def comparison(self, table):
        ex = self.number(table) if self.one_in(4) else self.column(table, "int", "real", "text", "time")
        if ex is None:
            return None
        value = self.value_for(ex)
        apl = apl_time(value) if ex.kind == "time" else apl_literal(value)
        return self.compared(ex, Ex(apl, sql_literal(value), ex.kind))

    def compared(self, a, b):
        operators = ("==", "!=") if a.kind == "text" else ("==", "!=", "<", "<=", ">", ">=")
        operator = self.chance.choice(operators)
        match operator:
            case "==":
                sql = f"same({a.sql}, {b.sql})"
            case "!=":
                sql = f"other({a.sql}, {b.sql})"
            case _:
                sql = f"({a.sql} {operator} {b.sql})"
        return a.with_text(f"({a.apl} {operator} {b.apl})", sql, "bool", b)

    def of_columns(self, table):
        kind = self.chance.choice(("int", "text", "real"))
        a, b = self.column(table, kind), self.column(table, kind)
        return None if a is None else self.compared(a, b)

    def membership(self, table):
        ex = self.column(table, "int", "text")
        if ex is None:
            return None
        if "n300" in ex.uses and self.one_in(2):
            rank = self.chance.choice((0, 3, 50, 1_000))
            return ex.with_text(
                f"({ex.apl} in ((partners | where rank < {rank} | project key)))",
                f"coalesce({ex.sql} IN (SELECT key FROM partners WHERE rank < {rank} AND key IS NOT NULL), false)", "bool",
            )
        count = self.chance.choice((1, 2, 3, 4, 5, 12, 40, 40, 1_100))
        values = [self.value_for(ex) for _ in range(count)]
        among_apl = ", ".join(map(apl_literal, values))
        among_sql = ", ".join(map(sql_literal, values))
        if self.one_in(3):
            return ex.with_text(f"({ex.apl} !in ({among_apl}))", f"coalesce({ex.sql} NOT IN ({among_sql}), true)", "bool")
        return ex.with_text(f"({ex.apl} in ({among_apl}))", f"coalesce({ex.sql} IN ({among_sql}), false)", "bool")

    def between(self, table):
        ex = self.column(table, "int", "real", "time")
        if ex is None:
            return None
        low, high = sorted((self.value_for(ex), self.value_for(ex)))
        apl = apl_time if ex.kind == "time" else apl_literal
        return ex.with_text(
            f"({ex.apl} between ({apl(low)} .. {apl(high)}))",
            f"({ex.sql} BETWEEN {sql_literal(low)} AND {sql_literal(high)})", "bool",
        )

    def text_test(self, table):
        ex = self.column(table, "text")
        if ex is None:
            return None
        value = str(self.value_for(ex))
        start = self.chance.randrange(len(value) + 1)
        piece = value[start:start + self.chance.choice((1, 2, 3, 5, 8, 30))]
        literal, folded = apl_literal(piece), f"lower({sql_literal(piece)})"
        tests = {
            "contains": f"contains(lower({ex.sql}), {folded})",
            "contains_cs": f"contains({ex.sql}, {sql_literal(piece)})",
            "startswith": f"starts_with(lower({ex.sql}), {folded})",
            "startswith_cs": f"starts_with({ex.sql}, {sql_literal(piece)})",
            "endswith": f"ends_with(lower({ex.sql}), {folded})",
            "endswith_cs": f"ends_with({ex.sql}, {sql_literal(piece)})",
        }
        operator = self.chance.choice(list(tests))
        sql = f"coalesce({tests[operator]}, false)"
        terms = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in value).split()
        if terms and value.isascii() and self.one_in(3):
            operator, literal = self.chance.choice((("has", "(?i)"), ("has_cs", ""))), self.chance.choice(terms)
            border = r"[^\p{L}\p{N}]"
            pattern = f"{operator[1]}(^|{border}){literal}($|{border})"
            operator, literal = operator[0], apl_literal(literal)
            sql = f"coalesce(regexp_matches({ex.sql}, {sql_literal(pattern)}), false)"
        elif self.one_in(8):
            pattern = self.chance.choice(("[0-9]{3}", "^s[1-4]$", "(ann|bob)", "^[A-Z]+ ", "a.*b", r"\d+ ms$", "l1?$"))
            operator, literal = "matches regex", apl_literal(pattern)
            sql = f"coalesce(regexp_matches({ex.sql}, {sql_literal(pattern)}), false)"
        if self.one_in(4):
            return ex.with_text(f"({ex.apl} !{operator} {literal})", f"(NOT {sql})", "bool")
        return ex.with_text(f"({ex.apl} {operator} {literal})", sql, "bool")

    def presence(self, table):
        ex = self.column(table, "int", "real", "text", "bool", "time")
        if ex is None:
            return None
        if ex.kind == "text" and self.one_in(2):
            return ex.with_text(f"isempty({ex.apl})", f"coalesce({ex.sql} = '', true)", "bool")
        if self.one_in(2):
            return ex.with_text(f"isnull({ex.apl})", f"({ex.sql} IS NULL)", "bool")
        return ex.with_text(f"isnotnull({ex.apl})", f"({ex.sql} IS NOT NULL)", "bool")

    def truth(self, table):
        ex = self.column(table, "bool")
        if ex is None:
            return None
        value = self.chance.choice((True, False))
        return self.compared(ex, Ex(apl_literal(value), sql_literal(value), "text"))

    def mixed_test(self, table):
        """Each value keeps its own type: beside a number the numbers count, and beside a text the texts of all."""
        ex = self.column(table, "mixed")
        if ex is None:
            return None
        match self.chance.randrange(4):
            case 0:
                value = self.chance.randrange(-20, 60)
                operator = self.chance.choice(("<", "<=", ">", ">="))
                number = f"coalesce({ex.sql}.i::DOUBLE, {ex.sql}.r)"
                # A value that is no number is in no order with one, which is unknown.
                return ex.with_text(f"({ex.apl} {operator} {apl_literal(value)})", f"({number} {operator} {value})", "bool")
            case 1:
                value = self.chance.choice(("1", "12", "x", "t7", "", "true", "2.5"))
                return ex.with_text(f"({ex.apl} == {apl_literal(value)})", f"coalesce(text_of({ex.sql}) = '{value}', false)", "bool")
            case 2:
                value = self.chance.choice((1, 12, 7, -3))
                return ex.with_text(f"({ex.apl} == {apl_literal(value)})", f"coalesce({ex.sql}.i = {value}, false)", "bool")
            case _:
                return ex.with_text(f"({ex.apl} == true)", f"coalesce({ex.sql}.b, false)", "bool")

    # Values.

    def number(self, table):
        """A whole number that is computed."""
        a, b = self.column(table, "int"), self.column(table, "int")
        if a is None:
            return None
        value = self.chance.choice((1, 2, 3, 7, 10, 60, 1000, -5, 2**40))
        literal = Ex(apl_literal(value), sql_literal(value), "int")
        if self.one_in(2):
            b = literal
        match self.chance.randrange(7):
            case 0:
                return a.with_text(f"({a.apl} + {b.apl})", f"plus({a.sql}, {b.sql})", "int", b)
            case 1:
                return a.with_text(f"({a.apl} - {b.apl})", f"minus({a.sql}, {b.sql})", "int", b)
            case 2:
                return a.with_text(f"({a.apl} * {b.apl})", f"times({a.sql}, {b.sql})", "int", b)
            case 3:
                return a.with_text(f"({a.apl} / {b.apl})", f"parted({a.sql}, {b.sql})", "int", b)
            case 4:
                return a.with_text(f"({a.apl} % {b.apl})", f"rest({a.sql}, {b.sql})", "int", b)
            case 5:
                step = self.chance.choice((2, 7, 10, 64, 1000))
                return a.with_text(f"bin({a.apl}, {step})", f"below({a.sql}, {step})", "int")
            case _:
                when = self.condition(table, 1)
                return a.with_text(
                    f"iff({when.apl}, {a.apl}, {b.apl})", f"CASE WHEN {when.sql} THEN {a.sql} ELSE {b.sql} END", "int", b, when
                )

    def real(self, table):
        a = self.column(table, "real")
        if a is None or a.apl == "['y']":
            return None
        match self.chance.randrange(3):
            case 0:
                return a.with_text(f"({a.apl} * 2.0)", f"({a.sql} * 2.0::DOUBLE)", "real")
            case 1:
                return a.with_text(f"bin({a.apl}, 0.5)", f"(floor({a.sql} / 0.5::DOUBLE) * 0.5::DOUBLE)", "real")
            case _:
                return a.with_text(f"({a.apl} + 1.25)", f"({a.sql} + 1.25::DOUBLE)", "real")

    def text(self, table):
        a, b = self.column(table, "text"), self.column(table, "text", "int")
        if a is None:
            return None
        match self.chance.randrange(6):
            case 0:
                start, length = self.chance.randrange(8), self.chance.choice((0, 1, 2, 5))
                return a.with_text(
                    f"substring({a.apl}, {start}, {length})", f"substr({a.sql}, {start + 1}, {length})", "text"
                )
            case 1:
                return a.with_text(f"tolower({a.apl})", f"lower({a.sql})", "text")
            case 2:
                return a.with_text(
                    f"strcat({a.apl}, \"-\", {b.apl})", f"concat({a.sql}, '-', {b.sql})", "text", b
                )
            case 3:
                whole = self.column(table, "int")
                if whole is None:
                    return None
                return whole.with_text(f"tostring({whole.apl})", f"coalesce({whole.sql}::VARCHAR, '')", "text")
            case 4:
                when = self.condition(table, 1)
                return when.with_text(f"iff({when.apl}, \"yes\", \"no\")", f"CASE WHEN {when.sql} THEN 'yes' ELSE 'no' END", "text")
            case _:
                return a.with_text(f"strcat({a.apl}, \"\")", f"concat({a.sql}, '')", "text")

    def length(self, table):
        a = self.column(table, "text")
        return None if a is None else a.with_text(f"strlen({a.apl})", f"length({a.sql})", "int")

    def of_time(self, table):
        a = self.column(table, "time")
        if a is None:
            return None
        if self.one_in(2):
            day = f"(({a.sql} % {DAY}) + {DAY}) % {DAY}"
            return a.with_text(f"hourofday({a.apl})", f"({day} // {HOUR})", "int")
        return self.bucket(table)

    def bucket(self, table):
        a = self.column(table, "time")
        if a is None:
            return None
        text, step = self.chance.choice((
            ("1s", SECOND), ("5m", 300 * SECOND), ("1h", HOUR), ("6h", 6 * HOUR), ("1d", DAY), ("7d", 7 * DAY),
        ))
        return a.with_text(f"bin({a.apl}, {text})", f"time_below({a.sql}, {step})", "time")

    def value(self, table):
        """Something that is computed of some columns."""
        for _ in range(10):
            found = self.chance.choice((self.number, self.number, self.real, self.text, self.text, self.length, self.of_time))(table)
            if found is not None:
                return found
        return Ex("1", "1::BIGINT", "int")
