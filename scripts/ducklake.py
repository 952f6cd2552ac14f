"""Runs the SQL on each line of the input in DuckDB, with a Tidegauge catalogue attached read only as `lake`. Each
answer is a line of JSON: {"rows": [[text, ...], ...]} or {"error": text}. Started by ducklake.sh."""

import json
import pathlib
import sys

import duckdb
import duckdb_extension_ducklake
import duckdb_extension_postgres_scanner
import duckdb_extension_sqlite_scanner


def connect(catalogue):
    connection = duckdb.connect()
    for package in (duckdb_extension_sqlite_scanner, duckdb_extension_postgres_scanner, duckdb_extension_ducklake):
        extension = next(pathlib.Path(package.__file__).parent.rglob("*.duckdb_extension"))
        connection.execute(f"LOAD '{extension}'")
    place = f"ducklake:{catalogue}".replace("'", "''")
    connection.execute(f"ATTACH '{place}' AS lake (READ_ONLY)")
    return connection


def answer(connection, statement):
    try:
        rows = connection.execute(statement).fetchall()
    except duckdb.Error as error:
        return {"error": str(error)}
    return {"rows": [[None if value is None else str(value) for value in row] for row in rows]}


def main():
    connection = connect(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps(answer(connection, line)), flush=True)


main()
