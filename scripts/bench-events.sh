# What the benchmarks of ingest and of questions share; to be sourced from the project's folder. `need_peers` makes the
# Python with ClickHouse (chdb) and DuckDB ready or ends the script, `build` the optimised binary, `make_events NAME
# COUNT [OPTIONS]` a file of made-up events, `make_day COUNT` those that are asked about. All are kept in the user's
# cache folder. FAMILY says what the events tell of.
chdb=4.4.0
duckdb=2.0.0
cache="${XDG_CACHE_HOME:-$HOME/.cache}/tidegauge"
tools="$cache/bench-$chdb-$duckdb-1"
python="$tools/bin/python"
family=${FAMILY:-web}

set_up_peers() {
    "$python" -c 'import chdb, duckdb' 2>/dev/null && return
    rm -rf "$tools"
    { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet "chdb==$chdb" "duckdb==$duckdb"; } >&2 && return
    rm -rf "$tools"
    return 1
}

# What cannot be compared here is reported and is no failure.
need_peers() {
    set_up_peers && return
    echo "$(basename "$0" .sh): not run (chdb and duckdb cannot be installed: python3 with venv and PyPI are needed)" >&2
    exit 0
}

# Sets `binary` and `commit`. BINARY names one that was built before.
build() {
    binary=${BINARY:-}
    commit=${COMMIT:-unknown}
    [ -z "$binary" ] || return 0
    cargo build --profile fast -p tidegauge
    binary="$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]+)".*/\1/')/fast/tidegauge"
    commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
    git diff --quiet HEAD 2>/dev/null || commit="$commit with changes"
}

# A binary from before there was a second family has no option for the first.
generate() {
    local of_family=()
    [ "$family" = web ] || of_family=(--family "$family")
    "$binary" bench generate "${of_family[@]}" "$@"
}

# The names of files of the first family are as they were before there was a second one.
named() {
    [ "$family" = web ] && echo "$1" || echo "$1-$family"
}

# Sets `mark`: another version of the generator would have other lines, and its files other names.
mark_events() {
    mark=$(generate --events 1000 | cksum | cut -d' ' -f1)
}

# Sets `file`.
make_events() {
    local name count=$2
    name=$(named "$1")
    shift 2
    mark_events
    file="$cache/bench/$name-$mark-$count.ndjson"
    [ -e "$file" ] && return
    mkdir -p "$cache/bench"
    # Those of another version, whose mark is digits: `day-firehose-…` is not of `day`.
    find "$cache/bench" -mindepth 1 -maxdepth 1 -name "$name-[0-9]*" ! -name "$name-$mark-*" -exec rm -rf {} +
    generate --events "$count" "$@" --out "$file.new"
    mv "$file.new" "$file"
}

# Sets `folder`, where engines keep what they have loaded, and `file`, which is empty where there are too many events
# for one. Ten million are a day, and more or fewer are as dense as those.
make_day() {
    local count=$1
    if [ "$count" -le 10000000 ]; then
        make_events day "$count" --span "$((count * 864 / 100000))s"
        folder="${file%.ndjson}"
        return
    fi
    mark_events
    file=
    folder="$cache/bench/$(named day)-$mark-$count"
    mkdir -p "$folder"
}
