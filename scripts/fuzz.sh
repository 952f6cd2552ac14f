#!/usr/bin/env bash
# Looks for bytes that make a reader fail (fuzz/README.md). Goes on from the corpora that are there, adds what it did to
# fuzz/hours.tsv, and keeps the corpora small. What fails is put into fuzz/found, with how to try it again.
# Needs cargo-fuzz and a C++ compiler; the compiler is the usual one.
# Usage: scripts/fuzz.sh [TARGET...] [--seconds N] [--build-only] [--list]
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=60
build_only=
targets=()
while [ $# -gt 0 ]; do
    case $1 in
        --seconds) seconds=$2; shift ;;
        --build-only) build_only=yes ;;
        --list) (cd fuzz && ls -1 plain/targets whole/targets | sed -n 's/\.rs$//p'); exit 0 ;;
        -*) sed -n '5p' "$0" >&2; exit 2 ;;
        *) targets+=("$1") ;;
    esac
    shift
done

package_of() {
    for package in plain whole; do
        if [ -f "fuzz/$package/targets/$1.rs" ]; then echo "$package"; return; fi
    done
    echo "fuzz: there is no target $1; scripts/fuzz.sh --list names them" >&2
    return 2
}
if [ ${#targets[@]} -eq 0 ]; then
    mapfile -t targets < <(scripts/fuzz.sh --list)
fi
packages=$(for target in "${targets[@]}"; do package_of "$target"; done | sort -u)

if ! command -v cargo-fuzz >/dev/null || ! command -v c++ >/dev/null; then
    echo "fuzz: not run (it needs a C++ compiler, and cargo-fuzz: cargo install cargo-fuzz --locked)" >&2
    exit 1
fi
# Coverage is a flag of the compiler that only others count as unfinished. What is tried has no unsafe parts of its own, so
# that no sanitizer is needed.
export RUSTC_BOOTSTRAP=1 CARGO_INCREMENTAL=0
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target/fuzz}
for package in $packages; do
    cargo fuzz build --fuzz-dir "fuzz/$package" -s none
done
[ -z "$build_only" ] || exit 0

binaries=$CARGO_TARGET_DIR/$(rustc -vV | sed -n 's/^host: //p')/release
corpora=$CARGO_TARGET_DIR/corpora
mkdir -p fuzz/found
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Targets that read folders do so in memory where there is some.
if [ -w /dev/shm ]; then TMPDIR=$(mktemp -d -p /dev/shm); export TMPDIR; trap 'rm -rf "$work" "$TMPDIR"' EXIT; fi

# All that was ever new stays with what was built, so that the next run goes on from there; of it, at most 40 files of at
# most 2 kB that reach the most are kept in the repository.
keep_corpus() {
    local target=$1 corpus=fuzz/corpus/$1 all=$corpora/$1
    rm -rf "$work/merged" "$work/few" "$work/kept"
    mkdir -p "$work/merged" "$work/few" "$work/kept"
    "$binaries/$target" -merge=1 "$work/merged" "$all" "$corpus" >"$work/merge.log" 2>&1 || return 0
    rm -rf "$all"
    mv "$work/merged" "$all"
    "$binaries/$target" -set_cover_merge=1 -max_len=2048 "$work/few" "$all" >"$work/merge.log" 2>&1 || return 0
    # Where there are more, those that differ most in length, so that no kind of input goes as a whole.
    find "$work/few" -type f -size -2049c -printf '%s %p\n' | sort -n | awk '{ all[NR] = $2 }
        END { most = NR < 40 ? NR : 40; for (i = 0; i < most; i++) print all[1 + int(i * NR / most)] }' |
        while read -r file; do cp "$file" "$work/kept/"; done
    rm -rf "$corpus"
    mv "$work/kept" "$corpus"
}

stopped=
trap 'stopped=yes' INT TERM
failed=0
for target in "${targets[@]}"; do
    [ -z "$stopped" ] || break
    mkdir -p "fuzz/corpus/$target" "$corpora/$target"
    echo "fuzz: $target for $seconds seconds"
    dictionary=()
    if [ -f "fuzz/dictionaries/$target.dict" ]; then dictionary=(-dict="fuzz/dictionaries/$target.dict"); fi
    before=$(ls fuzz/found)
    code=0
    { TIMEFORMAT='%U %S'; time "$binaries/$target" "$corpora/$target" "fuzz/corpus/$target" "${dictionary[@]}" \
        -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="fuzz/found/$target-" 2>"$work/log"; } 2>"$work/time" || code=$?
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log" | tail -n 1)
    used=$(awk '{ printf "%d", $1 + $2 + 0.5 }' "$work/time")
    covered=$(grep -o 'cov: [0-9]*' "$work/log" | tail -n 1 | cut -d' ' -f2 || true)
    echo "fuzz: $target: ${executions:-?} executions, ${used} CPU seconds, coverage ${covered:-?}"
    printf '%s\t%s\t%s\t%s\t%s\n' "$(date -u +%Y-%m-%d)" "$target" "$used" "${executions:-0}" "${covered:-0}" >>fuzz/hours.tsv
    for found in $(ls fuzz/found); do
        case " $before " in *"$found"*) continue ;; esac
        failed=1
        grep -m 3 -E 'panicked|assertion|ERROR: libFuzzer' -A 3 "$work/log" >&2 || tail -n 20 "$work/log" >&2
        echo "fuzz: $target fails; to try again: $binaries/$target fuzz/found/$found" >&2
    done
    if [ "$code" -ne 0 ] && [ -z "$stopped" ]; then failed=1; fi
    keep_corpus "$target"
done
exit $failed
