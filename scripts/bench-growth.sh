#!/usr/bin/env bash
# Measures how the times of the service grow from 1 to 10 to 100 million events: see benches/growth.py. What was loaded
# is kept in the user's cache folder; the last step needs 15 GB of disk while it loads.
# Usage: [COUNTS="1000000 10000000 100000000"] [FAMILY=web|firehose] [BINARY=FILE] scripts/bench-growth.sh [--rounds 3] [--memory-grows]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/bench-events.sh

if ! command -v python3 >/dev/null; then
    echo "bench-growth: not run (python3 is needed)" >&2
    exit 0
fi

build
data=()
for count in ${COUNTS:-1000000 10000000 100000000}; do
    make_day "$count"
    data+=(--data "$count=$folder=$file")
done
python3 benches/growth.py --binary "$binary" --commit "$commit" --family "$family" "${data[@]}" "$@"
