"""Asks the service, ClickHouse and DuckDB the same questions over the same events, and prints one table.

Each engine is a process of its own with two threads, loaded once into a folder that is kept. The questions go round
the engines in turn. Hot is the best of the rounds; cold is the first answer of a fresh process after the page cache was
dropped, which needs root. The service is asked over HTTP and its whole answer is read; the peers are asked inside
their process, so that only the service pays for a connection. scripts/bench-query.sh starts this file.
"""

import argparse
import http.client
import json
import os
import subprocess
import sys
import time
import urllib.parse

import ingest_peers
import questions

THREADS = 2


class Peer:
    """A peer in a process of its own, which answers one statement on each line."""

    def __init__(self, name, folder):
        command = [sys.executable, __file__, "--serve", name, "--folder", folder]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.version = json.loads(self.process.stdout.readline())

    def ask(self, statement):
        self.process.stdin.write(json.dumps(statement) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["seconds"], answer["rows"]

    def peak(self):
        return peak_of(self.process.pid)

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Own(ingest_peers.Service):
    """The service on the folder it was loaded into."""

    def __init__(self, binary, folder):
        super().__init__(binary, folder)
        address = urllib.parse.urlsplit(self.url)
        self.connection = http.client.HTTPConnection(address.hostname, address.port)
        self.version = subprocess.run([binary, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

    def ask(self, body):
        text = json.dumps(body)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        begun = time.perf_counter()
        self.connection.request("POST", "/v1/datasets/bench/query", text, headers)
        answer = self.connection.getresponse()
        raw = answer.read()
        seconds = time.perf_counter() - begun
        if answer.status != 200:
            raise RuntimeError(f"{answer.status} {raw[:500]!r}")
        return seconds, json.loads(raw)


def peak_of(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        line = next(line for line in file if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def serve_clickhouse(folder):
    import chdb.session

    session = chdb.session.Session(os.path.join(folder, "clickhouse"))
    session.query(f"SET max_threads = {THREADS}")
    version = str(session.query("SELECT version()", "TSV")).strip()

    def ask(statement):
        text = str(session.query(statement, "JSONCompactEachRow"))
        return [json.loads(line) for line in text.splitlines()]

    return f"chdb {version}", ask


def serve_duckdb(folder):
    import duckdb

    connection = duckdb.connect(os.path.join(folder, "bench.duckdb"), config={"threads": THREADS})
    connection.execute("SET TimeZone = 'UTC'")
    return f"duckdb {duckdb.__version__}", lambda statement: connection.execute(statement).fetchall()


SERVERS = {"ClickHouse": serve_clickhouse, "DuckDB": serve_duckdb}


def serve(name, folder):
    version, ask = SERVERS[name](folder)
    print(json.dumps(version), flush=True)
    for line in sys.stdin:
        begun = time.perf_counter()
        try:
            rows = ask(json.loads(line))
            print(json.dumps({"seconds": time.perf_counter() - begun, "rows": rows}, default=str), flush=True)
        except Exception as error:  # The question is at fault, not this process: the asker decides.
            print(json.dumps({"error": str(error)}), flush=True)


def load(arguments):
    """Loads every engine into its folder, unless it was."""
    file, folder = arguments.file, arguments.folder
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(os.path.join(folder, "clickhouse-loaded")):
        load_clickhouse(file, folder)
        open(os.path.join(folder, "clickhouse-loaded"), "w").close()
    if not os.path.exists(os.path.join(folder, "duckdb-loaded")):
        load_duckdb(file, folder)
        open(os.path.join(folder, "duckdb-loaded"), "w").close()
    if not os.path.exists(os.path.join(folder, "own-loaded")):
        own = ingest_peers.Service(arguments.binary, folder)
        try:
            own.make_dataset("bench")
            command = [arguments.binary, "ingest", "bench", file, "--url", own.url, "--token-file", own.token_file]
            subprocess.run([*command, "--connections", "4"], check=True, stdout=sys.stderr)
            own.settle("bench")
        finally:
            own.stop()
        open(os.path.join(folder, "own-loaded"), "w").close()


def load_clickhouse(file, folder):
    """As a careful user makes it: ordered by time, low-cardinality words, and skip indexes on what is looked up."""
    import chdb.session

    session = chdb.session.Session(os.path.join(folder, "clickhouse"))
    kinds = ingest_peers.CLICKHOUSE_COLUMNS
    structure = ", ".join(f"{name} {kind}" for name, kind, _ in kinds)
    columns = ", ".join(f"{name} {kind} CODEC({codec}ZSTD(1))" for name, kind, codec in kinds)
    indexes = "INDEX trace trace_id TYPE bloom_filter GRANULARITY 4, INDEX user user_id TYPE bloom_filter GRANULARITY 4"
    session.query("CREATE DATABASE IF NOT EXISTS bench ENGINE = Atomic")
    session.query("DROP TABLE IF EXISTS bench.events")
    session.query(f"CREATE TABLE bench.events ({columns}, {indexes}) ENGINE = MergeTree ORDER BY _time")
    session.query(
        f"INSERT INTO bench.events SELECT * FROM file({ingest_peers.quoted(file)}, JSONEachRow, "
        f"{ingest_peers.quoted(structure)}) SETTINGS max_threads = {THREADS}, max_insert_threads = {THREADS}, "
        "date_time_input_format = 'best_effort', input_format_null_as_default = 1"
    )
    session.query("OPTIMIZE TABLE bench.events FINAL")


def load_duckdb(file, folder):
    import duckdb

    path = os.path.join(folder, "bench.duckdb")
    if os.path.exists(path):
        os.remove(path)
    connection = duckdb.connect(path, config={"threads": THREADS})
    connection.execute(
        "CREATE TABLE events AS SELECT * FROM read_ndjson(?, columns = ?) ORDER BY _time",
        [file, ingest_peers.DUCKDB_COLUMNS],
    )
    connection.execute("CHECKPOINT")
    connection.close()


def disk(folder, own):
    """Bytes on the disk: of the service those that its segments have now, without the ones they replaced."""
    def size(path):
        if os.path.isfile(path):
            return os.path.getsize(path)
        return sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(path) for name in names)

    return {
        "Tidegauge": own,
        "ClickHouse": size(os.path.join(folder, "clickhouse", "store")),
        "DuckDB": size(os.path.join(folder, "bench.duckdb")),
    }


def drop_page_cache():
    try:
        os.sync()
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
            file.write("3")
        return True
    except OSError:
        return False


def start(name, arguments):
    return Own(arguments.binary, arguments.folder) if name == "Tidegauge" else Peer(name, arguments.folder)


def asked(name, question):
    return {"Tidegauge": question.body, "ClickHouse": question.clickhouse, "DuckDB": question.duckdb}[name]


def plain(name, question, answer):
    """Rows of one form: of the service by the question, of peers as they are, with lists laid out."""
    if name == "Tidegauge":
        return question.own(answer)
    if question.own is questions.matched_ids:
        place = [column for column, _, _ in ingest_peers.CLICKHOUSE_COLUMNS].index("span_id")
        return sorted([row[place]] for row in answer)
    return sorted(([value for cell in row for value in questions.flat(cell)] for row in answer), key=str)


def agree(left, right, percent):
    if percent is None:
        return json.dumps(numbers(left)) == json.dumps(numbers(right))
    def near(a, b):
        if isinstance(a, str):
            return a == b
        return abs(float(a) - float(b)) <= percent / 100 * max(abs(float(a)), abs(float(b)), 1e-9)
    return len(left) == len(right) and all(
        len(a) == len(b) and all(near(x, y) for x, y in zip(a, b)) for a, b in zip(left, right)
    )


def numbers(rows):
    """Counts come as texts from some."""
    return [[int(value) if isinstance(value, str) and value.isdigit() else value for value in row] for row in rows]


def run_hot(names, arguments, asks):
    engines = {name: start(name, arguments) for name in names}
    times = {name: [[] for _ in asks] for name in names}
    answers = {}
    try:
        for _ in range(arguments.rounds):
            for place, question in enumerate(asks):
                for name, engine in engines.items():
                    seconds, answer = engine.ask(asked(name, question))
                    times[name][place].append(seconds)
                    answers[name, place] = plain(name, question, answer)
        peaks = {name: engine.peak() for name, engine in engines.items()}
        own = engines.get("Tidegauge")
        stored = own.call("GET", "/v1/datasets/bench/info")["compressedBytes"] if own else 0
        versions = {name: engine.version for name, engine in engines.items()}
    finally:
        for engine in engines.values():
            engine.stop()
    return times, answers, peaks, versions, stored


def run_cold(names, arguments, asks):
    times = {name: [None] * len(asks) for name in names}
    if not drop_page_cache():
        return times
    for place, question in enumerate(asks):
        for name in names:
            engine = start(name, arguments)
            try:
                drop_page_cache()
                times[name][place], _ = engine.ask(asked(name, question))
            finally:
                engine.stop()
    return times


def find_trace(arguments):
    """A trace from the middle of the day."""
    with open(arguments.file, "rb") as file:
        file.seek(os.path.getsize(arguments.file) // 2)
        file.readline()
        return json.loads(file.readline())["trace_id"]


def milliseconds(seconds):
    return "" if seconds is None else f"{seconds * 1000:.1f}"


def print_table(names, asks, hot, cold):
    peers = [name for name in names if name != "Tidegauge"]
    heads = ["question", *(f"{name} ms" for name in names), *(f"of {name}" for name in peers), *(f"{name} cold" for name in names)]
    print("| " + " | ".join(heads) + " |")
    print("|---" * len(heads) + "|")
    ratios = {name: [] for name in peers}
    for place, question in enumerate(asks):
        best = {name: min(hot[name][place]) for name in names}
        row = [question.name, *(milliseconds(best[name]) for name in names)]
        for name in peers:
            ratio = best["Tidegauge"] / best[name] if "Tidegauge" in best else float("nan")
            ratios[name].append(ratio)
            row.append(f"{ratio:.2f}")
        row.extend(milliseconds(cold[name][place]) for name in names)
        print("| " + " | ".join(row) + " |")
    for name, all_ratios in ratios.items():
        product = 1.0
        for ratio in all_ratios:
            product *= ratio
        print(f"geometric mean, Tidegauge's time of {name}'s: {product ** (1 / len(all_ratios)):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", help="NDJSON that `tidegauge bench generate --span 24h` has written")
    parser.add_argument("--binary", help="the optimised tidegauge")
    parser.add_argument("--folder", required=True, help="where the engines keep what they loaded")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--without", action="append", default=[], help="leave an engine out")
    parser.add_argument("--only", help="questions whose name has this text")
    parser.add_argument("--hot-only", action="store_true")
    parser.add_argument("--serve", choices=list(SERVERS), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.serve, arguments.folder)
        return
    load(arguments)
    names = [name for name in ["Tidegauge", *SERVERS] if name not in arguments.without]
    asks = [ask for ask in questions.questions(find_trace(arguments)) if (arguments.only or "") in ask.name]
    hot, answers, peaks, versions, stored = run_hot(names, arguments, asks)
    cold = {name: [None] * len(asks) for name in names}
    if not arguments.hot_only:
        cold = run_cold(names, arguments, asks)
    print(f"best of {arguments.rounds}, commit {arguments.commit}, {THREADS} threads each, "
          + ", ".join(f"{name} {versions[name]}" for name in names))
    print_table(names, asks, hot, cold)
    sizes = disk(arguments.folder, stored)
    for name in names:
        print(f"{name}: peak RSS {peaks[name] / 1e6:.0f} MB, on disk {sizes[name] / 1e6:.0f} MB")
    wrong = 0
    for place, question in enumerate(asks):
        for name in names[1:]:
            left, right = answers[names[0], place], answers[name, place]
            if not agree(left, right, question.percent and question.percent[name]):
                wrong += 1
                print(f"NOT EQUAL: {question.name}: {names[0]} {str(left)[:300]} but {name} {str(right)[:300]}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
