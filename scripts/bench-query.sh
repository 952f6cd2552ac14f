#!/usr/bin/env bash
# Measures how fast questions are answered, beside ClickHouse (chdb) and DuckDB on the same events: see
# benches/query_peers.py. The events, the loaded engines and the Python packages are kept in the user's cache folder;
# the first run loads them, which takes minutes.
# Usage: [EVENTS=10000000] scripts/bench-query.sh [ARGUMENTS OF query_peers.py, such as --hot-only or --only users]
set -euo pipefail
cd "$(dirname "$0")/.."

events=${EVENTS:-10000000}
cache="${XDG_CACHE_HOME:-$HOME/.cache}/tidegauge"
scripts/bench-ingest.sh --set-up
python=$(ls -d "$cache"/bench-*/bin/python 2>/dev/null | head -n 1)
if [ -z "$python" ]; then
    echo "bench-query: not run (chdb and duckdb cannot be installed: python3 with venv and PyPI are needed)" >&2
    exit 0
fi

cargo build --profile fast -p tidegauge-server
binary="$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]+)".*/\1/')/fast/tidegauge"

# Another version of the generator would have another first line, and its file another name.
mark=$("$binary" bench generate --events 1000 | cksum | cut -d' ' -f1)
file="$cache/bench/day-$mark-$events.ndjson"
if ! [ -e "$file" ]; then
    mkdir -p "$cache/bench"
    find "$cache/bench" -maxdepth 1 -name 'day-*' ! -name "day-$mark-*" -exec rm -rf {} +
    "$binary" bench generate --events "$events" --span 24h --out "$file.new"
    mv "$file.new" "$file"
fi

commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
git diff --quiet HEAD 2>/dev/null || commit="$commit with changes"
"$python" benches/query_peers.py --file "$file" --folder "$cache/bench/day-$mark-$events" --binary "$binary" \
    --commit "$commit" "$@"
