"""Measures what a hostile neighbour costs others: a small query, an ingest, a run of a monitor and a health check of one
organisation, alone and beside each kind of flood that another organisation can make.

Starts the service with its default settings on an empty folder, makes two organisations, and asks for the quiet one,
while threads of another process flood for the loud one: with a low priority, because whoever floods has a machine of
their own. Needs nothing but Python.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from service import Service

QUIET_EVENTS, LOUD_EVENTS = 200_000, 1_000_000
SMALL_QUERY = "['quiet'] | where level == 'error' | summarize count() by service"
# One run, as it would have been: the same code as that of live ones.
MONITOR_RUN = {
    "startTime": "2026-06-01T12:00:00Z",
    "endTime": "2026-06-01T12:01:00Z",
    "monitor": {
        "name": "errors",
        "aplQuery": SMALL_QUERY,
        "operator": "Above",
        "threshold": 0,
        "intervalMinutes": 1,
        "rangeMinutes": 44_640,
    },
}
KINDS = ("query", "ingest", "monitor", "health")
# Beyond this a neighbour costs too much, unless it is less than the pause of a scheduler.
FACTOR_MAX = 3
NOISE_MS = 5

DOUBLED = "".join("| extend a = strcat(a, a)" for _ in range(14))
FLOODS = {
    "texts that double": f"['loud'] | extend a = message {DOUBLED} | summarize max(strlen(a))",
    "long arrays": "print a = range(1, 16000, 1) | mv-expand a | extend r = range(1, 1000000 + tolong(a), 1) "
    "| summarize max(array_length(r))",
    "expressions over all": "['loud'] | where message matches regex '(a|b|c)+.*x[0-9]+y' | count",
    "a sort of all": "['loud'] | sort by message asc, trace_id desc | project trace_id | summarize make_list(trace_id)",
    "groups of all": "['loud'] | summarize count(), dcount(span_id), max(message) by trace_id | count",
    "long lists": "['loud'] | take 50000",
    "a join with itself": "['loud'] | join kind=inner (['loud'] | project service, b = span_id) on service | count",
}
THREADS = 74


class Org:
    """An organisation with a token that may do everything in it."""

    def __init__(self, service, name):
        self.service = service
        answer = service.call("POST", "/v2/orgs", {"name": name})
        self.id = answer["id"]
        body = {
            "name": "all",
            "datasetCapabilities": {"*": {"ingest": ["create"], "query": ["read"]}},
            "orgCapabilities": {"datasets": ["create", "read"], "monitors": ["read"]},
        }
        headers = {"X-Axiom-Org-Id": self.id}
        self.token = post(service, "/v2/tokens", json.dumps(body), service.token, headers)["token"]
        post(service, "/v2/datasets", json.dumps({"name": name}), self.token)

    def ingest(self, file):
        token = os.path.join(self.service.data, f"{self.id}.token")
        with open(token, "w", encoding="utf-8") as out:
            out.write(self.token)
        os.chmod(token, 0o600)
        command = [self.service.binary, "ingest", file[0], file[1], "--url", self.service.url, "--token-file", token]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def post(service, path, body, token, headers=None):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", **(headers or {})}
    request = urllib.request.Request(service.url + path, body.encode(), headers, method="POST")
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


class Flood:
    """Threads of another process that ask as fast as they are answered, until they are told to end."""

    def __init__(self, work, threads):
        self.is_over, self.seen, self.answers = multiprocessing.Event(), multiprocessing.Queue(), {}
        self.process = multiprocessing.Process(target=self.run_all, args=(work, threads), daemon=True)

    def run_all(self, work, threads):
        os.nice(15)
        answers = {}

        def run():
            while not self.is_over.is_set():
                try:
                    kind = work(self.is_over)
                except OSError as error:
                    kind = type(error).__name__
                answers[kind] = answers.get(kind, 0) + 1

        running = [threading.Thread(target=run, daemon=True) for _ in range(threads)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join(timeout=70)
        self.seen.put(answers)

    def __enter__(self):
        self.process.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.answers = self.seen.get()
        self.process.join()


def asking(service, token, text):
    def work(is_over):
        connection = http.client.HTTPConnection(service.host, service.port, timeout=65)
        try:
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            connection.request("POST", "/v1/query/_apl?format=tabular", json.dumps({"apl": text}), headers)
            wait_for_answer(connection.sock, is_over)
            if is_over.is_set():
                return "left"
            answer = connection.getresponse()
            answer.read()
            if answer.status == 429:
                is_over.wait(0.2)
            return answer.status
        finally:
            connection.close()

    return work


def wait_for_answer(connection, is_over):
    """Until there is something to read, or nobody wants it any more."""
    while not is_over.is_set():
        if select.select([connection], [], [], 0.1)[0]:
            return


def sending(service, token, body):
    def work(_):
        connection = http.client.HTTPConnection(service.host, service.port, timeout=65)
        try:
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-ndjson"}
            connection.request("POST", "/v1/datasets/loud/ingest", body, headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()

    return work


def half_open(service):
    """Heads that are never finished, as many as one thread can hold."""

    def work(is_over):
        held = []
        for _ in range(100):
            connection = socket.create_connection((service.host, service.port), timeout=5)
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ")
            held.append(connection)
        is_over.wait(3)
        for connection in held:
            connection.close()
        return "held"

    return work


class Probe:
    """What the quiet organisation does: a small query, an event, a monitor's run and a health check, again and again."""

    def __init__(self, service, org):
        self.service, self.org = service, org

    def run(self, seconds):
        taken = {kind: [] for kind in KINDS}
        failed = {}
        end = time.perf_counter() + seconds
        number = 0
        while time.perf_counter() < end:
            number += 1
            ask = json.dumps({"apl": SMALL_QUERY, "nocache": True})
            steps = [
                ("query", "POST", "/v1/query/_apl?format=tabular&nocache=true", ask),
                ("ingest", "POST", "/v1/datasets/quiet/ingest", json.dumps([{"probe": number}])),
                ("monitor", "POST", "/v2/monitors/backtest", json.dumps(MONITOR_RUN)),
                ("health", "GET", "/healthz", None),
            ]
            for kind, method, path, body in steps:
                begun = time.perf_counter()
                try:
                    status = self.call(method, path, body)
                except OSError as error:
                    status = type(error).__name__
                taken[kind].append((time.perf_counter() - begun) * 1_000)
                if status not in (200, 204):
                    failed[f"{kind} {status}"] = failed.get(f"{kind} {status}", 0) + 1
            time.sleep(0.01)
        return {kind: spread(values) for kind, values in taken.items()}, failed

    def call(self, method, path, body):
        """On a connection of its own, as most senders' calls are."""
        connection = http.client.HTTPConnection(self.service.host, self.service.port, timeout=30)
        try:
            headers = {"Authorization": f"Bearer {self.org.token}", "Content-Type": "application/json"}
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()


def spread(values):
    ordered = sorted(values)
    at = lambda share: ordered[min(len(ordered) - 1, int(len(ordered) * share))]
    return {"count": len(ordered), "p50": at(0.5), "p99": at(0.99), "most": ordered[-1]}


def generated(binary, folder, count):
    path = os.path.join(folder, f"{count}.ndjson")
    subprocess.run([binary, "bench", "generate", "--events", str(count), "--out", path], check=True)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--only", default="", help="floods whose name has this text")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        service = Service(arguments.binary, folder)
        try:
            sys.exit(1 if measure(service, folder, arguments) else 0)
        finally:
            service.stop()


def measure(service, folder, arguments):
    quiet, loud = Org(service, "quiet"), Org(service, "loud")
    for org in (quiet, loud):
        limits = [service.binary, "org", "set-limits", "apiRateLimitPerSecond=1000000000", "--org", org.id]
        subprocess.run([*limits, "--data", service.data], stdout=subprocess.DEVNULL, check=True)
    quiet.ingest(("quiet", generated(service.binary, folder, QUIET_EVENTS)))
    path = generated(service.binary, folder, LOUD_EVENTS)
    loud.ingest(("loud", path))
    with open(path, "rb") as lines:
        body = b"".join(next(lines) for _ in range(20_000))
    floods = {name: (asking(service, loud.token, text), THREADS) for name, text in FLOODS.items()}
    floods["events"] = (sending(service, loud.token, body), 8)
    floods["heads without end"] = (half_open(service), 12)
    time.sleep(10)
    probe = Probe(service, quiet)
    probe.run(2)
    alone, _ = probe.run(arguments.seconds)
    print("| neighbour | query p50 | p99 | ingest p50 | p99 | monitor p50 | p99 | health p99 | peak RSS | refused | what the neighbour saw |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---|")
    print(row("none", alone, alone, service.peak(), {}, {}))
    worse = []
    for name, (work, threads) in floods.items():
        if arguments.only not in name:
            continue
        with Flood(work, threads) as flood:
            time.sleep(1)
            taken, failed = probe.run(arguments.seconds)
        print(row(name, taken, alone, service.peak(), failed, flood.answers), flush=True)
        beyond = [
            kind
            for kind in ("query", "ingest", "monitor")
            if taken[kind]["p99"] > max(FACTOR_MAX * alone[kind]["p99"], alone[kind]["p99"] + NOISE_MS)
        ]
        if beyond or failed:
            worse.append(name)
    print(f"\nbeyond {FACTOR_MAX} x at p99, or refused: {', '.join(worse) or 'none'}")
    return worse


def row(name, taken, alone, peak, failed, seen):
    def figure(kind, share):
        return f"{taken[kind][share]:.1f} ms ({taken[kind][share] / alone[kind][share]:.1f} x)"

    cells = [
        name,
        figure("query", "p50"),
        figure("query", "p99"),
        figure("ingest", "p50"),
        figure("ingest", "p99"),
        figure("monitor", "p50"),
        figure("monitor", "p99"),
        figure("health", "p99"),
        f"{peak / 1e6:.0f} MB",
        ", ".join(f"{count} {kind}" for kind, count in failed.items()) or "none",
        ", ".join(f"{count} {kind}" for kind, count in seen.items()) or "",
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
