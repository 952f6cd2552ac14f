#!/usr/bin/env bash
# Measures how fast questions are answered, beside ClickHouse (chdb) and DuckDB on the same events: see
# benches/query_peers.py. The events, the loaded engines and the Python packages are kept in the user's cache folder;
# the first run loads them, which takes minutes. Beyond ten million the events are not kept as a file: they are made
# for each engine as it loads. What was found is in the folder that the last line names.
# Usage: [EVENTS=200000|1000000|10000000|100000000] [FAMILY=web|firehose] [BINARY=FILE] scripts/bench-query.sh
# [ARGUMENTS OF query_peers.py, such as --hot-only, --only users, --skip cold, --seed 7 or --without DuckDB]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/bench-events.sh

need_peers

build
events=${EVENTS:-10000000}
make_day "$events"
report="$cache/bench/report-$events"
[ "$family" = web ] || report="$cache/bench/report-$family-$events"
"$python" benches/query_peers.py --events "$events" --family "$family" ${file:+--file "$file"} --folder "$folder" \
    --binary "$binary" --commit "$commit" --out "$report" "$@"
