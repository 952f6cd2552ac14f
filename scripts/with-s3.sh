#!/usr/bin/env bash
# Runs a command with an S3 server of its own: moto, which the tests find through TIDEGAUGE_TEST_S3 with credentials in
# AWS_…, and which is stopped when the command ends. If that variable is set already, its server is used; if moto
# cannot be installed, the command runs without one. The packages are kept in the user's cache folder.
set -euo pipefail

if [ $# -eq 0 ]; then
    echo "usage: scripts/with-s3.sh COMMAND [ARGUMENT...]" >&2
    exit 2
fi
if [ -n "${TIDEGAUGE_TEST_S3:-}" ]; then
    exec "$@"
fi

version=5.2.5
tools="${XDG_CACHE_HOME:-$HOME/.cache}/tidegauge/s3-$version-1"

if ! [ -e "$tools/ready" ]; then
    rm -rf "$tools"
    if ! { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet "moto[s3,server]==$version" &&
        touch "$tools/ready"; } >&2; then
        rm -rf "$tools"
        echo "S3 tests: not run (moto cannot be installed: python3 with venv and PyPI are needed)" >&2
        exec "$@"
    fi
fi

folder=$(mktemp -d)
server=
remove_server() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
# A signal ends the script through `exit`, so that the server is stopped on that way too.
trap remove_server EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Port 0: the system chooses one that is free, and the server says which.
"$tools/bin/moto_server" -H 127.0.0.1 -p 0 >"$folder/log" 2>&1 &
server=$!
until grep -q 'Running on http' "$folder/log"; do
    kill -0 "$server" 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
    sleep 0.1
done

TIDEGAUGE_TEST_S3=$(sed -nE 's/.*Running on (http:[^ ]+).*/\1/p' "$folder/log" | head -n 1)
export TIDEGAUGE_TEST_S3
export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_REGION=us-east-1

status=0
"$@" || status=$?
exit "$status"
