"""ClickHouse inside a process (chdb), as a careful user makes it: MergeTree ordered by time, low-cardinality words, and
skip indexes on the ids that are looked up. Sparse fields are in a column
of its type JSON."""

import json
import os

from .columns import CLICKHOUSE_COLUMNS

READING = "date_time_input_format = 'best_effort', input_format_null_as_default = 1"
INDEXES = "INDEX trace trace_id TYPE bloom_filter GRANULARITY 4, INDEX user user_id TYPE bloom_filter GRANULARITY 4"
# As many paths of their own as can be loaded with the usual limit of open files, in parts of one file for the same
# reason.
WIDE = "_time DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)), data JSON(max_dynamic_paths = 512)"
ONE_FILE = "SETTINGS min_bytes_for_wide_part = 100000000000, min_rows_for_wide_part = 1000000000"


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


class ClickHouse:
    def __init__(self, folder, threads):
        import chdb.session

        self.threads = threads
        self.session = chdb.session.Session(os.path.join(folder, "clickhouse"))
        self.session.query(f"SET max_threads = {threads}")

    def version(self):
        return "chdb " + str(self.session.query("SELECT version()", "TSV")).strip()

    def ask(self, statement):
        text = str(self.session.query(statement, "JSONCompactEachRow"))
        return [json.loads(line) for line in text.splitlines()]

    def keep(self, on):
        """Whether it may use what it keeps of conditions that were asked before, as it does by default."""
        self.session.query(f"SET use_query_condition_cache = {int(on)}")

    def make(self, kind):
        columns = ", ".join(f"{name} {type_} CODEC({codec}ZSTD(1))" for name, type_, codec in CLICKHOUSE_COLUMNS)
        declared, options = (WIDE, ONE_FILE) if kind == "wide" else (f"{columns}, {INDEXES}", "")
        self.session.query("CREATE DATABASE IF NOT EXISTS bench ENGINE = Atomic")
        self.session.query("DROP TABLE IF EXISTS bench.events")
        self.session.query(f"CREATE TABLE bench.events ({declared}) ENGINE = MergeTree ORDER BY _time {options}")

    def insert(self, kind, file):
        if kind == "wide":
            what = (
                "SELECT parseDateTime64BestEffort(JSONExtractString(line, '_time'), 6, 'UTC'), "
                f"line FROM file({quoted(file)}, LineAsString, 'line String')"
            )
        else:
            structure = ", ".join(f"{name} {type_}" for name, type_, _ in CLICKHOUSE_COLUMNS)
            what = f"SELECT * FROM file({quoted(file)}, JSONEachRow, {quoted(structure)})"
        threads = f"max_threads = {self.threads}, max_insert_threads = {self.threads}"
        self.session.query(f"INSERT INTO bench.events {what} SETTINGS {threads}, {READING}")

    def settle(self):
        self.session.query("OPTIMIZE TABLE bench.events FINAL")
