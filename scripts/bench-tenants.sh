#!/usr/bin/env bash
# Measures what a hostile organisation costs another one on the same service: see benches/tenants.py. Ends with 1 when
# somebody who stays quiet is refused, or waits more than three times as long at p99. Takes a minute for each flood.
# Usage: [BINARY=FILE] scripts/bench-tenants.sh [ARGUMENTS OF tenants.py, such as --only texts]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/bench-events.sh

build
python3 benches/tenants.py --binary "$binary" "$@"
