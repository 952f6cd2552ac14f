#!/usr/bin/env bash
# Asks queries that want more than they may have, and watches what the process holds (tests/hostile). TIDEGAUGE_BINARY
# names a binary that is built already; else the optimised one is built.
# Usage: scripts/hostile.sh [--events N] [--rounds N] [--seed N]
set -euo pipefail
cd "$(dirname "$0")/.."

binary=${TIDEGAUGE_BINARY:-}
if [ -z "$binary" ]; then
    cargo build --quiet --profile fast -p tidegauge
    binary="$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]+)".*/\1/')/fast/tidegauge"
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -B tests/hostile/main.py "$binary" "$folder/data" "$@"
