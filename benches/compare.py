"""Measures two builds of the service side by side: whether a change made anything slower.

Each build loads the same events into a folder of its own. Then every question goes to one and the other in turn, first
to one that computes each answer and then to one by its default settings; the builds change places each round. Ingest
is measured the same way. What counts is the ratio of the medians and that of the best times: a slow minute of the
machine moves the first, and seldom both. scripts/bench-compare.sh starts this file.
"""

import argparse
import os
import statistics
import sys

import dataset as datasets
from families import FAMILIES, WEB
from ingest_peers import in_new_folder, load_service
from questions.question import Times
from runs.setting import COMPUTED, KEPT, Setting, clean_up_when_ended, say

# What takes less is asked again until both took so long: a single short time says more about the machine.
REPEATED_FOR = 0.05

# Beyond this a figure is marked: both the median and the best are slower by that much.
TOLERATED = 1.05


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", required=True, help="the optimised binary of before")
    parser.add_argument("--after", required=True, help="the optimised binary of the change")
    parser.add_argument("--file", required=True, help="the events that are asked about, as NDJSON")
    parser.add_argument("--ingest-file", required=True, help="the events whose ingest is measured, as NDJSON")
    parser.add_argument("--folder", required=True, help="where both keep what they loaded")
    parser.add_argument("--events", type=int, required=True)
    parser.add_argument("--family", default=WEB.name, choices=FAMILIES, help="what the events tell of")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="questions whose name has this text")
    parser.add_argument("--skip-ingest", action="store_true")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    clean_up_when_ended()
    binaries = {"before": arguments.before, "after": arguments.after}
    rows = []
    if not arguments.skip_ingest:
        rows += compare_ingest(binaries, arguments.ingest_file, max(3, arguments.rounds // 3))
    loaded = {name: load(name, binary, arguments) for name, binary in binaries.items()}
    for way in (COMPUTED, KEPT):
        rows += compare_answers(loaded, way, arguments)
    worse = print_table(rows)
    sys.exit(1 if worse else 0)


def load(name, binary, arguments):
    folder = os.path.join(arguments.folder, f"{name}-{os.path.getmtime(binary):.0f}")
    dataset = datasets.Dataset(arguments.events, binary, folder, arguments.file, FAMILIES[arguments.family])
    say(f"loading {name}")
    dataset.load(["Tidegauge"])
    return dataset


def compare_ingest(binaries, file, rounds):
    """Events of a file through the client, each time into a new folder: seconds on the clock and of the processor."""
    clock, processor = ({name: [] for name in binaries} for _ in range(2))
    for round_ in range(rounds):
        say(f"ingest: round {round_ + 1} of {rounds}")
        for name in in_turn(binaries, round_):
            result = in_new_folder(load_service, binaries[name], file)
            clock[name].append(result["seconds"])
            processor[name].append(result["cpu"])
    return [("ingest, seconds", clock), ("ingest, processor seconds", processor)]


def compare_answers(loaded, way, arguments):
    settings = {name: Setting(dataset, [], arguments.rounds) for name, dataset in loaded.items()}
    services = {}
    try:
        for name, setting in settings.items():
            services[name] = setting.start(way)
        times = Times(loaded["after"].begin, loaded["after"].end)
        family = FAMILIES[arguments.family]
        questions = family.questions(times, family.take_samples(services["after"], times))
        questions = [question for question in questions if arguments.only in question.name]
        taken = [{name: [] for name in services} for _ in questions]
        # The first round warms both up and does not count.
        for round_ in range(-1, arguments.rounds):
            say(f"{way}: round {round_ + 1} of {arguments.rounds}")
            for question, entry in zip(questions, taken, strict=True):
                for name, seconds in ask_in_turn(services, question.asks(round_ + 1), round_).items():
                    if round_ >= 0:
                        entry[name].append(seconds)
        return [(f"{way}: {question.name}", entry) for question, entry in zip(questions, taken, strict=True)]
    finally:
        for service in services.values():
            service.stop()


def ask_in_turn(services, asks, round_):
    """The seconds that each build takes, in the middle if it is asked several times."""
    taken = {name: [] for name in services}
    while any(sum(seconds) < REPEATED_FOR for seconds in taken.values()):
        for name in in_turn(services, round_ + len(taken["after"])):
            taken[name].append(sum(services[name].ask(ask.body)[0] for ask in asks))
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def in_turn(names, round_):
    """Who comes second finds the processor warmer, so it is the other one each round."""
    return list(names) if round_ % 2 else list(reversed(names))


def print_table(rows):
    """Returns the names of the figures that are worse."""
    worse = []
    print("| | before | after | medians | best times |")
    print("|---|---:|---:|---:|---:|")
    for name, entry in rows:
        medians = {build: statistics.median(values) for build, values in entry.items()}
        by_median = medians["after"] / medians["before"]
        by_best = min(entry["after"]) / min(entry["before"])
        mark = ""
        if by_median > TOLERATED and by_best > TOLERATED:
            worse.append(name)
            mark = " !"
        before, after = (shown(medians[build]) for build in ("before", "after"))
        print(f"| {name} | {before} | {after} | {by_median:.2f} | {by_best:.2f}{mark} |")
    print(f"\n{len(worse)} of {len(rows)} figures are more than {TOLERATED - 1:.0%} worse")
    return worse


def shown(seconds):
    return f"{seconds * 1_000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


if __name__ == "__main__":
    main()
