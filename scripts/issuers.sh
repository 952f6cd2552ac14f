#!/usr/bin/env bash
# Runs an independent authorisation server, oidc-provider as it is in its registry, and has the real binary take its
# access tokens: tests/issuers. The packages are kept in the user's cache folder; where they cannot be had, it is reported
# as not run.
set -euo pipefail
cd "$(dirname "$0")/.."

program=$PWD/tests/issuers
cache="${XDG_CACHE_HOME:-$HOME/.cache}/tidegauge"
packages="$cache/issuers-$(sha256sum <"$program/package-lock.json" | cut -c1-12)"

install_packages() {
    node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || return 1
    [ -e "$packages/ready" ] && return
    rm -rf "$packages"
    mkdir -p "$packages" && cp "$program"/package*.json "$packages" &&
        npm ci --prefix "$packages" --ignore-scripts --no-audit --no-fund --loglevel=error >&2 &&
        touch "$packages/ready"
}

if ! install_packages; then
    echo "issuers: not run (oidc-provider cannot be installed: node from 20, npm and its registry are needed)" >&2
    exit 0
fi

cargo build --quiet -p tidegauge
binary="$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]+)".*/\1/')/debug/tidegauge"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Node looks for packages beside the program, so the two are put together.
mkdir "$folder/program" && cp "$program"/*.js* "$folder/program" && ln -s "$packages/node_modules" "$folder/program"

# The warnings of oidc-provider are about the comfort that it has for tests: forms and keys that are not for use.
if ! node "$folder/program/main.js" "$binary" "$folder" 2>"$folder/log"; then
    cat "$folder/log" >&2
    exit 1
fi
if grep 'panicked' "$folder/log" >&2; then
    echo "issuers: a request panicked" >&2
    exit 1
fi
