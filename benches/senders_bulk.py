"""Loads a file of made-up events by Elasticsearch's bulk requests and as our own NDJSON, and prints what a second takes beside
the figures of VictoriaLogs, which was given events of the same generator on a machine of the same kind.

Every load has a service and a folder of its own, in turn, and the rounds' medians count. The requests are written into a file
before, and the system sends them from there, so that the sender takes little of the cores that it shares with the service.
scripts/bench-senders.sh starts this file with what it needs.
"""

import argparse
import os
import socket
import statistics
import tempfile
import threading
import time

from senders import check, receive
from service import Service

CONNECTIONS, EVENTS_OF_REQUEST = 3, 10_000
DATASET = "bench"
# The path, and what stands before each event.
FORMS = {
    "Tidegauge, bulk": (f"/v1/ingest/{DATASET}/elastic/_bulk?timestamp-field=_time", b'{"create":{}}\n'),
    "Tidegauge, NDJSON": (f"/v1/ingest/{DATASET}", b""),
}
# Measured on 2026-11-15 with the source of 2025-07-18 (7c0626e, after v1.26.0), built with Go 1.27.3: 10,000,000 of these
# events, 7.37 GB, as JSON lines over three connections of curl on the same two cores, `_stream_fields=service,host`, one run.
# It does not wait for the disk. Events a second, MB a second, microseconds of its processor time for an event, peak memory.
VICTORIA_LOGS = (46_900, 34.6, 40.7, 419e6)
# How many times as many events a second as that.
GOAL = 1.0


def write_requests(file, before, path):
    """All requests one behind the other; where each begins and ends, how many events there are and their own bytes."""
    places, count, size = [], 0, 0
    with open(file, "rb") as lines, open(path, "wb") as out:
        begin = 0
        for line in lines:
            out.write(before + line)
            count, size = count + 1, size + len(line)
            if count % EVENTS_OF_REQUEST == 0:
                places.append((begin, out.tell() - begin))
                begin = out.tell()
        if out.tell() > begin:
            places.append((begin, out.tell() - begin))
    return places, count, size


def send(service, head, requests, places):
    with socket.create_connection((service.host, service.port)) as connection, open(requests, "rb") as file:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for begin, length in places:
            connection.sendall(f"{head}content-length: {length}\r\n\r\n".encode())
            end = begin + length
            while begin < end:
                begin += os.sendfile(connection.fileno(), file.fileno(), begin, end - begin)
            receive(connection, 200)


def load(binary, path, requests, places, count):
    """Seconds until the last event is acknowledged, the service's processor time meanwhile, and its peak memory."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
        service = Service(binary, folder)
        try:
            service.make_dataset(DATASET)
            head = f"POST {path} HTTP/1.1\r\nhost: {service.host}\r\nauthorization: Bearer {service.token}\r\n"
            head += "content-type: application/x-ndjson\r\n"
            failures = []

            def run(share):
                try:
                    send(service, head, requests, share)
                except (OSError, RuntimeError) as error:
                    failures.append(error)

            threads = [threading.Thread(target=run, args=(places[n::CONNECTIONS],)) for n in range(CONNECTIONS)]
            cpu, begun = service.cpu(), time.perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            seconds, cpu = time.perf_counter() - begun, service.cpu() - cpu
            if failures:
                raise failures[0]
            check(service, DATASET, count)
            return seconds, cpu, service.peak()
        finally:
            service.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, help="the optimised tidegauge")
    parser.add_argument("--file", required=True, help="lines of JSON by `tidegauge bench generate`")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true", help="fail where bulk requests are slower than the peer")
    arguments = parser.parse_args()
    results = {name: [] for name in FORMS}
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
        made = {}
        for name, (_, before) in FORMS.items():
            requests = os.path.join(folder, f"requests-{len(made)}")
            made[name] = (requests, *write_requests(arguments.file, before, requests))
        for _ in range(arguments.rounds):
            for name, (path, _) in FORMS.items():
                requests, places, count, _ = made[name]
                results[name].append(load(arguments.binary, path, requests, places, count))
    _, _, count, size = next(iter(made.values()))
    ratio = report(results, count, size, arguments.rounds)
    if arguments.check and ratio < GOAL:
        raise SystemExit(f"bulk requests are {ratio:.2f} times as fast as the peer, {GOAL} is the goal")


def report(results, count, size, rounds):
    """How many times as many events a second as the peer bulk requests are."""
    print(f"\n{count:,} events, {size / 1e6:,.0f} MB, {EVENTS_OF_REQUEST:,} in a request, {CONNECTIONS} connections, {rounds} rounds")
    print("| | events/s | MB/s | µs of processor time an event | peak RSS MB | events/s to VictoriaLogs |")
    print("|---|---|---|---|---|---|")
    rows = {}
    for name, runs in results.items():
        seconds, cpu, peak = (statistics.median(column) for column in zip(*runs))
        rows[name] = (count / seconds, size / seconds / 1e6, cpu / count * 1e6, peak)
    for name, row in {**rows, "VictoriaLogs, JSON lines": VICTORIA_LOGS}.items():
        rate, megabytes, micros, peak = row
        print(f"| {name} | {rate:,.0f} | {megabytes:,.1f} | {micros:.1f} | {peak / 1e6:,.0f} | {rate / VICTORIA_LOGS[0]:.2f} |")
    return rows["Tidegauge, bulk"][0] / VICTORIA_LOGS[0]


if __name__ == "__main__":
    main()
