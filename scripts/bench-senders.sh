#!/usr/bin/env bash
# Measures how fast events are taken by OTLP, Elasticsearch's bulk requests and Loki's, beside our own NDJSON with the same
# events: see benches/senders.py.
# Usage: [BINARY=FILE] scripts/bench-senders.sh [ARGUMENTS OF senders.py, such as --rounds 3 or --check]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/bench-events.sh

if ! command -v python3 >/dev/null; then
    echo "bench-senders: not run (python3 is needed)" >&2
    exit 0
fi

build
python3 benches/senders.py --binary "$binary" --commit "$commit" "$@"
