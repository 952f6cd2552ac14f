"""ClickHouse inside a process (chdb), as a careful user makes it: MergeTree ordered by time, low-cardinality words, and
skip indexes on the ids that are looked up. Sparse fields are in a column of its type JSON."""

import json
import os

from . import tables

READING = "date_time_input_format = 'best_effort', input_format_null_as_default = 1"
# As many paths of their own as can be loaded with the usual limit of open files, in parts of one file for the same
# reason.
WIDE = "_time DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)), data JSON(max_dynamic_paths = 512)"
ONE_FILE = "SETTINGS min_bytes_for_wide_part = 100000000000, min_rows_for_wide_part = 1000000000"


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def rows_of(answer):
    return [json.loads(line) for line in str(answer).splitlines()]


class ClickHouse:
    def __init__(self, folder, threads):
        import chdb.session

        self.threads, self.path = threads, os.path.join(folder, "clickhouse")
        self.session = chdb.session.Session(self.path)
        self.session.query(f"SET max_threads = {threads}")

    def version(self):
        return "chdb " + str(self.session.query("SELECT version()", "TSV")).strip()

    def ask(self, statement):
        return rows_of(self.session.query(statement, "JSONCompactEachRow"))

    def clients(self, count):
        """For each client a session of its own: those who share one wait for each other."""
        import chdb.session

        def asker(session):
            session.query(f"SET max_threads = {self.threads}")
            return lambda statement: session.query(statement, "JSONCompactEachRow")

        return [asker(chdb.session.Session(self.path)) for _ in range(count)]

    def read(self, answers):
        return [rows_of(answer) for answer in answers]

    def keep(self, on):
        """Whether it may use what it keeps of conditions that were asked before, as it does by default."""
        self.session.query(f"SET use_query_condition_cache = {int(on)}")

    def make(self, kind):
        if kind == "wide":
            declared, options = WIDE, ONE_FILE
        else:
            declared, options = f"{tables.clickhouse_columns(kind)}, {tables.CLICKHOUSE_INDEXES[kind]}", ""
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
            structure = quoted(tables.clickhouse_structure(kind))
            what = f"SELECT * FROM file({quoted(file)}, JSONEachRow, {structure})"
        threads = f"max_threads = {self.threads}, max_insert_threads = {self.threads}"
        self.session.query(f"INSERT INTO bench.events {what} SETTINGS {threads}, {READING}")

    def settle(self):
        self.session.query("OPTIMIZE TABLE bench.events FINAL")
