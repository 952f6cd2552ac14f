#!/usr/bin/env bash
# Sends messages through every channel of the real binary, to a real mail server (aiosmtpd as it is in its registry) and
# to receivers that check each service's documented format: tests/delivery. The packages are kept in the user's cache
# folder; where they cannot be had, it is reported as not run.
set -euo pipefail
cd "$(dirname "$0")/.."

program=$PWD/tests/delivery
cache="${XDG_CACHE_HOME:-$HOME/.cache}/tidegauge"
packages="$cache/delivery-$(sha256sum <"$program/requirements.txt" | cut -c1-12)"

install_packages() {
    [ -e "$packages/ready" ] && return
    rm -rf "$packages"
    { python3 -m venv "$packages" &&
        "$packages/bin/pip" install --quiet --require-hashes -r "$program/requirements.txt" &&
        touch "$packages/ready"; } >&2
}

if ! command -v openssl >/dev/null; then
    echo "delivery: not run (the program openssl, which makes certificates, is not there)" >&2
    exit 0
fi
if ! install_packages; then
    echo "delivery: not run (aiosmtpd cannot be installed: python3 from 3.10 with venv and PyPI are needed)" >&2
    exit 0
fi

cargo build --quiet -p tidegauge
binary="$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]+)".*/\1/')/debug/tidegauge"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if ! PYTHONDONTWRITEBYTECODE=1 "$packages/bin/python" "$program/main.py" "$binary" "$folder" ||
    grep -q 'panicked' "$folder"/*/log; then
    tail -n 50 "$folder"/*/log >&2
    exit 1
fi
