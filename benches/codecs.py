"""What the text of events costs in Parquet by how it is compressed: bytes, and the time to look for a word in all of it.

DuckDB writes and reads the messages that it has loaded for scripts/bench-query.sh, in row groups of the size that
segments have. That reader decodes all texts, as ours does where templates leave a question open, so the times tell the
codecs apart and not the engines. scripts/bench-codecs.sh starts this file.
"""

import argparse
import os
import tempfile
import time

import duckdb

CODECS = {
    "zstd": "COMPRESSION zstd, COMPRESSION_LEVEL 1",
    "LZ4": "COMPRESSION lz4_raw",
    "none": "COMPRESSION uncompressed",
}
ROW_GROUP_ROWS = 131_072
ROUNDS = 4


def measure(connection, file, options):
    """The bytes of a file with the messages, and the best time of looking through it."""
    texts = "SELECT message FROM events ORDER BY _time"
    connection.execute(f"COPY ({texts}) TO '{file}' (FORMAT parquet, ROW_GROUP_SIZE {ROW_GROUP_ROWS}, {options})")
    seconds = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        connection.execute(f"SELECT count(*) FROM '{file}' WHERE message LIKE '%xylophone%'").fetchone()
        seconds.append(time.perf_counter() - begun)
    return os.path.getsize(file), min(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", required=True, help="where DuckDB keeps what it loaded")
    folder = parser.parse_args().folder
    connection = duckdb.connect(os.path.join(folder, "bench.duckdb"), read_only=True)
    connection.execute("SET threads = 2")
    print("| codec | MB | a word ms |\n|---|---|---|")
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        for name, options in CODECS.items():
            size, seconds = measure(connection, os.path.join(scratch, f"{name}.parquet"), options)
            print(f"| {name} | {size / 1e6:.0f} | {seconds * 1000:.0f} |")


if __name__ == "__main__":
    main()
