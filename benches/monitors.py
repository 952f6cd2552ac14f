"""Measures whether monitors are run when they are due, while events come in.

Starts the service on an empty folder, fills a dataset, makes the monitors, sends events at a fixed rate, and reads from
/metrics how long after they were due the runs were recorded. Needs nothing but Python.
"""

import argparse
import json
import os
import random
import subprocess
import tempfile
import threading
import time
import urllib.request

QUERIES = [
    "['web'] | where status >= 500 | summarize count()",
    "['web'] | summarize avg(ms) by host",
    "['web'] | where path startswith '/api' | summarize max(ms) by bin(_time, 1m)",
    "['web'] | where host == 'h7' | summarize countif(status == 404), count()",
]


class Service:
    def __init__(self, binary, data):
        self.binary, self.data = binary, data
        command = [binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--log-level", "error"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = next((line for line in self.process.stdout if "listens on " in line), None)
        if line is None:
            raise RuntimeError("the service did not start")
        self.url = line.split("listens on ")[1].strip()
        with open(os.path.join(data, "first-token"), encoding="utf-8") as file:
            self.token = file.read().strip()
        limits = ["apiRateLimitPerSecond=1000000000", "maxMonitors=100000"]
        set_limits = [binary, "org", "set-limits", *limits, "--data", data]
        subprocess.run(set_limits, stdout=subprocess.DEVNULL, check=True)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.read()

    def metrics(self):
        """The counts of runs, and the cumulative buckets of the lag."""
        text = self.call("GET", "/metrics").decode()
        runs, buckets = {}, []
        for line in text.splitlines():
            name, _, value = line.rpartition(" ")
            if name.startswith("tidegauge_monitor_runs_total"):
                runs[name.split('"')[1]] = float(value)
            elif name.startswith("tidegauge_monitor_lag_seconds_bucket"):
                bound = name.split('le="')[1].split('"')[0]
                buckets.append((float("inf") if bound == "+Inf" else float(bound), float(value)))
        return runs, buckets

    def stop(self):
        self.process.terminate()
        self.process.wait()


def events(chance, count):
    def event():
        return {
            "status": chance.choices([200, 404, 500, 503], [90, 5, 3, 2])[0],
            "host": f"h{chance.randrange(50)}",
            "path": chance.choice(["/api/orders", "/api/users", "/", "/health"]),
            "ms": chance.randrange(2_000),
        }

    return [event() for _ in range(count)]


class Sender(threading.Thread):
    """Sends events at a fixed rate until it is stopped."""

    def __init__(self, service, a_second):
        super().__init__(daemon=True)
        self.service, self.a_second = service, a_second
        self.stopped, self.sent = threading.Event(), 0

    def run(self):
        chance = random.Random(7)
        bodies = [events(chance, max(self.a_second // 10, 1)) for _ in range(20)]
        begun = time.monotonic()
        while not self.stopped.is_set():
            body = bodies[(self.sent // len(bodies[0])) % len(bodies)]
            self.service.call("POST", "/v1/datasets/web/ingest", body)
            self.sent += len(body)
            ahead = self.sent / self.a_second - (time.monotonic() - begun)
            self.stopped.wait(max(ahead, 0))


def quantile(before, after, share):
    """A bound that so many of the runs between two readings stayed below."""
    counts = [(bound, count - dict(before).get(bound, 0)) for bound, count in after]
    total = counts[-1][1] if counts else 0
    return next((bound for bound, count in counts if total and count >= share * total), float("nan"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--monitors", type=int, default=1_000)
    parser.add_argument("--minutes", type=int, default=5)
    parser.add_argument("--events-a-second", type=int, default=5_000)
    parser.add_argument("--stored", type=int, default=500_000, help="events that are there before it begins")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
        service = Service(arguments.binary, folder)
        try:
            measure(service, arguments)
        finally:
            service.stop()


def measure(service, arguments):
    chance = random.Random(1)
    for _ in range(0, arguments.stored, 10_000):
        service.call("POST", "/v1/datasets/web/ingest", events(chance, 10_000))
    for number in range(arguments.monitors):
        monitor = {
            "name": f"monitor {number}",
            "type": "Threshold",
            "aplQuery": QUERIES[number % len(QUERIES)],
            "operator": "Above",
            "threshold": 1_000_000_000,
            "intervalMinutes": 1,
            "rangeMinutes": 1 + number % 15,
            "notifyByGroup": number % 2 == 0,
        }
        service.call("POST", "/v2/monitors", monitor)
    sender = Sender(service, arguments.events_a_second)
    sender.start()
    time.sleep(60)  # The first minute makes the schedules and fills the caches.
    runs_before, lag_before = service.metrics()
    time.sleep(60 * arguments.minutes)
    runs, lag = service.metrics()
    sender.stopped.set()
    sender.join()
    made = {name: int(count - runs_before.get(name, 0)) for name, count in runs.items()}
    due = arguments.monitors * arguments.minutes
    print(f"commit {arguments.commit}, {os.cpu_count()} cores")
    print(f"{arguments.monitors} monitors each minute for {arguments.minutes} min, {sender.sent} events sent meanwhile")
    print(f"runs: {sum(made.values())} of {due} that were due ({made})")
    shares = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0)]
    print("due to recorded: " + ", ".join(f"{name} <= {quantile(lag_before, lag, share):.3f} s" for name, share in shares))


if __name__ == "__main__":
    main()
