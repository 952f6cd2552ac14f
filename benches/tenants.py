"""Measures what a hostile neighbour costs others: a small query, an ingest, the live runs of monitors and a health check
of one organisation, alone and beside each kind of flood that another organisation can make (tenant_floods.py).

Starts the service with its default settings on an empty folder, makes two organisations, and asks for the quiet one,
while threads of another process flood for the loud one: with a low priority, because whoever floods has a machine of
their own. Runs of monitors are due in the first half of each minute, so each measurement begins with one; how late a
run was is read from its history. Needs nothing but Python.
"""

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from datetime import UTC, datetime, timedelta

from service import Service
from tenant_floods import Flood, Monitors, Spec, all_floods

QUIET_EVENTS, LOUD_EVENTS, CHURNED_EVENTS = 200_000, 1_000_000, 200_000
SMALL_QUERY = "['quiet'] | where level == 'error' | summarize count() by service"
QUIET_MONITORS = 300
# How long after a minute began the last run of it is due.
SPREAD_SECONDS = 30
KINDS = ("query", "ingest", "monitor", "health")
# Beyond this a neighbour costs too much, unless it is less than the pause of a scheduler.
FACTOR_MAX = 3
NOISE_MS = 5
DATASET_RIGHTS = {"ingest": ["create"], "query": ["read"], "data": ["delete"], "vacuum": ["update"]}
ORG_RIGHTS = {"datasets": ["create", "read"], "monitors": ["create", "read", "delete"]}
LIMITS = ["apiRateLimitPerSecond=1000000000", "maxMonitors=100000"]


class Org:
    """An organisation with a token that may do everything in it that is needed here."""

    def __init__(self, service, name, datasets):
        self.service = service
        answer = service.call("POST", "/v2/orgs", {"name": name})
        self.id = answer["id"]
        body = {"name": "all", "datasetCapabilities": {"*": DATASET_RIGHTS}, "orgCapabilities": ORG_RIGHTS}
        self.token, headers = service.token, {"X-Axiom-Org-Id": self.id}
        self.token = self.call("POST", "/v2/tokens", body, headers)["token"]
        for dataset in datasets:
            self.call("POST", "/v2/datasets", {"name": dataset})
        limits = [service.binary, "org", "set-limits", *LIMITS, "--org", self.id, "--data", service.data]
        subprocess.run(limits, stdout=subprocess.DEVNULL, check=True)

    def call(self, method, path, body=None, headers=None):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **(headers or {})}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.service.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            raw = answer.read()
            return json.loads(raw) if raw else None

    def ingest(self, dataset, file):
        token = os.path.join(self.service.data, f"{self.id}.token")
        with open(token, "w", encoding="utf-8") as out:
            out.write(self.token)
        os.chmod(token, 0o600)
        command = [self.service.binary, "ingest", dataset, file, "--url", self.service.url, "--token-file", token]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Probe:
    """What the quiet organisation does: a small query, an event and a health check, again and again, and monitors."""

    def __init__(self, service, org, monitors):
        self.service, self.org, self.monitors = service, org, monitors

    def run(self, seconds):
        taken = {kind: [] for kind in KINDS}
        failed = {}
        begun = datetime.now(UTC)
        end = time.perf_counter() + seconds
        number = 0
        while time.perf_counter() < end:
            number += 1
            ask = json.dumps({"apl": SMALL_QUERY, "nocache": True})
            steps = [
                ("query", "POST", "/v1/query/_apl?format=tabular&nocache=true", ask),
                ("ingest", "POST", "/v1/datasets/quiet/ingest", json.dumps([{"probe": number}])),
                ("health", "GET", "/healthz", None),
            ]
            for kind, method, path, body in steps:
                self.step(kind, (method, path, body), taken, failed)
            time.sleep(0.01)
        return (begun, datetime.now(UTC)), taken, failed

    def step(self, kind, request, taken, failed):
        begun = time.perf_counter()
        try:
            status = self.call(*request)
        except OSError as error:
            status = type(error).__name__
        taken[kind].append((time.perf_counter() - begun) * 1_000)
        if status not in (200, 204):
            failed[f"{kind} {status}"] = failed.get(f"{kind} {status}", 0) + 1

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

    def add_runs(self, times, taken, failed):
        """How late the runs were that were due meanwhile. Asked for when the flood is over."""
        begin, end = times
        for monitor in self.monitors.ids:
            due = minute_of(begin) + timedelta(milliseconds=spread_ms(monitor))
            if not begin <= due < end:
                continue
            run = self.run_of(monitor, minute_of(begin))
            if run is None or run["outcome"] == "failed" or run["missedRuns"]:
                kind = "monitor not run" if run is None else "monitor failed or missed"
                failed[kind] = failed.get(kind, 0) + 1
            if run is not None:
                late = datetime.fromisoformat(run["finishedAt"]) - due
                taken["monitor"].append(max(late.total_seconds(), 0) * 1_000)

    def run_of(self, monitor, minute):
        """The run for a minute, which may still wait for its turn."""
        times = urllib.parse.urlencode({"startTime": minute.isoformat(), "endTime": (minute + timedelta(seconds=1)).isoformat()})
        for _ in range(60):
            runs = self.org.call("GET", f"/v2/monitors/{monitor}/runs?{times}")
            if runs:
                return runs[0]
            time.sleep(1)
        return None


def minute_of(moment):
    return moment.replace(second=0, microsecond=0)


def spread_ms(monitor):
    """How much later than its minute a monitor runs, by its id, as crates/alerting/src/schedule.rs has it: FNV-1a."""
    number = 0xCBF29CE484222325
    for byte in monitor.encode():
        number = (number ^ byte) * 0x100000001B3 % (1 << 64)
    return number % (SPREAD_SECONDS * 1_000)


def wait_until(second):
    """Until the second of a minute."""
    time.sleep((second - time.time()) % 60)


def spread(values):
    ordered = sorted(values) or [float("nan")]
    at = lambda share: ordered[min(len(ordered) - 1, int(len(ordered) * share))]
    return {"count": len(ordered), "p50": at(0.5), "p99": at(0.99), "most": ordered[-1]}


def generated(binary, folder, count):
    """Events of the last hour, which monitors look at."""
    path = os.path.join(folder, f"{count}.ndjson")
    begin = (datetime.now(UTC) - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    command = [binary, "bench", "generate", "--events", str(count), "--from", begin, "--span", "1h", "--out", path]
    subprocess.run(command, check=True)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--seconds", type=float, default=SPREAD_SECONDS, help="of each measurement, below 50")
    parser.add_argument("--only", default="", help="floods whose name has this text")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        service = Service(arguments.binary, folder)
        try:
            sys.exit(1 if measure(service, folder, arguments) else 0)
        finally:
            service.stop()


def measure(service, folder, arguments):
    quiet, loud = Org(service, "quiet", ["quiet"]), Org(service, "loud", ["loud", "churned", "otlp"])
    quiet.ingest("quiet", generated(service.binary, folder, QUIET_EVENTS))
    loud.ingest("churned", generated(service.binary, folder, CHURNED_EVENTS))
    path = generated(service.binary, folder, LOUD_EVENTS)
    loud.ingest("loud", path)
    with open(path, "rb") as lines:
        body = b"".join(next(lines) for _ in range(20_000))
    monitors = Monitors(quiet, QUIET_MONITORS, SMALL_QUERY, "quiet")
    monitors.make()
    probe = Probe(service, quiet, monitors)
    # Their first runs, in the minute after the one in which they were made, fill the caches.
    wait_until(0)
    wait_until(SPREAD_SECONDS + 5)
    probe.run(2)
    alone, _, _ = beside(probe, Spec(None, 0), arguments.seconds)
    print("| neighbour | query p50 | p99 | ingest p50 | p99 | monitor p50 | p99 | health p99 | peak RSS | refused | what the neighbour saw |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---|")
    print(row("none", alone, alone, service.peak(), {}, {}), flush=True)
    worse = []
    for name, flood in all_floods(service, loud, body).items():
        if arguments.only not in name:
            continue
        taken, failed, seen = beside(probe, flood, arguments.seconds)
        print(row(name, taken, alone, service.peak(), failed, seen), flush=True)
        if failed or any(is_beyond(taken[kind], alone[kind]) for kind in ("query", "ingest", "monitor")):
            worse.append(name)
    print(f"\nbeyond {FACTOR_MAX} x at p99, or refused: {', '.join(worse) or 'none'}")
    return worse


def beside(probe, flood, seconds):
    """What the quiet organisation sees beside a flood, what of it failed, and what the flood saw."""
    if flood.prepare:
        flood.prepare()
    wait_until(58)
    running = Flood(flood.work, flood.threads)
    with running:
        wait_until(0)
        times, taken, failed = probe.run(seconds)
    if flood.clean:
        flood.clean()
    probe.add_runs(times, taken, failed)
    return {kind: spread(values) for kind, values in taken.items()}, failed, running.answers


def is_beyond(taken, alone):
    return not taken["p99"] <= max(FACTOR_MAX * alone["p99"], alone["p99"] + NOISE_MS)


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
