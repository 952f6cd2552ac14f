#!/usr/bin/env bash
# Runs the web interface in a real browser (Debian's Chromium) against the real binary, by the programs of
# ui/tests/browser. What cannot be had is reported as not run. TIDEGAUGE_BINARY names a binary that is built already.
# Usage: scripts/browser.sh
set -euo pipefail
cd "$(dirname "$0")/.."

not_run() {
    echo "browser: not run ($1)" >&2
    exit 0
}

. scripts/chromium.sh
has_browser || get_browser || not_run "Chromium cannot be had: install chromium-headless-shell"
scripts/interface.sh install || not_run "the interface's packages cannot be had: Node from 20.19, npm and its registry are needed"
scripts/interface.sh build
[ -e ui/dist/index.html ] || not_run "the interface was not built"
PATH=$(scripts/interface.sh path):$PATH

if [ -z "${TIDEGAUGE_BINARY:-}" ]; then
    cargo build --quiet -p tidegauge
    folder=$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]+)".*/\1/')
    TIDEGAUGE_BINARY=$folder/debug/tidegauge
fi
# Files that are taken away are read back with it.
TIDEGAUGE_TEST_DUCKDB=${TIDEGAUGE_TEST_DUCKDB:-$(scripts/ducklake.sh || true)}
export TIDEGAUGE_BINARY TIDEGAUGE_TEST_DUCKDB TIDEGAUGE_SERVES_UI=1
npm run --prefix ui --silent browser
echo "browser: passed"
