#!/usr/bin/env bash
# Has senders of other services, as they are in their registries, send to the real binary, and looks up that every event
# is there: tests/senders. The packages are kept in the user's cache folder; where they cannot be had, it is reported as
# not run. Those of Debian are unpacked there and not installed: nothing of the machine changes, and none of them starts.
set -euo pipefail
cd "$(dirname "$0")/.."

programs=$PWD/tests/senders
cache="${XDG_CACHE_HOME:-$HOME/.cache}/tidegauge"
python="$cache/senders-python-$(cat "$programs"/python/*.txt | sha256sum | cut -c1-12)"
node="$cache/senders-node-$(sha256sum <"$programs/node/package-lock.json" | cut -c1-12)"

install_python() {
    [ -e "$python/ready" ] && return
    rm -rf "$python"
    { python3 -m venv "$python" &&
        "$python/bin/pip" install --quiet --require-hashes -r "$programs/python/requirements.txt" &&
        "$python/bin/pip" install --quiet --require-hashes --no-deps --target "$python/elastic8" \
            -r "$programs/python/requirements-elastic8.txt" &&
        touch "$python/ready"; } >&2
}

install_node() {
    node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || return 1
    [ -e "$node/ready" ] && return
    rm -rf "$node"
    mkdir -p "$node" && cp "$programs"/node/package*.json "$node" &&
        npm ci --prefix "$node" --ignore-scripts --no-audit --no-fund --loglevel=error >&2 &&
        touch "$node/ready"
}

# rsyslog, syslog-ng, systemd-journal-upload, Prometheus and vmagent, with the libraries that a machine may lack.
debian_packages=(rsyslog rsyslog-elasticsearch rsyslog-gnutls libestr0 libfastjson4 liblognorm5
    syslog-ng-core syslog-ng-mod-http syslog-ng-scl libivykis0 libnet1 libdbi1 libpcre3 libwrap0
    systemd-journal-remote libsystemd-shared libmicrohttpd12 prometheus victoria-metrics)
debian="$cache/senders-debian-$(echo "${debian_packages[@]}" | sha256sum | cut -c1-12)"

install_debian() {
    [ "$(. /etc/os-release 2>/dev/null && echo "${ID-} ${VERSION_ID-}")" = "debian 12" ] || return 1
    [ -e "$debian/ready" ] && return
    rm -rf "$debian"
    mkdir -p "$debian/packages" && (
        cd "$debian/packages"
        # Without a list of packages there is none; making one is for root alone.
        apt-get download -q "${debian_packages[@]}" ||
            { [ "$(id -u)" = 0 ] && apt-get update -q && apt-get download -q "${debian_packages[@]}"; }
    ) >"$debian/log" 2>&1 || return 1
    local package
    for package in "$debian"/packages/*.deb; do
        dpkg-deb -x "$package" "$debian/root" || return 1
    done
    rm -rf "$debian/packages" && touch "$debian/ready"
}

# What is built stays in the cache, where a change of the lock file builds again what it must.
install_rust() {
    rust=$cache/senders-rust
    cargo fetch --quiet --locked --manifest-path "$programs/rust/Cargo.toml" >&2 || return 1
    # A sender of somebody else is not held to our lints.
    CARGO_TARGET_DIR=$rust env -u RUSTC_WORKSPACE_WRAPPER cargo build --quiet --locked --manifest-path "$programs/rust/Cargo.toml" || exit 1
}

# The program for Python starts the service and looks up what arrived, for the senders of npm too.
if ! install_python; then
    echo "senders: not run (packages cannot be installed: python3 from 3.10 with venv and PyPI are needed)" >&2
    exit 0
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/new" "$folder/elastic8"
arguments=()
if install_node; then
    # Node looks for packages beside the program, so the two are put together.
    cp -r "$programs/node" "$folder" && ln -s "$node/node_modules" "$folder/node"
    arguments=(--node "$folder/node/main.js")
else
    echo "senders: those of npm not run (node from 20, npm and its registry are needed)" >&2
fi

if install_debian; then
    arguments+=(--debian "$debian/root")
else
    echo "senders: rsyslog, syslog-ng, systemd-journal-upload, Prometheus and vmagent not run (Debian 12 and its packages are needed)" >&2
fi

if install_rust; then
    cp "$rust/debug/tidegauge-sender-test" "$folder"
    arguments+=(--rust "$folder/tidegauge-sender-test")
else
    echo "senders: OpenTelemetry for Rust not run (crates.io is needed)" >&2
fi

cargo build --quiet -p tidegauge
binary="$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]+)".*/\1/')/debug/tidegauge"

export PYTHONDONTWRITEBYTECODE=1
# What an environment says of exporters must not reach them, and of certificates neither.
unset "${!OTEL_@}" REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
if ! "$python/bin/python" "$programs/python/main.py" "$binary" "$folder/new" "${arguments[@]}" ||
    ! PYTHONPATH=$python/elastic8 "$python/bin/python" "$programs/python/main.py" "$binary" "$folder/elastic8" --elastic ||
    grep -r --include=log 'panicked' "$folder"/new "$folder"/elastic8; then
    find "$folder"/new "$folder"/elastic8 -name log -exec tail -n 50 {} + >&2
    exit 1
fi
