#!/usr/bin/env bash
# Makes calls of the real binary on its files fail, one after the other, and looks whether all that it acknowledged is
# there once and whether it says what is wrong (tests/powercut). Needs a C compiler and Python. TIDEGAUGE_BINARY names a
# binary that is built already.
# Usage: scripts/diskfaults.sh [--seed N] [--points N] [--errors ERROR,…] [--only FAULT,…] [--go-on] [--self-test]
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(uname -s)" != Linux ] || ! command -v cc >/dev/null || ! command -v python3 >/dev/null; then
    echo "diskfaults: not run (it needs Linux, a C compiler and Python)" >&2
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
    python3 -B tests/powercut/faults.py "$0" "$folder" "$@"
' "$binary" "$@"
