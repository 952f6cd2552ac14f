"""Asks the service, ClickHouse and DuckDB the same questions over the same events, and writes what was found.

Each engine is a process of its own with two threads, loaded once into a folder that is kept. Questions are asked hot,
for the first time of a process, cold, and by many clients at once. The service is asked over HTTP and its whole answer
is read; the peers are asked inside their process, so that only the service pays for a connection. What was found is
written as JSON, as tables and as a picture. scripts/bench-query.sh starts this file.
"""

import argparse
import json
import os
import random
import sys
import time

import dataset as datasets
import report
import wide
from families import FAMILIES, WEB
from peers.process import PEERS, THREADS
from questions.question import Times
from runs import answers, clients, dashboard, small_memory, windows
from runs.setting import COMPUTED, KEPT, Setting, clean_up_when_ended, say, with_kept_clickhouse

PARTS = ["first", "cold", "clients", "dashboard", "wide", "load", "small-memory"]
# What asks about fields of the web's events.
OF_THE_WEB = ["dashboard", "wide", "load"]


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--family", default=WEB.name, choices=FAMILIES, help="what the events tell of")
    parser.add_argument("--file", help="the events as NDJSON; without it they are made for each engine")
    parser.add_argument("--binary", help="the optimised tidegauge")
    parser.add_argument("--folder", help="where the engines keep what they loaded")
    parser.add_argument("--out", help="folder for findings.json, benchmark.md and benchmark.svg")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--first-runs", type=int, default=3, help="how often fresh processes are asked everything once")
    parser.add_argument("--seed", type=int, help="decides the order of first asks and the mixture; else by chance")
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
    family = FAMILIES[arguments.family]
    skipped = PARTS if arguments.hot_only else [*arguments.skip, *(OF_THE_WEB if family is not WEB else [])]
    seed = random.SystemRandom().randrange(1_000_000) if arguments.seed is None else arguments.seed
    dataset = datasets.Dataset(arguments.events, arguments.binary, arguments.folder, arguments.file, family)
    peers = [name for name in PEERS if name not in arguments.without]
    try:
        dataset.load(["Tidegauge", *peers])
    except datasets.NoSpace as reason:
        sys.exit(f"bench: {reason}")
    setting, times = Setting(dataset, peers, arguments.rounds), Times(dataset.begin, dataset.end)
    setting.first_runs = arguments.first_runs
    findings = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": arguments.commit,
        "events": arguments.events,
        "family": family.name,
        "rounds": arguments.rounds,
        "threads": THREADS,
        "computed": bool(setting.keeping),
        "machine": {"cores": os.cpu_count(), "bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")},
    }
    with setting.scratch() as scratch:
        questions = ask_hot(setting, times, arguments, findings, skipped, scratch)
    if "first" not in skipped:
        findings["first"] = answers.first(setting, peers, questions, findings["questions"], seed)
        report.keep(findings, arguments.out)
    if "clients" not in skipped:
        findings["clients"] = clients.run(setting, times, family.mixture, seed)
        report.keep(findings, arguments.out)
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
        family = setting.dataset.family
        taken = family.take_samples(engines[COMPUTED], times)
        questions = [ask for ask in family.questions(times, taken) if arguments.only in ask.name]
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
