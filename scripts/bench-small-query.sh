#!/usr/bin/env bash
# Measures what a small query over HTTP takes of two builds, in turn: see benches/small_query.py. Needs nothing but
# Python. Ends with 1 when half of the questions take 5 % more than before.
# Usage: BEFORE=FILE AFTER=FILE [EVENTS=1000000] scripts/bench-small-query.sh [--rounds 15]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/bench-events.sh

if [ -z "${BEFORE:-}" ] || [ -z "${AFTER:-}" ]; then
    echo "bench-small-query: name two optimised binaries with BEFORE=FILE and AFTER=FILE" >&2
    exit 2
fi
BINARY=$AFTER
build
events=${EVENTS:-1000000}
make_day "$events"
python3 benches/small_query.py --before "$BEFORE" --after "$AFTER" --events "$events" --file "$file" \
    --folder "$cache/bench/compare-$events" "$@"
