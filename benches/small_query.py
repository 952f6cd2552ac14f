"""Measures what a small query over HTTP takes of two builds, in turn: a count over 15 minutes on one kept connection, of
a service by its default settings. scripts/bench-small-query.sh starts this file.
"""

import argparse
import os
import statistics
import sys

import dataset as datasets
from questions.question import Times
from runs import windows
from runs.setting import KEPT, Setting, clean_up_when_ended, say

TOLERATED = 1.05


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", required=True, help="the optimised binary of before")
    parser.add_argument("--after", required=True, help="the optimised binary of the change")
    parser.add_argument("--file", required=True, help="the events that are asked about, as NDJSON")
    parser.add_argument("--folder", required=True, help="where both keep what they loaded")
    parser.add_argument("--events", type=int, required=True)
    parser.add_argument("--rounds", type=int, default=15)
    return parser.parse_args()


def main():
    arguments = read_arguments()
    clean_up_when_ended()
    services, found = {}, {}
    try:
        for name, binary in (("before", arguments.before), ("after", arguments.after)):
            folder = os.path.join(arguments.folder, f"{name}-{os.path.getmtime(binary):.0f}")
            dataset = datasets.Dataset(arguments.events, binary, folder, arguments.file)
            say(f"loading {name}")
            dataset.load(["Tidegauge"])
            services[name] = Setting(dataset, [], arguments.rounds).start(KEPT)
            found[name] = []
        quarter = Times(dataset.begin, dataset.end).quarter
        for round_ in range(arguments.rounds):
            # Who comes second finds the processor warmer.
            for name in sorted(services, reverse=round_ % 2 == 0):
                found[name].append(windows.floor(services[name], quarter))
        versions = {name: service.version for name, service in services.items()}
    finally:
        for service in services.values():
            service.stop()
    print(f"{versions}; {arguments.events} events; {arguments.rounds} rounds of {windows.FLOOR_ASKS} questions each\n")
    sys.exit(0 if print_table(found) else 1)


def print_table(found):
    """Whether half of the questions take no more than tolerated; the far end of so short times is the machine's."""
    print("| a count over 15 minutes | before | after | after to before |")
    print("|---|---:|---:|---:|")
    ratios = {}
    for name, key in (("p50, median of the rounds", "p50"), ("p99, median of the rounds", "p99"), ("least", "least")):
        values = {build: statistics.median(entry[key] for entry in entries) for build, entries in found.items()}
        if key == "least":
            values = {build: min(entry[key] for entry in entries) for build, entries in found.items()}
        ratios[key] = values["after"] / values["before"]
        print(f"| {name} | {values['before']:.3f} ms | {values['after']:.3f} ms | {ratios[key]:.2f} |")
    met = ratios["p50"] <= TOLERATED
    print(f"\np50 within {TOLERATED - 1:.0%}: {'yes' if met else 'NO'}")
    return met


if __name__ == "__main__":
    main()
