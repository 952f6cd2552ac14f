#!/usr/bin/env bash
# Cuts the power of the real binary at many points, by dropping what was not synced, and looks whether all that it had
# acknowledged is there (tests/powercut). Needs a C compiler and Python. TIDEGAUGE_BINARY names a binary that is built
# already.
# Usage: scripts/powercut.sh [--seed N] [--requests N] [--points N] [--only POINT] [--recording FOLDER]
#                            [--without-sync KIND] [--self-test] [--verbose]
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(uname -s)" != Linux ] || ! command -v cc >/dev/null || ! command -v python3 >/dev/null; then
    echo "powercut: not run (it needs Linux, a C compiler and Python)" >&2
    exit 0
fi

binary=${TIDEGAUGE_BINARY:-}
if [ -z "$binary" ]; then
    cargo build --quiet -p tidegauge
    binary="$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]+)".*/\1/')/debug/tidegauge"
fi

exec scripts/with-memory-folder.sh bash -c '
    folder=$(mktemp -d)
    trap '\''rm -rf "$folder"'\'' EXIT
    python3 -B tests/powercut/main.py "$0" "$folder" "$@"
' "$binary" "$@"
