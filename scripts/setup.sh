#!/usr/bin/env bash
# Sees to it that what `make` needs from the distribution is there: installs it when it may (root on Debian or
# Ubuntu), and otherwise says in one line what to install. Usage: scripts/setup.sh run|test|bench
set -euo pipefail

purpose=${1:?usage: scripts/setup.sh run|test|bench}

have() { command -v "$1" >/dev/null 2>&1; }

have_postgres() { have initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; }

have_venv() { python3 -c 'import ensurepip, venv' >/dev/null 2>&1; }

may_install() { [ "$(id -u)" = 0 ] && have apt-get; }

install_packages() {
    echo "setup: installing $*" >&2
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y --no-install-recommends "$@" >/dev/null 2>&1 && return
    apt-get update >/dev/null && apt-get install -y --no-install-recommends "$@" >/dev/null
}

if ! have cargo; then
    echo "setup: a Rust toolchain is needed; https://rustup.rs tells how to install one" >&2
    exit 1
fi

required=()
have cc || required+=(gcc libc6-dev)
[ "$purpose" != bench ] || have wrk || required+=(wrk)
[ "$purpose" != bench ] || have curl || required+=(curl)

# What tests and measurements can do without: they report what was not run.
optional=()
[ "$purpose" != test ] || have_postgres || optional+=(postgresql)
if [ "$purpose" != run ]; then
    have python3 || optional+=(python3)
    have_venv || optional+=(python3-venv)
fi

if [ ${#required[@]} -gt 0 ]; then
    if ! may_install; then
        echo "setup: please install: ${required[*]}" >&2
        exit 1
    fi
    install_packages "${required[@]}"
fi
if [ ${#optional[@]} -gt 0 ]; then
    if ! { may_install && install_packages "${optional[@]}"; }; then
        echo "setup: a part will not run; to run all, install: ${optional[*]}" >&2
    fi
fi
# Two tests that run side by side fetch packages of their own, and only one at a time may make the list of them.
if [ "$purpose" = test ] && may_install && ! compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null; then
    apt-get update >/dev/null || true
fi
if [ "$purpose" = bench ]; then
    "$(dirname "$0")/bench-ingest.sh" --set-up
fi
