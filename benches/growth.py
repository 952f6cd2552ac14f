"""How the times of the service grow with the data: the same questions over 1, 10 and 100 million events.

The events are as dense in each, so a window of 15 minutes holds the same number: what is asked over all of them may
grow as they do, what is asked over a window may not grow at all. scripts/bench-growth.sh starts this file.
"""

import argparse
import sys

import dataset as datasets
from families import FAMILIES, WEB
from questions.question import Times
from report.figures import best, megabytes, milliseconds, times_over
from report.markdown import table
from runs import answers, windows
from runs.setting import COMPUTED, Setting, clean_up_when_ended

# How much more time ten times the data may take: as much more, with room for a machine that is not alone.
SLACK = 1.25
# With memory that grows, ten million events have the default for columns.
DEFAULT_EVENTS = 10_000_000
# Windows have the same number of events, and more of them around.
WINDOWED = ("15 minutes", "monitors")
FLAT = 1.5


def measure(dataset, rounds, more):
    """Each question's time and the size of the data, by one count of events."""
    try:
        dataset.load(["Tidegauge"])
    except datasets.NoSpace as reason:
        sys.exit(f"bench: {reason}")
    setting, times = Setting(dataset, [], rounds, more), Times(dataset.begin, dataset.end)
    with setting.engines([COMPUTED]) as engines:
        service = engines[COMPUTED]
        family = dataset.family
        questions = family.questions(times, family.take_samples(service, times))
        found = answers.hot(setting, engines, questions)
        return {
            "found": found,
            "floor": windows.floor(service, times.quarter)["p50"] / 1000,
            "peak": service.peak(),
            "disk": service.stored_bytes(),
        }


def cache_bytes(count):
    """As much memory for each event as the default is for those of a day."""
    with open("config/reference.toml", encoding="utf-8") as settings:
        default = next(line for line in settings if line.startswith("query_cache_bytes = "))
    return count * int(default.split("=")[1]) // DEFAULT_EVENTS


def growth_table(counts, results):
    """One row for each question; its name is that of the first count, because buckets are longer with more."""
    heads = ["question", *(f"{count / 1e6:g} M ms" for count in counts)]
    heads += [f"{late // early} × the events" for early, late in zip(counts, counts[1:])]
    rows, steep = [], []
    for place, entry in enumerate(results[0]["found"]):
        times = [best(result["found"][place], COMPUTED) for result in results]
        rows.append(row(entry["name"], times))
        steep.extend(too_steep(entry["name"], counts, times))
    floors = [result["floor"] for result in results]
    rows.append(row("a count over 15 minutes, p50", floors))
    rows.append(["peak RSS", *(megabytes(result["peak"]) for result in results), *[""] * (len(counts) - 1)])
    rows.append(["on disk", *(megabytes(result["disk"]) for result in results), *[""] * (len(counts) - 1)])
    return table(heads, rows), steep


def row(name, times):
    ratios = [late / early if early and late else None for early, late in zip(times, times[1:])]
    return [name, *map(milliseconds, times), *map(times_over, ratios)]


def too_steep(name, counts, times):
    """What grows more than the data does, or at all where it is a window."""
    for (early, late), (before, after) in zip(zip(counts, counts[1:]), zip(times, times[1:])):
        if not before or not after:
            yield f"NOT ANSWERED: {name} with {late:,} events"
            continue
        most = FLAT if any(word in name for word in WINDOWED) else late / early * SLACK
        if after / before > most:
            yield f"TOO STEEP: {name}: {after / before:.1f} times from {early:,} to {late:,} events, at most {most:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, help="the optimised tidegauge")
    parser.add_argument("--family", default=WEB.name, choices=FAMILIES, help="what the events tell of")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--memory-grows", action="store_true",
                        help="the memory for columns grows with the events, instead of being the default for all")
    parser.add_argument("--data", action="append", required=True, metavar="COUNT=FOLDER[=FILE]",
                        help="a number of events, the folder they are loaded in, and their file if there is one")
    arguments = parser.parse_args()
    clean_up_when_ended()
    counts, results = [], []
    for given in arguments.data:
        count, folder, *file = given.split("=")
        counts.append(int(count))
        path = next((path for path in file if path), None)
        dataset = datasets.Dataset(int(count), arguments.binary, folder, path, FAMILIES[arguments.family])
        more = ["--query-cache-bytes", str(cache_bytes(int(count)))] if arguments.memory_grows else []
        results.append(measure(dataset, arguments.rounds, more))
    text, steep = growth_table(counts, results)
    print(f"Tidegauge, computed, best of {arguments.rounds}, commit {arguments.commit}\n\n{text}")
    print("\n".join(["", *steep]) if steep else "\nAll grow at most as the data does, and windows do not.")
    sys.exit(1 if steep else 0)


if __name__ == "__main__":
    main()
