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

# Unpacked and not installed: nothing of the machine changes.
alertmanager="$cache/delivery-alertmanager"

install_alertmanager() {
    [ "$(. /etc/os-release 2>/dev/null && echo "${ID-} ${VERSION_ID-}")" = "debian 12" ] || return 1
    unshare --map-root-user --mount true 2>/dev/null || return 1
    [ -e "$alertmanager/ready" ] && return
    rm -rf "$alertmanager"
    mkdir -p "$alertmanager" && (
        cd "$alertmanager"
        # Without a list of packages there is none; making one is for root alone.
        apt-get download -q prometheus-alertmanager ||
            { [ "$(id -u)" = 0 ] && apt-get update -q && apt-get download -q prometheus-alertmanager; }
    ) >"$alertmanager/log" 2>&1 || return 1
    dpkg-deb -x "$alertmanager"/*.deb "$alertmanager/root" && touch "$alertmanager/ready"
}

if ! command -v openssl >/dev/null; then
    echo "delivery: not run (the program openssl, which makes certificates, is not there)" >&2
    exit 0
fi
if ! install_packages; then
    echo "delivery: not run (aiosmtpd cannot be installed: python3 from 3.10 with venv and PyPI are needed)" >&2
    exit 0
fi

arguments=()
if install_alertmanager; then
    arguments=("$alertmanager/root")
else
    echo "delivery: Alertmanager not run (Debian 12, its packages, and namespaces of mounts are needed)" >&2
fi

cargo build --quiet -p tidegauge
binary="$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]+)".*/\1/')/debug/tidegauge"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if ! PYTHONDONTWRITEBYTECODE=1 "$packages/bin/python" "$program/main.py" "$binary" "$folder" "${arguments[@]}" ||
    grep -q 'panicked' "$folder"/*/log; then
    tail -n 50 "$folder"/*/log >&2
    exit 1
fi
