#!/usr/bin/env bash
# Measures whether many monitors are run when they are due, with events coming in: see benches/monitors.py.
# Usage: scripts/bench-monitors.sh [ARGUMENTS OF monitors.py, such as --monitors 100 --minutes 2]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/bench-events.sh

build
python3 benches/monitors.py --binary "$binary" --commit "$commit" "$@"
