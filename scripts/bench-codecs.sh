#!/usr/bin/env bash
# Measures what the texts of ten million events cost by how they are compressed: see benches/codecs.py. It reads what
# scripts/bench-query.sh has loaded into DuckDB.
# Usage: [EVENTS=10000000] [BINARY=FILE] scripts/bench-codecs.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/bench-events.sh

if ! set_up_peers; then
    echo "bench-codecs: not run (duckdb cannot be installed: python3 with venv and PyPI are needed)" >&2
    exit 0
fi

build
make_day "${EVENTS:-10000000}"
if [ ! -e "$folder/duckdb-loaded" ]; then
    echo "bench-codecs: not run (scripts/bench-query.sh has not loaded the events yet)" >&2
    exit 0
fi
"$python" benches/codecs.py --folder "$folder"
