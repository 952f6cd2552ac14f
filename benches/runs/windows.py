"""A window of 15 minutes asked of the service alone: the floor of its latency, and how it stands while events pour in.
The window moves by a second with each question, so that no answer is one that was given before."""

import os
import subprocess
import time

from questions.overview import grouped
from questions.question import aggregate, query
from runs import wire
from runs.setting import say
from service import DATASET

FLOOR_ASKS, WARMING_ASKS = 200, 20
# So many questions, or as many as there is time for.
LOAD_ASKS, LOAD_SECONDS = 300, 120
# Windows begin within an hour, which is within the data of any size.
PLACES = 1_800
LOAD_EVENTS = 1_000_000


def floor(service, window):
    """Milliseconds of a count over HTTP on a kept connection, without the cost of a client's library."""
    path, taken = f"/v1/datasets/{DATASET}/query", []
    with wire.connect(service) as connection:
        for number in range(WARMING_ASKS + FLOOR_ASKS):
            body = query(window.later(number % PLACES), aggregations=[aggregate("count")])
            request = wire.request(service, path, body)
            begun = time.perf_counter()
            wire.exchange(connection, request)
            taken.append((time.perf_counter() - begun) * 1_000)
    return spread(taken[WARMING_ASKS:])


def under_load(setting, service, times, scratch):
    """The window while nothing else happens, and while the client sends events of another day as fast as it can."""
    quiet = ask_windows(service, times, LOAD_ASKS)
    path = os.path.join(scratch, "load.ndjson")
    begin = f"{times.whole.end:%Y-%m-%dT%H:%M:%SZ}"
    command = [setting.dataset.binary, "bench", "generate", "--events", str(LOAD_EVENTS), "--span", "8640s"]
    subprocess.run([*command, "--seed", "2", "--from", begin, "--out", path], check=True)
    taken, events, begun = [], 0, time.perf_counter()
    while len(taken) < LOAD_ASKS and time.perf_counter() - begun < LOAD_SECONDS:
        say(f"under load: {len(taken)} of {LOAD_ASKS}")
        with subprocess.Popen(service.ingest_command(path), stdout=subprocess.DEVNULL) as sender:
            while sender.poll() is None:
                taken.extend(ask_windows(service, times, 1, len(taken)))
        if sender.returncode:
            raise RuntimeError("the client could not send the events")
        events += LOAD_EVENTS
    os.remove(path)
    rate = events / (time.perf_counter() - begun)
    return {"quiet": spread(quiet), "loaded": spread(taken), "events_per_second": rate}


def ask_windows(service, times, count, first=0):
    """Milliseconds of each."""
    taken = []
    for number in range(first, first + count):
        question = grouped("", times.quarter.later(number % PLACES), 5)
        seconds, _ = service.ask(question.asks(0)[0].body)
        taken.append(seconds * 1_000)
    return taken


def spread(values):
    ordered = sorted(values)

    def at(share):
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]

    return {"count": len(ordered), "p50": at(0.5), "p99": at(0.99), "least": ordered[0], "most": ordered[-1]}
