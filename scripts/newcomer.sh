#!/usr/bin/env bash
# What a newcomer waits for: `make run` in a clean clone with no Node on the path, then in a browser the first event, the
# first chart and the first saved query. Prints the seconds of each step; the build of the binary stands apart. With
# BINARY=FILE that one is started in the place of the build, and the rest is as `make run` does it. The browser is driven
# by the Node and the packages of this checkout, which the clone does not see.
# Usage: [BINARY=FILE] scripts/newcomer.sh
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

not_run() {
    echo "newcomer: not run ($1)" >&2
    exit 0
}

. scripts/chromium.sh
has_browser || get_browser || not_run "Chromium cannot be had: install chromium-headless-shell"
scripts/interface.sh install || not_run "the interface's packages cannot be had: Node from 20.19, npm and its registry are needed"
node=$(scripts/interface.sh path)

folder=$(mktemp -d -p "${TMPDIR:-/var/tmp}" newcomer-XXXXXX)
group=
stop() {
    [ -z "$group" ] || kill -- "-$group" 2>/dev/null || true
    rm -rf "$folder"
}
trap stop EXIT

now() { date +%s.%N; }
since() { awk -v from="$1" -v to="$(now)" 'BEGIN { printf "%.1f", to - from }'; }
step() { printf '%8s s  %s\n' "$1" "$2"; }

# Everything that is on the path but Node and npm, and no cache of Node from before.
mkdir "$folder/bin"
IFS=: read -ra places <<<"$PATH"
for place in "${places[@]}"; do
    [ -d "$place" ] || continue
    for tool in "$place"/*; do
        case ${tool##*/} in
            node | nodejs | npm | npx | corepack) ;;
            *) [ -e "$folder/bin/${tool##*/}" ] || ln -s "$tool" "$folder/bin/${tool##*/}" ;;
        esac
    done
done
clean=(env "PATH=$folder/bin" "XDG_CACHE_HOME=$folder/cache" "TIDEGAUGE_LISTEN=127.0.0.1:0")
if "${clean[@]}" bash -c 'command -v node || command -v npm'; then
    echo "newcomer: Node is on the path still" >&2
    exit 1
fi

begun=$(now)
git clone --quiet --no-hardlinks "$root" "$folder/clone"
step "$(since "$begun")" "git clone"
cd "$folder/clone"

begun=$(now)
"${clean[@]}" make --no-print-directory setup-run >"$folder/log" 2>&1
step "$(since "$begun")" "what is needed from the distribution"
begun=$(now)
"${clean[@]}" make --no-print-directory interface >>"$folder/log" 2>&1
[ -e ui/dist/index.html ] || { cat "$folder/log"; exit 1; }
step "$(since "$begun")" "the interface, with Node from the registry"
begun=$(now)
set -m
if [ -n "${BINARY:-}" ]; then
    "${clean[@]}" "$BINARY" serve >"$folder/log" 2>&1 &
else
    "${clean[@]}" make --no-print-directory run >"$folder/log" 2>&1 &
fi
group=$!
set +m
# `Running` is what cargo says when the build is done.
built=
until grep -q 'listens on' "$folder/log"; do
    kill -0 "$group" 2>/dev/null || { cat "$folder/log"; exit 1; }
    if [ -z "$built" ] && grep -q ' Running ' "$folder/log"; then
        built=1
        step "$(since "$begun")" "the build of the binary (apart)"
        begun=$(now)
    fi
    sleep 0.05
done
step "$(since "$begun")" "from the start of the binary until it listens"
until link=$(grep -o 'http://[^ ]*/setup/[^ ]*' "$folder/log"); do sleep 0.05; done
PATH=$node:$PATH node "$root/ui/tests/measure/newcomer.js" "$link"
