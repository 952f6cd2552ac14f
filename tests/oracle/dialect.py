"""Where the query language and SQL mean different things: literals, and SQL that says what the language means.
README.md lists the differences."""

import json

from events import rfc3339

# Of TRY_CAST beside a comparison DuckDB 1.5.5 makes one of the wide number, so that null is lost; CASE stays.
# Whole numbers beyond 64 bits are null, and so is a division by zero; `bin` rounds down below zero too,
# to the least time that there is where it would be before it.
MACROS = """
CREATE MACRO ranged(h) AS CASE WHEN h BETWEEN -9223372036854775808 AND 9223372036854775807 THEN h::BIGINT END;
CREATE MACRO plus(a, b) AS ranged(a::HUGEINT + b::HUGEINT);
CREATE MACRO minus(a, b) AS ranged(a::HUGEINT - b::HUGEINT);
CREATE MACRO times(a, b) AS ranged(a::HUGEINT * b::HUGEINT);
CREATE MACRO parted(a, b) AS ranged(a::HUGEINT // b::HUGEINT);
CREATE MACRO rest(a, b) AS ranged(a::HUGEINT % b::HUGEINT);
CREATE MACRO below(a, b) AS ranged(a::HUGEINT - (a::HUGEINT % b + b) % b);
CREATE MACRO time_below(a, b) AS coalesce(below(a, b), CASE WHEN a IS NOT NULL THEN -9223372036854775808 END);
CREATE MACRO text_of(m) AS coalesce(m.t, m.i::VARCHAR, m.r::VARCHAR, m.b::VARCHAR);
CREATE MACRO same(a, b) AS CASE WHEN a IS NULL AND b IS NULL THEN NULL ELSE coalesce(a = b, false) END;
CREATE MACRO other(a, b) AS CASE WHEN a IS NULL AND b IS NULL THEN NULL ELSE coalesce(a <> b, true) END;
CREATE MACRO rank_of(l, p) AS list_sort(l)[greatest(1, (p * len(l) + 99) // 100)];
"""


def name(column):
    return f"['{column}']"


def column(name):
    return f'"{name}"'


def apl_literal(value):
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if value >= 0 else f"long({value})"
    if isinstance(value, float):
        return f"real({value!r})"
    return json.dumps(value, ensure_ascii=False)


def sql_literal(value):
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, int):
        return f"({value})::BIGINT"
    if isinstance(value, float):
        return f"'{value!r}'::DOUBLE"
    return "'" + value.replace("'", "''") + "'"


def apl_time(nanoseconds):
    return f"datetime({rfc3339(nanoseconds)})"
