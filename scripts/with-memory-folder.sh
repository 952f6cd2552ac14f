#!/usr/bin/env bash
# Runs a command whose temporary files are in memory where the machine has room for that: tests sync thousands of times,
# which takes minutes on a slow disk and proves nothing there, because a process that is killed leaves the page cache
# alone. Elsewhere the command runs with the folder for temporary files that it has.
set -euo pipefail

if [ $# -eq 0 ]; then
    echo "usage: scripts/with-memory-folder.sh COMMAND [ARGUMENT...]" >&2
    exit 2
fi

needed_kib=$((2 * 1024 * 1024))
memory=/dev/shm
free_kib=$(df --output=avail "$memory" 2>/dev/null | tail -n 1 || true)
if ! [ -w "$memory" ] || [ "${free_kib:-0}" -lt "$needed_kib" ]; then
    exec "$@"
fi

folder=$(mktemp -d "$memory/tidegauge-test.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
status=0
TMPDIR=$folder "$@" || status=$?
exit "$status"
