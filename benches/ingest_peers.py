"""Loads the same file of events into the service, ClickHouse and DuckDB, and prints one table.

Each load runs in a process of its own, in turn, and the best of the rounds counts. Every engine has two threads. The
service acknowledges a request when it is on the disk; ClickHouse does not wait for the disk, DuckDB does at its
checkpoint. scripts/bench-ingest.sh starts this file with what it needs.
"""

import argparse
import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from peers.clickhouse import quoted
from families import FAMILIES, WEB
from peers import tables
from service import DATASET, NotServed, Service

THREADS = 2
SMALL_REQUESTS = 2_000


def load_clickhouse(file, folder, kind):
    """MergeTree on disk, ordered by time; the size is that after all parts have been merged into one."""
    import chdb.session

    session = chdb.session.Session(os.path.join(folder, "clickhouse"))
    structure, columns = tables.clickhouse_structure(kind), tables.clickhouse_columns(kind)
    session.query("CREATE DATABASE bench ENGINE = Atomic")
    session.query(f"CREATE TABLE bench.events ({columns}) ENGINE = MergeTree ORDER BY _time")
    begun, cpu = time.perf_counter(), own_cpu()
    session.query(
        f"INSERT INTO bench.events SELECT * FROM file({quoted(file)}, JSONEachRow, {quoted(structure)}) "
        f"SETTINGS max_threads = {THREADS}, max_insert_threads = {THREADS}, "
        "date_time_input_format = 'best_effort', input_format_null_as_default = 1"
    )
    seconds, cpu = time.perf_counter() - begun, own_cpu() - cpu
    loaded = int(str(session.query("SELECT count() FROM bench.events", "TSV")))
    begun = time.perf_counter()
    session.query("OPTIMIZE TABLE bench.events FINAL")
    settled = time.perf_counter() - begun
    size = "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'bench'"
    disk = int(str(session.query(size, "TSV")))
    version = str(session.query("SELECT version()", "TSV")).strip()
    return measured(loaded, seconds, cpu, own_peak(), disk, settled, f"chdb {version}")


def load_duckdb(file, folder, kind):
    """A table of a database file, with its checkpoint."""
    import duckdb

    path = os.path.join(folder, "events.duckdb")
    connection = duckdb.connect(path, config={"threads": THREADS})
    # A file of lines may be read by all threads only when the order of rows does not matter.
    connection.execute("SET preserve_insertion_order = false")
    begun, cpu = time.perf_counter(), own_cpu()
    connection.execute(
        "CREATE TABLE events AS SELECT * FROM read_ndjson(?, columns = ?)", [file, tables.DUCKDB[kind]]
    )
    connection.execute("CHECKPOINT")
    seconds, cpu = time.perf_counter() - begun, own_cpu() - cpu
    (loaded,) = connection.execute("SELECT count(*) FROM events").fetchone()
    connection.close()
    return measured(loaded, seconds, cpu, own_peak(), os.path.getsize(path), 0, f"duckdb {duckdb.__version__}")


def measured(events, seconds, cpu, peak, disk, settled, version):
    return {
        "events": events,
        "seconds": seconds,
        "cpu": cpu,
        "peak": peak,
        "disk": disk,
        "settled": settled,
        "version": version,
    }


def own_cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def own_peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


PEERS = {"ClickHouse": load_clickhouse, "DuckDB": load_duckdb}


def load_peer(name, file, family, folder):
    """Loads in a process of its own, so that memory and processor time are those of one load."""
    command = [sys.executable, __file__, "--file", file, "--family", family, "--one", name, "--folder", folder]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def load_service(binary, file, folder):
    service = Service(binary, folder)
    try:
        service.make_dataset()
        before = service.cpu()
        begun, children = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        service.ingest(file)
        seconds = time.perf_counter() - begun
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        client = after.ru_utime + after.ru_stime - children.ru_utime - children.ru_stime
        cpu = service.cpu() - before
        disk, settled = service.settle()
        _, answer = service.ask({"apl": f"['{DATASET}'] | summarize count()"})
        ((loaded,),) = answer["tables"][0]["rows"]
        result = measured(loaded, seconds, cpu, service.peak(), disk, settled, service.version)
        return {**result, "client": client}
    finally:
        service.stop()


def small_requests(binary, file, folder):
    """Milliseconds of requests with one event, one after the other over one connection, and of an append of 4 KiB with
    fdatasync before each: in turn, because the disk's speed moves from minute to minute."""
    service = Service(binary, folder)
    try:
        service.make_dataset("small")
        with open(file, "rb") as lines:
            bodies = [next(lines) for _ in range(SMALL_REQUESTS)]
        connection = socket.create_connection((service.host, service.port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        head = f"POST /v1/datasets/small/ingest HTTP/1.1\r\nHost: {service.host}\r\nAuthorization: Bearer "
        head += f"{service.token}\r\nContent-Type: application/x-ndjson\r\nContent-Length: "
        requests = [f"{head}{len(body)}\r\n\r\n".encode() + body for body in bodies]
        file = os.open(os.path.join(folder, "sync"), os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        syncs, taken = [], []
        for request in requests:
            begun = time.perf_counter()
            os.write(file, b"x" * 4096)
            os.fdatasync(file)
            syncs.append((time.perf_counter() - begun) * 1_000)
            begun = time.perf_counter()
            connection.sendall(request)
            answer = connection.recv(65_536)
            taken.append((time.perf_counter() - begun) * 1_000)
            if not answer.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(f"{answer!r}")
        os.close(file)
        return syncs, taken
    finally:
        service.stop()


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def count_lines(file):
    with open(file, "rb") as blocks:
        return sum(block.count(b"\n") for block in iter(lambda: blocks.read(1 << 20), b""))


def in_new_folder(work, *arguments):
    folder = tempfile.mkdtemp(dir=os.environ.get("TMPDIR", "/var/tmp"))
    try:
        return work(*arguments, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_rounds(engines, rounds):
    """The engines in turn, so that a slow minute of the machine does not hit one of them alone."""
    results = {name: [] for name in engines}
    for number in range(rounds):
        for name, load in list(engines.items()):
            try:
                result = load()
            except NotServed as reason:
                print(f"{name}: not run ({reason})", file=sys.stderr)
                del engines[name]
                continue
            results[name].append(result)
            print(f"round {number + 1}: {name} {result['seconds']:.2f} s", file=sys.stderr)
    return {name: runs for name, runs in results.items() if runs}


def print_table(results, file_bytes, family):
    if not results:
        return
    heads = ["", "seconds", "events/s", "MB/s", "CPU s", "peak RSS MB", "on disk MB", "of the file", "settled after s"]
    rows = []
    for name, runs in results.items():
        best = min(runs, key=lambda run: run["seconds"])
        rows.append([
            f"{name} ({best['version']})",
            f"{best['seconds']:.2f}",
            f"{best['events'] / best['seconds']:,.0f}",
            f"{file_bytes / best['seconds'] / 1e6:.0f}",
            f"{best['cpu']:.1f}" + (f" + client {best['client']:.1f}" if "client" in best else ""),
            f"{best['peak'] / 1e6:.0f}",
            f"{best['disk'] / 1e6:.1f}",
            f"{best['disk'] / file_bytes:.3f}",
            f"{best['settled']:.1f}",
        ])
    print("| " + " | ".join(heads) + " |")
    print("|---" * len(heads) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print_ratios(results, family)


# How many times as fast as each peer the service is to be, by the family of the events.
GOALS = {"web": {"ClickHouse": 1.8, "DuckDB": 1.3}, "firehose": {"DuckDB": 1.5}}
# How much of the smaller peer's bytes it may take.
DISK_GOAL = 0.9


def print_ratios(results, family):
    """How the service stands to each peer: above 1 is faster, or smaller."""
    own = results.get("Tidegauge")
    if own is None:
        return
    best = {name: min(runs, key=lambda run: run["seconds"]) for name, runs in results.items()}
    for name in PEERS:
        if name in best:
            speed = best[name]["seconds"] / best["Tidegauge"]["seconds"]
            size = best[name]["disk"] / best["Tidegauge"]["disk"]
            print(f"Tidegauge to {name}: {speed:.2f} times as fast{reached(speed, GOALS[family].get(name))}, "
                  f"the peer is {size:.2f} times as large")
    sizes = [best[name]["disk"] for name in PEERS if name in best]
    if sizes:
        share = best["Tidegauge"]["disk"] / min(sizes)
        print(f"Tidegauge takes {share:.2f} of the bytes of the smaller peer "
              f"(goal {DISK_GOAL:g}: {'reached' if share <= DISK_GOAL else 'missed'})")


def reached(speed, goal):
    return "" if goal is None else f" (goal {goal:g}: {'reached' if speed >= goal else 'missed'})"


def print_lost(results, events):
    """Whether an engine has not all events that it was given."""
    lost = {name: run["events"] for name, runs in results.items() for run in runs if run["events"] != events}
    for name, loaded in lost.items():
        print(f"NOT EQUAL: {name} has {loaded:,} events of {events:,}")
    return lost


def print_latency(arguments):
    if arguments.peers_only:
        return
    try:
        syncs, taken = in_new_folder(small_requests, arguments.binary, arguments.file)
    except NotServed as reason:
        print(f"requests of one event: not run ({reason})")
        return
    half, whole = percentile(syncs, 0.5), percentile(taken, 0.5)
    print(f"disk: append 4 KiB and fdatasync: p50 {half:.3f} ms, p99 {percentile(syncs, 0.99):.3f} ms")
    print(f"request of one event, keep-alive: p50 {whole:.3f} ms, p99 {percentile(taken, 0.99):.3f} ms")
    print(f"the request takes {whole / half:.2f} times as long as the disk")


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", required=True, help="NDJSON that `tidegauge bench generate` has written")
    parser.add_argument("--family", default=WEB.name, choices=FAMILIES, help="what the events tell of")
    parser.add_argument("--binary", help="the optimised tidegauge")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers-only", action="store_true", help="leave the service out")
    parser.add_argument("--without", action="append", default=[], choices=list(PEERS), help="leave a peer out")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--one", choices=list(PEERS), help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    arguments = read_arguments()
    if arguments.one:
        kind = FAMILIES[arguments.family].kind
        print(json.dumps(PEERS[arguments.one](arguments.file, arguments.folder, kind)))
        return
    file, size = arguments.file, os.path.getsize(arguments.file)
    events = count_lines(file)  # Also brings the file into the page cache for everybody.
    engines = {}
    if not arguments.peers_only:
        engines["Tidegauge"] = lambda: in_new_folder(load_service, arguments.binary, file)
    for name in PEERS:
        if name not in arguments.without:
            engines[name] = lambda name=name: in_new_folder(load_peer, name, file, arguments.family)
    load = os.getloadavg()[0]
    print(f"{events:,} events of the family {arguments.family}, {size / 1e6:.1f} MB, best of {arguments.rounds}, commit {arguments.commit}, "
          f"{os.cpu_count()} cores, load before {load:.2f}")
    results = run_rounds(engines, arguments.rounds)
    print_table(results, size, arguments.family)
    print_latency(arguments)
    sys.exit(1 if print_lost(results, events) else 0)


if __name__ == "__main__":
    main()
