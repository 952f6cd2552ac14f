"""A dashboard: the same questions again and again while new events arrive, over a range that moves on with them.

Before each repetition every engine takes a small batch, which is timed apart. The service is the one that keeps groups.
All engines work on copies.
"""

import os
import subprocess
from datetime import timedelta

from questions.overview import grouped, percentiles
from questions.question import words
from runs.answers import note_answers
from runs.setting import ask_all, say

BATCH_EVENTS, BATCH_SECONDS = 1_000, 10


def panels(window, times):
    return [
        grouped(f"dashboard: service and status by {words(times.coarse)}", window, times.coarse),
        percentiles("dashboard: average and percentiles by service", window),
    ]


def run(setting, engines, times, scratch):
    """The engines are started already, on copies. The first repetition is not counted: it reads everything."""
    found = [{"name": panel.name, "times": {name: [] for name in engines}} for panel in panels(times.whole, times)]
    inserts = {name: [] for name in engines}
    for repetition in range(setting.rounds + 1):
        say(f"dashboard: {repetition + 1} of {setting.rounds + 1}")
        batch = make_batch(setting.dataset, times, repetition, scratch)
        for name, engine in engines.items():
            inserts[name].append(engine.insert(batch))
        window = times.whole.later((repetition + 1) * BATCH_SECONDS)
        for panel, entry in zip(panels(window, times), found, strict=True):
            asks, answers = panel.asks(repetition), {}
            for name, engine in engines.items():
                seconds, answers[name] = ask_all(name, engine, asks)
                if repetition > 0:
                    entry["times"][name].append(seconds)
            note_answers(entry, asks, answers)
    return {"questions": found, "inserts": inserts, "batch_events": BATCH_EVENTS}


def make_batch(dataset, times, repetition, scratch):
    """The next ten seconds after the end of the data."""
    begin = times.whole.end + timedelta(seconds=repetition * BATCH_SECONDS)
    path = os.path.join(scratch, "batch.ndjson")
    command = [dataset.binary, "bench", "generate", "--events", str(BATCH_EVENTS), "--span", f"{BATCH_SECONDS}s"]
    options = ["--seed", str(1_000 + repetition), "--from", f"{begin:%Y-%m-%dT%H:%M:%SZ}", "--out", path]
    subprocess.run([*command, *options], check=True)
    return path
