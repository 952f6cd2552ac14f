#!/usr/bin/env bash
# Takes one thing out of a copy of the store at a time, such as a sync or the check of a checksum, and runs the tests that
# must then fail (tests/sabotage). Needs Python 3.11 and cargo-nextest.
# Usage: scripts/sabotage.sh [NAME...] [--list] [--no-baseline] [--folder FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v cargo-nextest >/dev/null || ! python3 -c 'import tomllib' 2>/dev/null; then
    echo "sabotage: not run (it needs Python 3.11, and cargo-nextest: cargo install cargo-nextest --locked)" >&2
    exit 1
fi
# The tests sync thousands of times, which proves nothing here.
exec scripts/with-memory-folder.sh python3 -B tests/sabotage/main.py "$@"
