#!/usr/bin/env bash
# Runs the service without a network and looks whether it tried to reach anything (tests/offline). TIDEGAUGE_BINARY names
# a binary that is built already; else one is built. Needs a system that gives a process a network of its own.
# Usage: scripts/offline.sh
set -euo pipefail
cd "$(dirname "$0")/.."

if ! unshare --map-root-user --net true 2>/dev/null || ! command -v ip > /dev/null; then
    echo "offline: not run (the system gives no process a network of its own)" >&2
    exit 0
fi
binary=${TIDEGAUGE_BINARY:-}
if [ -z "$binary" ]; then
    cargo build --quiet -p tidegauge
    binary="$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]+)".*/\1/')/debug/tidegauge"
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unshare --map-root-user --net sh -c 'ip link set lo up && exec python3 -B tests/offline/main.py "$@"' sh "$binary" "$folder/data"
