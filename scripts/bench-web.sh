#!/usr/bin/env bash
# Measures the web interface in Chromium against the real binary: a dashboard of 20 panels beside ClickHouse (chdb) and
# DuckDB, and typing in the editor of monitors (benches/web.py); a trace of 5,000 spans (ui/tests/measure/trace.js); and
# 50 browsers with a dashboard each while events arrive (ui/tests/measure/fifty.js). By name alone also what pages hold: a
# table of a million rows, a stream in a flood, an hour of refreshes (ui/tests/browser). Ends with 1 when a goal is missed.
# Usage: [EVENTS=10000000] [BINARY=FILE] [MINUTES=10] [BROWSERS=50] scripts/bench-web.sh [dashboard|editor|trace|fifty|million|flood|hour …]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/bench-events.sh

parts=("$@")
[ $# -gt 0 ] || parts=(dashboard editor trace fifty)
events=${EVENTS:-10000000}

not_run() {
    echo "bench-web: not run ($1)" >&2
    exit 0
}

. scripts/chromium.sh
has_browser || get_browser || not_run "Chromium cannot be had: install chromium-headless-shell"
scripts/interface.sh install || not_run "the interface's packages cannot be had: Node from 20.19, npm and its registry are needed"
[ -n "${BINARY:-}" ] || scripts/interface.sh build
PATH=$(scripts/interface.sh path):$PATH
build
export TIDEGAUGE_BINARY=$binary TIDEGAUGE_SERVES_UI=1

missed=0
for part in "${parts[@]}"; do
    echo "== $part" >&2
    case $part in
        dashboard | editor)
            [ "$part" = editor ] || need_peers
            make_day "$events"
            "$([ -x "$python" ] && echo "$python" || echo python3)" benches/web.py "$part" --events "$events" ${file:+--file "$file"} \
                --folder "$folder" --binary "$binary" --commit "$commit" ${PICTURE:+--picture "$PICTURE"} || missed=1
            ;;
        trace | fifty) node "ui/tests/measure/$part.js" || missed=1 ;;
        million | flood | hour) node "ui/tests/browser/$part.js" || missed=1 ;;
        *)
            echo "bench-web: there is no part $part" >&2
            exit 2
            ;;
    esac
done
exit $missed
