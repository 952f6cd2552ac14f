.DEFAULT_GOAL := help
.PHONY: run test check oracle hostile powercut diskfaults objectfaults bench bench-compare bench-growth bench-oauth bench-monitors bench-senders bench-tenants bench-web bench-web-memory bench-small-query newcomer fmt audit help lint interface setup-run setup-test setup-bench fuzz simulate sabotage mutants

# nextest runs tests in parallel processes; plain `cargo test` runs the same ones.
RUNNER := $(if $(shell command -v cargo-nextest 2>/dev/null),cargo nextest run,cargo test)

run: setup-run interface ## build and start the service on http://127.0.0.1:8080, with its data in ./data
	cargo run --profile fast -p tidegauge -- serve

# All of it is compiled once, by the lints' own compiler: lints that run on their own read every dependency a second
# time. What would make a second time quicker takes time and disk, and so do lines of backtraces: a panic names its own.
test: export CARGO_INCREMENTAL := 0
test: export CARGO_PROFILE_DEV_DEBUG := none
test: export RUSTC_WORKSPACE_WRAPPER := clippy-driver
test: export CLIPPY_ARGS := --deny__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
test: setup-test interface ## every test that a change must pass
	cargo fmt --all --check
	cargo build --workspace --all-targets
	TIDEGAUGE_TEST_DUCKDB="$$(scripts/ducklake.sh || true)" scripts/with-memory-folder.sh scripts/with-s3.sh scripts/with-postgres.sh $(RUNNER) --workspace
	scripts/interface.sh check
	scripts/side-by-side.sh scripts/browser.sh scripts/senders.sh scripts/conformance.sh scripts/clients.sh \
		scripts/delivery.sh 'scripts/powercut.sh --points 20 --self-test' 'scripts/oracle.sh --queries 60' \
		scripts/issuers.sh scripts/offline.sh

check: lint ## the quick loop: format, lints, and the tests that build fast
	scripts/interface.sh check
	$(RUNNER) -p tidegauge-tidy -p tidegauge-model -p tidegauge-auth -p tidegauge-lang -p tidegauge-ingest -p tidegauge-protocols -p tidegauge-catalog -p tidegauge-store -p tidegauge-notify -p tidegauge-alerting -p tidegauge-egress -p tidegauge-admission -p tidegauge-cache

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- --deny warnings

oracle: ## compare answers to random questions at size with DuckDB's and the naive interpreter's [EVENTS=100000 QUERIES=20000 SEED=1]
	TIDEGAUGE_LARGE_SEED=$(or $(SEED),1) cargo test --profile fast -p tidegauge-engine-tests --test it -- --ignored at_size
	scripts/oracle.sh --events $(or $(EVENTS),100000) --queries $(or $(QUERIES),20000) --seed $(or $(SEED),1)

hostile: ## ask 113 times for more than there may be, in queries and otherwise, and watch the memory; half an hour
	scripts/hostile.sh

simulate: ## live histories of the store in a world that seeds decide, and look for what was promised [HISTORIES=5000 SEED=1]
	TIDEGAUGE_SIMULATE_HISTORIES=$(or $(HISTORIES),5000) TIDEGAUGE_SIMULATE_SEED=$(or $(SEED),1) cargo test --profile fast -p tidegauge-store-tests --test it -- --nocapture every_history

powercut: ## cut the power at many points of a recorded run, and look for what was acknowledged [POINTS=2000 SEED=1]
	scripts/powercut.sh --requests 360 --points $(or $(POINTS),2000) --seed $(or $(SEED),1) --self-test

diskfaults: ## make the disk fail at calls of a run, and look for what was acknowledged; a second for each fault [POINTS=600 SEED=1]
	scripts/diskfaults.sh --points $(or $(POINTS),600) --seed $(or $(SEED),1) --self-test

objectfaults: ## make requests to the object store fail, and look for the same; four seconds for each fault [POINTS=150 SEED=1]
	scripts/objectfaults.sh --points $(or $(POINTS),150) --seed $(or $(SEED),1) --self-test

sabotage: ## take a sync, a rename or a checksum out of the store, one at a time, and see a test fail [EDITS=...]
	scripts/sabotage.sh $(EDITS)

mutants: ## change the code in small ways, one at a time, and see a test fail; goes on where it ended [MINUTES=60 CRATE=auth]
	scripts/mutants.sh --minutes $(or $(MINUTES),60) $(if $(CRATE),--crate $(CRATE))

fuzz: ## try bytes that chance and coverage choose on every reader, SECONDS for each of 35 targets: two thirds of an hour, and as long for the first build [SECONDS=60 TARGETS=...]
	scripts/fuzz.sh $(TARGETS) --seconds $(or $(SECONDS),60)

bench: setup-bench ## measure the service, and its ingest and its answers beside ClickHouse and DuckDB, for two families of events [EVENTS=10000000]
	scripts/bench.sh
	EVENTS= scripts/bench-ingest.sh
	EVENTS= FAMILY=firehose scripts/bench-ingest.sh
	scripts/bench-query.sh
	FAMILY=firehose scripts/bench-query.sh

bench-compare: setup-bench ## measure this checkout beside an earlier commit, question by question [BASE=COMMIT EVENTS=10000000]
	scripts/bench-compare.sh $(BASE)

bench-growth: setup-bench ## measure how the answers' times grow from 1 to 10 to 100 million events
	scripts/bench-growth.sh

bench-oauth: ## measure the check of an access token; builds no more than that needs
	cargo bench --profile fast -p tidegauge-auth --bench oauth

bench-monitors: ## measure whether a thousand monitors each minute are run when they are due
	scripts/bench-monitors.sh

bench-senders: ## measure OTLP, Elasticsearch's bulk requests and Loki's beside our own NDJSON, and bulk beside VictoriaLogs [EVENTS=1000000]
	scripts/bench-senders.sh

bench-tenants: ## measure what a hostile organisation costs another one on the same service; twenty minutes
	scripts/bench-tenants.sh

bench-web: ## measure the interface in a browser: a dashboard of 20 panels, typing in a monitor, a trace, 50 browsers [EVENTS=10000000 MINUTES=10]
	scripts/bench-web.sh

bench-web-memory: ## what pages of the interface hold: a table of a million rows, a flood of five minutes, an hour of refreshes
	scripts/bench-web.sh million flood hour

bench-small-query: ## measure a small query over HTTP of two optimised binaries, in turn [BEFORE=FILE AFTER=FILE]
	scripts/bench-small-query.sh

newcomer: ## make run in a clean clone without Node, then a browser: the seconds to the first event, chart and saved query [BINARY=FILE]
	scripts/newcomer.sh

fmt: ## format the code
	cargo fmt --all

audit: ## licences, advisories and banned crates (needs cargo-deny)
	cargo deny check

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/'

interface:
	@scripts/interface.sh build

setup-run:
	@scripts/setup.sh run

setup-test:
	@scripts/setup.sh test

setup-bench:
	@scripts/setup.sh bench
