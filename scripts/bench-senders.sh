#!/usr/bin/env bash
# Measures how fast events are taken by OTLP, Elasticsearch's bulk requests and Loki's, beside our own NDJSON with the same
# events (benches/senders.py), and a file of made-up events by bulk requests beside VictoriaLogs' figures for such a file
# (benches/senders_bulk.py). With --check it fails where one of them is slower than it is to be.
# Usage: [BINARY=FILE] [EVENTS=1000000] scripts/bench-senders.sh [--check]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/bench-events.sh

case "$*" in
    "" | --check) ;;
    *) sed -n 5p "$0" >&2; exit 2 ;;
esac
if ! command -v python3 >/dev/null; then
    echo "bench-senders: not run (python3 is needed)" >&2
    exit 0
fi

build
make_events events "${EVENTS:-1000000}"
# Both are run, whether or not one of them is too slow.
failed=0
python3 benches/senders.py --binary "$binary" --commit "$commit" "$@" || failed=1
python3 benches/senders_bulk.py --binary "$binary" --file "$file" "$@" || failed=1
exit "$failed"
