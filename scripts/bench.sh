#!/usr/bin/env bash
# Measures the service under load, with an optimised build, on each database that is there, and beside it what the
# parts alone can do: HTTP without a database, and the disk's own sync. Usage: scripts/bench.sh [SECONDS_PER_RUN]
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-10}
connections=16
folder=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
server=
stop() { [ -z "$server" ] || { kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; server=; }; }
trap 'stop; rm -rf "$folder"' EXIT

cargo build --profile fast -p tidegauge
binary="$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]+)".*/\1/')/fast/tidegauge"

body='{"name":"bench","properties":{"webhook":{"url":"https://example.com/hook"}},"disabledUntil":null}'
cat >"$folder/put.lua" <<LUA
wrk.method = "PUT"
wrk.body = '$body'
wrk.headers["Content-Type"] = "application/json"
LUA

# One line of figures: requests per second, and the time that half and all but one in a hundred took.
measure() {
    local name=$1
    shift
    wrk --threads 1 --connections "$connections" --duration "${seconds}s" --latency "$@" >"$folder/wrk"
    local errors
    errors=$(sed -nE 's/ *Non-2xx or 3xx responses: (.*)/ ERRORS: \1/p; s/ *(Socket errors.*)/ \1/p' "$folder/wrk")
    printf '%-34s %10s/s   p50 %9s   p99 %9s%s\n' "$name" \
        "$(awk '/Requests\/sec/ {print $2}' "$folder/wrk")" \
        "$(awk '/ 50%/ {print $2}' "$folder/wrk")" "$(awk '/ 99%/ {print $2}' "$folder/wrk")" "$errors"
}

# How many times a second the disk makes a small write permanent.
disk_sync() {
    python3 - "$folder/sync" <<'PY' 2>/dev/null || echo "not measured (python3 is missing)"
import os, sys, time
file = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)
count, begun = 0, time.perf_counter()
while time.perf_counter() - begun < 2:
    os.pwrite(file, b"x" * 4096, count * 4096)
    os.fdatasync(file)
    count += 1
print(f"{count / (time.perf_counter() - begun):.2f}/s")
PY
}

bench() {
    local database=$1
    shift
    local data="$folder/$database"
    "$binary" serve --data "$data" --listen 127.0.0.1:0 --log-level error "$@" >"$folder/out" &
    server=$!
    until grep -q 'listens on' "$folder/out"; do kill -0 "$server"; sleep 0.1; done
    local url token id
    url=$(sed -nE 's/.*listens on (.*)/\1/p' "$folder/out")
    token=$(cat "$data/first-token")
    "$binary" org set-limits apiRateLimitPerSecond=1000000000 --data "$data" "$@" >/dev/null
    id=$(curl -s "$url/v2/notifiers" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
        -d "$body" | sed -E 's/.*"id":"([^"]+)".*/\1/')
    measure "GET /healthz (no database)" "$url/healthz"
    measure "GET /v2/notifiers/{id}, $database" -H "Authorization: Bearer $token" "$url/v2/notifiers/$id"
    measure "PUT /v2/notifiers/{id}, $database" -H "Authorization: Bearer $token" -s "$folder/put.lua" \
        "$url/v2/notifiers/$id"
    stop
}

echo "$connections connections, ${seconds} s each, $(nproc) cores shared with the load tool"
printf '%-34s %s\n' "disk: write 4 KiB and fdatasync" "$(disk_sync)"
bench sqlite
if [ -n "${TIDEGAUGE_TEST_POSTGRES:-}" ]; then
    bench postgres --catalog "$TIDEGAUGE_TEST_POSTGRES"
else
    echo "PostgreSQL: not run (scripts/with-postgres.sh make bench starts one, without its own disk syncs)"
fi
