#!/usr/bin/env bash
# Measures how fast events are taken, beside ClickHouse (chdb) and DuckDB on the same file: see
# benches/ingest_peers.py. The file and the Python packages are kept in the user's cache folder.
# Usage: [EVENTS=2000000] [FAMILY=web|firehose] scripts/bench-ingest.sh [--set-up | ARGUMENTS OF ingest_peers.py, such as --peers-only]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/bench-events.sh

need_peers
[ "${1:-}" != --set-up ] || exit 0

build
make_events events "${EVENTS:-2000000}"
"$python" benches/ingest_peers.py --file "$file" --family "$family" --binary "$binary" --commit "$commit" "$@"
