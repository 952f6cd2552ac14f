"""The tables of the peers by their kind: the columns of each family of made-up events."""

from . import columns, firehose_columns

WEB, FIREHOSE = "events", "firehose"
CLICKHOUSE = {WEB: columns.CLICKHOUSE_COLUMNS, FIREHOSE: firehose_columns.CLICKHOUSE_COLUMNS}
CLICKHOUSE_INDEXES = {WEB: columns.INDEXES, FIREHOSE: firehose_columns.INDEXES}
DUCKDB = {WEB: columns.DUCKDB_COLUMNS, FIREHOSE: firehose_columns.DUCKDB_COLUMNS}


def clickhouse_columns(kind):
    """As the table declares them."""
    return ", ".join(f"{name} {type_} CODEC({codec}ZSTD(1))" for name, type_, codec in CLICKHOUSE[kind])


def clickhouse_structure(kind):
    """As a file of events is read."""
    return ", ".join(f"{name} {type_}" for name, type_, _ in CLICKHOUSE[kind])
