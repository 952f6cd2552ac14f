#!/usr/bin/env bash
# Changes the code in small ways, one at a time, and looks whether a test fails (tests/mutants). Goes on where it ended.
# Needs Python 3.11, cargo-nextest and cargo-mutants; --check needs Python alone.
# Usage: scripts/mutants.sh [--minutes N] [--crate NAME] [--file PART] [--sample K] [--seed S] [--survivors] [--list] [--check]
set -euo pipefail
cd "$(dirname "$0")/.."

if ! python3 -c 'import tomllib' 2>/dev/null; then
    echo "mutants: not run (it needs Python 3.11)" >&2
    exit 1
fi
case " $* " in
    *" --check "* | *" --help "*) ;;
    *)
        for tool in cargo-nextest cargo-mutants; do
            if ! command -v "$tool" >/dev/null; then
                echo "mutants: not run (it needs $tool: cargo install $tool --locked)" >&2
                exit 1
            fi
        done
        ;;
esac
# The tests sync thousands of times, which proves nothing here.
exec scripts/with-memory-folder.sh python3 -B tests/mutants/main.py "$@"
