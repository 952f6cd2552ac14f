"""DuckDB with a table of its own in a file, ordered by time. Sparse fields are in a map."""

import os

from . import tables

MAP = "MAP(VARCHAR, VARCHAR)"


class DuckDB:
    def __init__(self, folder, threads):
        import duckdb

        self.connection = duckdb.connect(os.path.join(folder, "bench.duckdb"), config={"threads": threads})
        self.connection.execute("SET TimeZone = 'UTC'")

    def version(self):
        import duckdb

        return f"duckdb {duckdb.__version__}"

    def ask(self, statement):
        return self.connection.execute(statement).fetchall()

    def clients(self, count):
        """For each client a cursor, which is a connection of its own to the same database."""
        def asker(cursor):
            return lambda statement: cursor.execute(statement).fetchall()

        cursors = [self.connection.cursor() for _ in range(count)]
        for cursor in cursors:
            cursor.execute("SET TimeZone = 'UTC'")
        return [asker(cursor) for cursor in cursors]

    def read(self, answers):
        return answers

    def make(self, kind):
        columns = {"_time": "TIMESTAMP", "data": MAP} if kind == "wide" else tables.DUCKDB[kind]
        declared = ", ".join(f"{name} {type_}" for name, type_ in columns.items())
        self.connection.execute(f"CREATE OR REPLACE TABLE events ({declared})")

    def insert(self, kind, file):
        if kind == "wide":
            fields = f"from_json(json, '\"{MAP}\"')"
            read = f"SELECT (json->>'_time')::TIMESTAMP AS _time, {fields} FROM read_ndjson_objects(?) ORDER BY _time"
            self.connection.execute(f"INSERT INTO events {read}", [file])
        else:
            read = "SELECT * FROM read_ndjson(?, columns = ?) ORDER BY _time"
            self.connection.execute(f"INSERT INTO events {read}", [file, tables.DUCKDB[kind]])

    def settle(self):
        self.connection.execute("CHECKPOINT")
