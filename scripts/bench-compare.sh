#!/usr/bin/env bash
# Measures this checkout beside an earlier commit: the questions of the benchmark and ingest, asked in turn (see
# benches/compare.py). The earlier one is built in a worktree of its own. BEFORE and AFTER name binaries that are built
# already. Ends with 1 when a figure is more than 5 % worse.
# Usage: [EVENTS=10000000] [FAMILY=web|firehose] [BEFORE=FILE] [AFTER=FILE] scripts/bench-compare.sh [COMMIT] [ARGUMENTS OF compare.py, such
# as --rounds 5, --only users or --skip-ingest]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/bench-events.sh

need_peers

base=
if [ $# -gt 0 ] && [ "${1#--}" = "$1" ]; then
    base=$1
    shift
fi
if [ -z "${BEFORE:-}" ] && [ -z "$base" ]; then
    echo "bench-compare: name the commit to compare with, or a binary with BEFORE=FILE" >&2
    exit 2
fi

BINARY=${AFTER:-}
build
after=$binary
before=${BEFORE:-}
if [ -z "$before" ]; then
    tree="$cache/bench/compared"
    commit=$(git rev-parse --verify "$base^{commit}")
    git worktree prune
    [ -e "$tree" ] || git worktree add --force --detach "$tree" "$commit" >/dev/null
    git -C "$tree" checkout --quiet --detach "$commit"
    (cd "$tree" && CARGO_TARGET_DIR="$cache/bench/compared-target" cargo build --profile fast --bin tidegauge)
    before="$cache/bench/compared-target/fast/tidegauge"
fi

events=${EVENTS:-10000000}
make_events events 1500000
ingested=$file
make_day "$events"
"$python" benches/compare.py --before "$before" --after "$after" --file "$file" --ingest-file "$ingested" \
    --folder "$cache/bench/$(named compare)" --events "$events" --family "$family" "$@"
