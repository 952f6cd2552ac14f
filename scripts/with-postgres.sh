#!/usr/bin/env bash
# Runs a command with a PostgreSQL of its own: a new server in a temporary folder, which the tests find through
# TIDEGAUGE_TEST_POSTGRES and which is removed when the command ends. If that variable is set already, its server
# is used; if this machine has no PostgreSQL, the command runs without one.
set -euo pipefail

if [ $# -eq 0 ]; then
    echo "usage: scripts/with-postgres.sh COMMAND [ARGUMENT...]" >&2
    exit 2
fi
if [ -n "${TIDEGAUGE_TEST_POSTGRES:-}" ]; then
    exec "$@"
fi

without_postgres() {
    echo "PostgreSQL tests: not run ($1)" >&2
    shift
    exec "$@"
}

# The folder that holds initdb and pg_ctl: where PATH finds them, else the newest of Debian's.
find_programs() {
    local candidate
    if candidate=$(command -v initdb) && command -v pg_ctl >/dev/null; then
        dirname "$candidate"
        return
    fi
    for candidate in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -rV); do
        if [ -x "$candidate/initdb" ] && [ -x "$candidate/pg_ctl" ]; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

# PostgreSQL refuses to run as root, so root lends it to a user without rights.
find_user() {
    local candidate
    command -v runuser >/dev/null || return 1
    for candidate in postgres nobody; do
        if id "$candidate" >/dev/null 2>&1; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

missing="install the package postgresql"
programs=$(find_programs) || without_postgres "$missing" "$@"
user=
if [ "$(id -u)" -eq 0 ]; then
    user=$(find_user) || without_postgres "$missing" "$@"
fi

# Not under TMPDIR: the other user must reach it, and the path of a socket may only be about 100 bytes long. In memory
# where there is room: each test makes a database of hundreds of files and removes it, and ext4 looks long for the inode
# of a new file when many have just become free.
base=/tmp
free_kib=$(df --output=avail /dev/shm 2>/dev/null | tail -n 1 || true)
if [ -w /dev/shm ] && [ "${free_kib:-0}" -ge $((4 * 1024 * 1024)) ]; then base=/dev/shm; fi
folder=$(mktemp -d "$base/tidegauge-postgres.XXXXXX")
data=$folder/data

# Runs a program of PostgreSQL, from a folder that its user may enter.
postgres() (
    cd "$folder"
    program=$programs/$1
    shift
    if [ -n "$user" ]; then
        runuser -u "$user" -- "$program" "$@"
    else
        "$program" "$@"
    fi
)

remove_server() {
    if [ -e "$data/postmaster.pid" ]; then
        postgres pg_ctl --pgdata="$data" --mode=immediate --wait stop >/dev/null 2>&1 || true
    fi
    rm -rf "$folder"
}
# A signal ends the script through `exit`, so that the server is removed on that way too.
trap remove_server EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# The server itself finds out whether a port is free: between looking and starting, another may take it.
start_server() {
    local options attempt
    if [ -n "$user" ]; then
        chown "$user" "$folder"
    fi
    postgres initdb --pgdata="$data" --username=postgres --auth=trust --encoding=UTF8 --no-locale --no-sync \
        >"$folder/log" 2>&1 || return 1
    for attempt in 1 2 3 4 5 6 7 8; do
        port=$((20000 + RANDOM % 12000))
        options="-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories=$folder"
        options="$options -c max_connections=1000"
        options="$options -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
        # Each test has a database of its own: nobody needs hundreds of them visited in turn to be tidied up.
        options="$options -c autovacuum=off -c wal_level=minimal -c max_wal_senders=0"
        if postgres pg_ctl --pgdata="$data" --options="$options" --wait start >"$folder/log" 2>&1; then
            return
        fi
    done
    return 1
}

if start_server; then
    # The tests ask its own client: Debian's `psql` looks for that one first, which takes seven times as long.
    client=$(dirname "$(readlink -f "$programs/initdb")")
    if [ -x "$client/psql" ]; then PATH=$client:$PATH; fi
    export TIDEGAUGE_TEST_POSTGRES="postgres://postgres@127.0.0.1:$port/postgres"
else
    cat "$folder/log" >&2
    echo "PostgreSQL tests: not run (the server did not start, see above)" >&2
fi

status=0
"$@" || status=$?
exit "$status"
