#!/usr/bin/env bash
# Starts stock DuckDB with its DuckLake extension on a catalogue, read only, as `lake`: it runs the SQL on each line
# of its input and writes one line of JSON for each. Without a catalogue it only makes itself ready and prints the
# path of the Python that has DuckDB. The packages are kept in the user's cache folder.
# Usage: scripts/ducklake.sh [sqlite:FILE | postgres:URL]
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)

version=1.5.5
tools="${XDG_CACHE_HOME:-$HOME/.cache}/tidegauge/ducklake-$version-2"

if ! [ -x "$tools/bin/python" ] || ! [ -e "$tools/ready" ]; then
    rm -rf "$tools"
    if ! { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet "duckdb==$version" pytz==2026.1.post1 \
        "duckdb-extension-ducklake==$version" "duckdb-extension-sqlite-scanner==$version" \
        "duckdb-extension-postgres-scanner==$version" && touch "$tools/ready"; } >&2; then
        rm -rf "$tools"
        echo "ducklake: not run (DuckDB cannot be installed: python3 with venv and PyPI are needed)" >&2
        exit 69
    fi
fi

if [ $# -eq 0 ]; then
    echo "$tools/bin/python"
    exit
fi
exec "$tools/bin/python" "$scripts/ducklake.py" "$1"
