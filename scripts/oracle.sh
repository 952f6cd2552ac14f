#!/usr/bin/env bash
# Compares answers of the real binary with those of stock DuckDB: random events, random questions (tests/oracle). Where
# DuckDB cannot be had, it is reported as not run. TIDEGAUGE_BINARY names a binary that is built already.
# Usage: scripts/oracle.sh [--events N] [--queries N] [--seed N] [--times N] [--only N] [--first N] [--end N]
#                          [--verbose]
set -euo pipefail
cd "$(dirname "$0")/.."

if ! python=$(scripts/ducklake.sh); then
    echo "oracle: not run (DuckDB cannot be installed)" >&2
    exit 0
fi

binary=${TIDEGAUGE_BINARY:-}
if [ -z "$binary" ]; then
    cargo build --quiet -p tidegauge
    binary="$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]+)".*/\1/')/debug/tidegauge"
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if ! "$python" -B tests/oracle/main.py "$binary" "$folder" "$@"; then
    grep -hE 'WARN|ERROR|panicked' "$folder/log" | tail -n 20 >&2 || true
    exit 1
fi
if grep -q 'panicked' "$folder/log"; then
    echo "oracle: a request panicked" >&2
    grep 'panicked' "$folder/log" >&2
    exit 1
fi
