#!/usr/bin/env bash
# Measures how fast questions are answered, beside ClickHouse (chdb) and DuckDB on the same events: see
# benches/query_peers.py. The events, the loaded engines and the Python packages are kept in the user's cache folder;
# the first run loads them, which takes minutes.
# Usage: [EVENTS=10000000] scripts/bench-query.sh [ARGUMENTS OF query_peers.py, such as --hot-only or --only users]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/bench-events.sh

if ! set_up_peers; then
    echo "bench-query: not run (chdb and duckdb cannot be installed: python3 with venv and PyPI are needed)" >&2
    exit 0
fi

build
make_events day "${EVENTS:-10000000}" --span 24h
"$python" benches/query_peers.py --file "$file" --folder "${file%.ndjson}" --binary "$binary" --commit "$commit" "$@"
