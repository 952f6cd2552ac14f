#!/usr/bin/env bash
# Makes requests of the real binary to its object store fail, one after the other, and looks whether all that it
# acknowledged is there once and whether it says what is wrong (tests/powercut). Needs Python and what scripts/with-s3.sh
# needs. TIDEGAUGE_BINARY names a binary that is built already.
# Usage: scripts/objectfaults.sh [--seed N] [--points N] [--only FAULT,…] [--go-on] [--self-test] [--verbose]
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v python3 >/dev/null; then
    echo "objectfaults: not run (it needs Python)" >&2
    exit 0
fi

binary=${TIDEGAUGE_BINARY:-}
if [ -z "$binary" ]; then
    cargo build --quiet -p tidegauge
    binary="$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]+)".*/\1/')/debug/tidegauge"
fi

exec scripts/with-memory-folder.sh scripts/with-s3.sh bash -c '
    folder=$(mktemp -d)
    trap '\''rm -rf "$folder"'\'' EXIT
    python3 -B tests/powercut/objectfaults.py "$0" "$folder" "$@"
' "$binary" "$@"
