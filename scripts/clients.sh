#!/usr/bin/env bash
# Runs the official clients of the public service (axiom-py, @axiomhq/js and axiom-rs), an independent client of OAuth 2.0
# (authlib) and those of the Model Context Protocol (mcp and fastmcp; @modelcontextprotocol/sdk and mcp-remote beside
# @axiomhq/js), as they are in their registries, against the real binary: one program of tests/clients for each. The
# packages, and what is built of them, are kept in the user's cache folder; a client whose packages cannot be had is
# reported as not run.
# Usage: scripts/clients.sh [python|node|rust|oauth|mcp...]
set -euo pipefail
cd "$(dirname "$0")/.."

programs=$PWD/tests/clients
cache="${XDG_CACHE_HOME:-$HOME/.cache}/tidegauge"
wanted=" ${*:-python node rust oauth mcp} "
for client in "$@"; do
    [ -d "$programs/$client" ] || { echo "usage: scripts/clients.sh [python|node|rust|oauth|mcp...]" >&2; exit 2; }
done

folder=$(mktemp -d)
server=
clean_up() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
# A signal ends the script through `exit`, so that the server is stopped on that way too.
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

not_run() { echo "clients: $1 not run ($2)" >&2; }

# Each of these makes its packages ready in a folder that is named after what the lock files say.
folder_for() { echo "$cache/clients-$1-$(cat "${@:2}" | sha256sum | cut -c1-12)"; }

install_python() {
    python=$(folder_for python "$programs"/python/*.txt)
    [ -e "$python/ready" ] && return
    rm -rf "$python"
    { python3 -m venv "$python" &&
        "$python/bin/pip" install --quiet --require-hashes -r "$programs/python/requirements.txt" &&
        "$python/bin/pip" install --quiet --require-hashes --no-deps --target "$python/legacy" \
            -r "$programs/python/requirements-legacy.txt" &&
        touch "$python/ready"; } >&2
}

install_node() {
    node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || return 1
    node=$(folder_for node "$programs/node/package-lock.json")
    if ! [ -e "$node/ready" ]; then
        rm -rf "$node"
        mkdir -p "$node" && cp "$programs"/node/package*.json "$node" &&
            npm ci --prefix "$node" --ignore-scripts --no-audit --no-fund --loglevel=error >&2 &&
            touch "$node/ready" || return 1
    fi
    # Node looks for packages beside the program, so the two are put together.
    mkdir "$folder/node" && cp "$programs"/node/*.js* "$folder/node" && ln -s "$node/node_modules" "$folder/node"
}

install_rust() {
    rust=$cache/clients-rust
    cargo fetch --quiet --locked --manifest-path "$programs/rust/Cargo.toml" >&2 || return 1
    # A client of somebody else is not held to our lints.
    CARGO_TARGET_DIR=$rust env -u RUSTC_WORKSPACE_WRAPPER cargo build --quiet --locked --manifest-path "$programs/rust/Cargo.toml" || exit 1
    cp "$rust/debug/tidegauge-client-test" "$folder"
}

install_oauth() {
    oauth=$(folder_for oauth "$programs/oauth/requirements.txt")
    [ -e "$oauth/ready" ] && return
    rm -rf "$oauth"
    { python3 -m venv "$oauth" &&
        "$oauth/bin/pip" install --quiet --require-hashes -r "$programs/oauth/requirements.txt" &&
        touch "$oauth/ready"; } >&2
}

install_mcp() {
    mcp=$(folder_for mcp "$programs/mcp/requirements.txt")
    [ -e "$mcp/ready" ] && return
    rm -rf "$mcp"
    { python3 -m venv "$mcp" &&
        "$mcp/bin/pip" install --quiet --require-hashes -r "$programs/mcp/requirements.txt" &&
        touch "$mcp/ready"; } >&2
}

ready=()
for client in python node rust oauth mcp; do
    [[ $wanted == *" $client "* ]] || continue
    case $client in
        python) needs="axiom-py cannot be installed: python3 from 3.10 with venv and PyPI are needed" ;;
        node) needs="@axiomhq/js, @modelcontextprotocol/sdk and mcp-remote cannot be installed: node from 20, npm and its registry are needed" ;;
        rust) needs="axiom-rs cannot be fetched: crates.io is needed" ;;
        oauth) needs="authlib cannot be installed: python3 from 3.10 with venv and PyPI are needed" ;;
        mcp) needs="mcp and fastmcp cannot be installed: python3 from 3.10 with venv and PyPI are needed" ;;
    esac
    if "install_$client"; then ready+=("$client"); else not_run "$client" "$needs"; fi
done
[ ${#ready[@]} -gt 0 ] || exit 0

cargo build --quiet -p tidegauge
binary="$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]+)".*/\1/')/debug/tidegauge"
touch "$folder/out"
"$binary" serve --data "$folder/data" --listen 127.0.0.1:0 >"$folder/out" 2>"$folder/log" &
server=$!

until grep -q 'listens on' "$folder/out"; do
    kill -0 "$server" 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
    sleep 0.1
done

# What an environment of the public service says must not reach the clients.
unset AXIOM_EDGE AXIOM_EDGE_URL
AXIOM_URL=$(sed -nE 's/.*listens on (.*)/\1/p' "$folder/out")
AXIOM_TOKEN=$(cat "$folder/data/first-token")
AXIOM_ORG_ID=$("$binary" org list --data "$folder/data" | awk 'NR == 2 { print $1 }')
TEST_API_TOKEN=$("$binary" token create everything --all --data "$folder/data")
TEST_INGEST_TOKEN=$("$binary" token create sender --grant '*:ingest|create' --data "$folder/data")
export PYTHONDONTWRITEBYTECODE=1 AXIOM_URL AXIOM_TOKEN AXIOM_ORG_ID TEST_API_TOKEN TEST_INGEST_TOKEN

run_python() {
    "$python/bin/python" "$programs/python/main.py" "$@"
    [ $# -gt 0 ] || PYTHONPATH=$python/legacy "$python/bin/python" "$programs/python/legacy.py"
}
run_node() { node "$folder/node/main.js" "$@"; }
run_rust() { "$folder/tidegauge-client-test" "$@"; }
run_oauth() {
    # The quotas and the rate are no matter of signing in.
    [ $# -eq 0 ] || return 0
    local link
    link=$("$binary" user link owner@localhost.localdomain --data "$folder/data" --public-url "$AXIOM_URL")
    TEST_PASSWORD_LINK=$link "$oauth/bin/python" "$programs/oauth/main.py"
}

run_mcp() {
    local link=
    [ $# -gt 0 ] ||
        link=$("$binary" user link owner@localhost.localdomain --data "$folder/data" --public-url "$AXIOM_URL")
    # It signs in by the pages as the client of OAuth 2.0 does.
    PYTHONPATH=$programs/oauth TEST_PASSWORD_LINK=$link "$mcp/bin/python" "$programs/mcp/main.py" "$@"
}

run_all() {
    local client
    for client in "${ready[@]}"; do
        "run_$client" "$@"
    done
}
set_limits() { "$binary" org set-limits "$@" --data "$folder/data" >/dev/null; }

run_all
set_limits monthlyIngestGb=0 monthlyQueryGbHours=0
run_all quota
set_limits apiRateLimitPerSecond=1
run_all rate-limit

if grep -q 'panicked' "$folder/log"; then
    echo "clients: a request panicked" >&2
    grep 'panicked' "$folder/log" >&2
    exit 1
fi
echo "clients: ${ready[*]} passed"
