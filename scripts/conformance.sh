#!/usr/bin/env bash
# Checks that /openapi.json is valid, then runs schemathesis, which makes up requests from it, against the real
# binary: no answer may be a 5xx or outside the document, and no secured route may answer without a token. The Python
# packages are kept in the user's cache folder. Usage: scripts/conformance.sh [EXAMPLES_PER_OPERATION]
set -euo pipefail
cd "$(dirname "$0")/.."

examples=${1:-15}
version=4.32.5
tools="${XDG_CACHE_HOME:-$HOME/.cache}/tidegauge/conformance-$version-1"
st="$tools/bin/st"

if ! [ -x "$st" ]; then
    rm -rf "$tools"
    if ! { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet "schemathesis==$version" \
        'openapi-spec-validator==0.9.0'; } >&2; then
        rm -rf "$tools"
        echo "conformance: not run (schemathesis cannot be installed: python3 with venv and PyPI are needed)" >&2
        exit 0
    fi
fi

cargo build --quiet -p tidegauge
binary="$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]+)".*/\1/')/debug/tidegauge"
folder=$(mktemp -d)
"$binary" serve --data "$folder/data" --listen 127.0.0.1:0 >"$folder/out" 2>"$folder/log" &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT

until grep -q 'listens on' "$folder/out"; do
    kill -0 "$server" 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
    sleep 0.1
done
url=$(sed -nE 's/.*listens on (.*)/\1/p' "$folder/out")
token=$(cat "$folder/data/first-token")
org=$("$binary" org list --data "$folder/data" | awk 'NR == 2 { print $1 }')

"$tools/bin/python" -c 'import sys, urllib.request; sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1]).read())' \
    "$url/openapi.json" >"$folder/openapi.json"
"$tools/bin/openapi-spec-validator" "$folder/openapi.json"

export PYTHONDONTWRITEBYTECODE=1 SCHEMATHESIS_HOOKS="$PWD/scripts/conformance_hooks.py"

# Whether data is accepted or refused for what it means is for the other tests; here it is whether the answer fits
# the document.
run() {
    (cd "$folder" && "$st" run "$url/openapi.json" \
        --header "Authorization: Bearer $token" --header "X-Axiom-Org-Id: $org" \
        --exclude-checks positive_data_acceptance,negative_data_rejection \
        --max-examples "$examples" --seed 1 --warnings off --continue-on-failure "$@")
}

# The versions of the path one after the other: both lead to the same things, and schemathesis does not know that what
# it deleted by one is gone in the other. Changing members comes last: it may take the owner's own rights away.
# What follows events answers for minutes.
run --include-path-regex '^/v1/' --exclude-path-regex '/users/\{id\}|/query/tail$'
run --include-path-regex '^/(?!v1/|opentelemetry)' --exclude-path-regex '/users/\{id\}'
# A call of gRPC is refused in headers, with the status 200, so that its status tells nothing of tokens.
run --include-path-regex '^/opentelemetry' --exclude-checks \
    positive_data_acceptance,negative_data_rejection,ignored_auth,missing_required_header
run --include-path-regex '/users/\{id\}'

if grep -q 'panicked' "$folder/log"; then
    echo "conformance: a request panicked" >&2
    grep 'panicked' "$folder/log" >&2
    exit 1
fi
