#!/usr/bin/env bash
# Measures how fast events are taken, beside ClickHouse (chdb) and DuckDB on the same file: see
# benches/ingest_peers.py. The file and the Python packages are kept in the user's cache folder.
# Usage: [EVENTS=2000000] scripts/bench-ingest.sh [--set-up | ARGUMENTS OF ingest_peers.py, such as --peers-only]
set -euo pipefail
cd "$(dirname "$0")/.."

events=${EVENTS:-2000000}
chdb=4.4.0
duckdb=2.0.0
cache="${XDG_CACHE_HOME:-$HOME/.cache}/tidegauge"
tools="$cache/bench-$chdb-$duckdb-1"
python="$tools/bin/python"

set_up() {
    "$python" -c 'import chdb, duckdb' 2>/dev/null && return
    rm -rf "$tools"
    { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet "chdb==$chdb" "duckdb==$duckdb"; } >&2 && return
    rm -rf "$tools"
    return 1
}

if ! set_up; then
    echo "bench-ingest: not run (chdb and duckdb cannot be installed: python3 with venv and PyPI are needed)" >&2
    exit 0
fi
[ "${1:-}" != --set-up ] || exit 0

cargo build --profile fast -p tidegauge-server
binary="$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]+)".*/\1/')/fast/tidegauge"

# Another version of the generator would have another first line, and its file another name.
mark=$("$binary" bench generate --events 1000 | cksum | cut -d' ' -f1)
file="$cache/bench/events-$mark-$events.ndjson"
if ! [ -e "$file" ]; then
    mkdir -p "$cache/bench"
    find "$cache/bench" -name 'events-*' ! -name "events-$mark-*" -delete
    "$binary" bench generate --events "$events" --out "$file.new"
    mv "$file.new" "$file"
fi

commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
git diff --quiet HEAD 2>/dev/null || commit="$commit with changes"
"$python" benches/ingest_peers.py --file "$file" --binary "$binary" --commit "$commit" "$@"
