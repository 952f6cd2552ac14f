#!/usr/bin/env bash
# Measures what the texts of ten million events cost by how they are compressed: see benches/codecs.py. It reads what
# scripts/bench-query.sh has loaded into DuckDB.
# Usage: [EVENTS=10000000] [BINARY=FILE] scripts/bench-codecs.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/bench-events.sh

need_peers

build
make_day "${EVENTS:-10000000}"
if [ ! -e "$folder/duckdb-loaded" ]; then
    echo "bench-codecs: not run (scripts/bench-query.sh has not loaded the events yet)" >&2
    exit 0
fi
"$python" benches/codecs.py --folder "$folder"
