#!/usr/bin/env bash
# Runs commands two at a time, because most of what they do is to wait for somebody else. What each has said stands in one
# piece when it has ended, with its seconds; what failed says so once more at the end. Each command is one argument.
# Usage: scripts/side-by-side.sh COMMAND...
set -euo pipefail

if [ $# -eq 0 ]; then
    echo "usage: scripts/side-by-side.sh COMMAND..." >&2
    exit 2
fi

folder=$(mktemp -d)
group=
clean_up() {
    # Whoever ends this ends what it has begun.
    [ -z "$group" ] || kill -- "-$group" 2>/dev/null || true
    rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

one() {
    local command=$1 folder=$2 said status=0 begun=$SECONDS
    said=$(mktemp "$folder/said-XXXXXX")
    bash -c "$command" >"$said" 2>&1 </dev/null || status=$?
    # One at a time, so that nothing stands between the lines of another.
    flock "$folder" bash -c 'cat "$0"; echo "$1: exit $2 after $3 s"' "$said" "$command" "$status" $((SECONDS - begun))
    [ "$status" = 0 ] || echo "$command" >>"$folder/failed"
}
export -f one

set -m
printf '%s\0' "$@" | xargs -0 -P 2 -I '{}' bash -c 'one "$1" "$2"' bash '{}' "$folder" &
group=$!
set +m
wait "$group"
group=
if [ -e "$folder/failed" ]; then
    sed 's/^/failed: /' "$folder/failed" >&2
    exit 1
fi
