"""Asks the service, ClickHouse and DuckDB the same questions over the same events, and writes what was found.

Each engine is a process of its own with two threads, loaded once into a folder that is kept. The service is asked over
HTTP and its whole answer is read; the peers are asked inside their process, so that only the service pays for a
connection. What was found is written as JSON, as a table and as a picture. scripts/bench-query.sh starts this file.
"""

import argparse
import json
import os
import sys
import time

import dataset as datasets
import report
import wide
from peers.process import PEERS, THREADS
from questions import all_questions
from questions.question import Times
from runs import answers, dashboard, samples, small_memory, windows
from runs.setting import COMPUTED, KEPT, Setting, clean_up_when_ended, say, with_kept_clickhouse

PARTS = ["cold", "dashboard", "wide", "load", "small-memory"]


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--file", help="the events as NDJSON; without it they are made for each engine")
    parser.add_argument("--binary", help="the optimised tidegauge")
    parser.add_argument("--folder", help="where the engines keep what they loaded")
    parser.add_argument("--out", help="folder for findings.json, benchmark.md and benchmark.svg")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--without", action="append", default=[], choices=PEERS, help="leave a peer out")
    parser.add_argument("--skip", action="append", default=[], choices=PARTS, help="leave a part out")
    parser.add_argument("--only", default="", help="questions whose name has this text")
    parser.add_argument("--hot-only", action="store_true", help="the questions alone, hot")
    parser.add_argument("--again", metavar="FILE", help="write the table and the picture from a findings.json")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    clean_up_when_ended()
    if arguments.again:
        with open(arguments.again, encoding="utf-8") as file:
            findings = json.load(file)
    else:
        findings = measure(arguments)
    sys.exit(1 if report.write(findings, arguments.out) else 0)


def measure(arguments):
    skipped = PARTS if arguments.hot_only else arguments.skip
    dataset = datasets.Dataset(arguments.events, arguments.binary, arguments.folder, arguments.file)
    peers = [name for name in PEERS if name not in arguments.without]
    try:
        dataset.load(["Tidegauge", *peers])
    except datasets.NoSpace as reason:
        sys.exit(f"bench: {reason}")
    setting, times = Setting(dataset, peers, arguments.rounds), Times(dataset.begin, dataset.end)
    findings = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": arguments.commit,
        "events": arguments.events,
        "rounds": arguments.rounds,
        "threads": THREADS,
        "computed": bool(setting.keeping),
        "machine": {"cores": os.cpu_count(), "bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")},
    }
    with setting.scratch() as scratch:
        questions = ask_hot(setting, times, arguments, findings, skipped, scratch)
    if "small-memory" not in skipped:
        findings["small_memory"] = small_memory.run(setting, questions, findings["questions"])
        report.keep(findings, arguments.out)
    if "wide" not in skipped:
        findings["wide"] = wide.run(setting)
        report.keep(findings, arguments.out)
    if "cold" not in skipped:
        answers.cold(setting, [COMPUTED, *peers], questions, findings["questions"])
    return findings


def ask_hot(setting, times, arguments, findings, skipped, scratch):
    """The questions of all engines, and what is asked of the service by its default settings: that one has a copy of
    its own, because two services cannot share a folder and some of it takes new events."""
    kept_folder = setting.copy(KEPT, scratch)
    with setting.engines([COMPUTED, KEPT, *setting.peers], {KEPT: kept_folder}) as engines:
        taken = samples.take(engines[COMPUTED], times)
        questions = [ask for ask in all_questions(times, taken) if arguments.only in ask.name]
        findings["questions"] = answers.hot(setting, with_kept_clickhouse(engines), questions)
        findings["versions"] = {name: engine.version for name, engine in engines.items()}
        findings["floor"] = {name: windows.floor(engines[name], times.quarter) for name in (COMPUTED, KEPT)}
        findings["disk"] = {name: datasets.bytes_on_disk(setting.dataset.folder, name) for name in setting.peers}
        findings["disk"][COMPUTED] = engines[COMPUTED].stored_bytes()
        findings["peaks"] = {name: engine.peak() for name, engine in engines.items()}
        report.keep(findings, arguments.out)
        # Only the service by its default settings goes on.
        for name in [COMPUTED, *setting.peers]:
            engines.pop(name).stop()
        if "dashboard" not in skipped:
            findings["dashboard"] = ask_dashboard(setting, engines[KEPT], times, scratch)
            report.keep(findings, arguments.out)
        if "load" not in skipped:
            findings["load"] = windows.under_load(setting, engines[KEPT], times, scratch)
        findings["peaks"][KEPT] = engines[KEPT].peak()
    return questions


def ask_dashboard(setting, kept, times, scratch):
    """Of the peers, those that the disk has room for a copy of."""
    peers = {}
    for name in setting.peers:
        try:
            peers[name] = setting.copy(name, scratch)
        except datasets.NoSpace as reason:
            say(f"dashboard: without {name}: {reason}")
    with setting.engines(list(peers), peers) as engines:
        return dashboard.run(setting, {KEPT: kept, **engines}, times, scratch)


if __name__ == "__main__":
    main()
