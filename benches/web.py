"""Measures the web interface in a real browser over many events: a dashboard of 20 panels, beside ClickHouse and DuckDB
that are asked the same 20 queries, and the editor of monitors while somebody types.

The events are those of the benchmark of questions, kept from run to run, so the pages live at their end and not today
(ui/tests/measure/clock.js). Everything works on copies. scripts/bench-web.sh starts this file.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys

import agreement
import dataset as datasets
from browser import Browser
from peers.process import PEERS
from questions import board
from questions.question import Times
from runs.dashboard import BATCH_EVENTS, BATCH_SECONDS, make_batch
from runs.setting import KEPT, Setting, clean_up_when_ended, say
from service import Service

TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d")
GOAL_EDITOR_MS = 1_000


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help="dashboard, editor; both unless some are named")
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--file", help="the events as NDJSON")
    parser.add_argument("--binary", required=True, help="the tidegauge that holds the interface")
    parser.add_argument("--folder", required=True, help="where the engines keep what they loaded")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--without", action="append", default=[], choices=PEERS, help="leave a peer out")
    parser.add_argument("--picture", help="a file for a picture of the dashboard")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    clean_up_when_ended()
    dataset = datasets.Dataset(arguments.events, arguments.binary, arguments.folder, arguments.file)
    peers = [name for name in PEERS if name not in arguments.without]
    parts = arguments.parts or ["dashboard", "editor"]
    try:
        dataset.load(["Tidegauge", *(peers if "dashboard" in parts else [])])
    except datasets.NoSpace as reason:
        sys.exit(f"bench: {reason}")
    setting, times = Setting(dataset, peers, arguments.rounds), Times(dataset.begin, dataset.end)
    print(f"commit {arguments.commit}, {arguments.events} events, {os.cpu_count()} cores, {times.whole.seconds} s")
    met = True
    with setting.scratch() as scratch:
        if "dashboard" in parts:
            measure_dashboard(setting, times, scratch, arguments)
        if "editor" in parts:
            met = measure_editor(setting, times, scratch, arguments)
    sys.exit(0 if met else 1)


class Page:
    """A service by its default settings on a copy of the events, and a browser that is signed in there."""

    def __init__(self, setting, times, scratch, name):
        folder = os.path.join(scratch, name)
        os.makedirs(folder)
        datasets.copy_loaded(setting.dataset.folder, folder, "Tidegauge")
        self.service, self.moment = Service(setting.dataset.binary, folder), milliseconds(times.whole.end)
        try:
            self.browser = Browser(sign_in_link(self.service), self.moment)
        except BaseException:
            self.service.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.stop()
        self.service.stop()


def milliseconds(moment):
    return int(moment.timestamp() * 1_000)


def sign_in_link(service):
    data = ["--data", service.data]
    listed = subprocess.run([service.binary, "user", "list", "--json", *data], stdout=subprocess.PIPE, check=True)
    user = re.search(r'"id":\s*"([^"]+)"', listed.stdout.decode())[1]
    command = [service.binary, "user", "link", user, "--public-url", service.url, *data]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def measure_dashboard(setting, times, scratch, arguments):
    folders = {name: setting.copy(name, scratch) for name in setting.peers}
    count, seconds = len(board.PANELS), times.whole.seconds
    with Page(setting, times, scratch, "page") as page, setting.engines(setting.peers, folders) as peers:
        body = {"uid": "twenty", "overwrite": True, "dashboard": board.document(times, seconds)}
        page.service.call("POST", "/v2/dashboards", body)
        address = f"{page.service.url}/dashboards/twenty?from=now-{seconds}s&to=now&refresh=0"
        say("dashboard: opened")
        opened = page.browser.call("openBoard", address=address, panels=count)
        first = {name: ask_board(name, peer, times.whole, times) for name, peer in peers.items()}
        page.browser.call("newPage")
        again = page.browser.call("openBoard", address=address, panels=count)
        if arguments.picture:
            page.browser.call("picture", path=arguments.picture)
        refreshed, later = [], {name: [] for name in peers}
        for number in range(setting.rounds):
            say(f"dashboard: refresh {number + 1} of {setting.rounds}")
            batch = make_batch(setting.dataset, times, number, scratch)
            for engine in (page.service, *peers.values()):
                engine.insert(batch)
            window = times.whole.later((number + 1) * BATCH_SECONDS)
            moment = milliseconds(window.end)
            refreshed.append(page.browser.call("refreshBoard", panels=count, moment=moment))
            for name, peer in peers.items():
                later[name].append(ask_board(name, peer, window, times))
        different = compare_answers(page.service, peers, window, times)
        faults = page.browser.call("faults")
    print_dashboard(opened, again, refreshed, first, later)
    print(f"\nanswers of the last refresh: {'all are those of the peers' if not different else different}")
    if faults or different:
        sys.exit(f"bench: the page complained, or answers differ: {faults}")


def ask_board(name, peer, window, times):
    """Seconds of all 20 together, one after another."""
    return sum(peer.ask(panel.ask(window, times).statements[name])[0] for panel in board.PANELS)


def compare_answers(service, peers, window, times):
    """What is not equal between the service's last answers, asked once more, and those of the peers."""
    different = []
    for panel in board.PANELS:
        ask = panel.ask(window, times)
        own = written(ask.own(service.ask(ask.body)[1]))
        for name, peer in peers.items():
            other = written([flat_row(row) for row in peer.ask(ask.statements[name])[1]])
            if not agreement.agree(own, other, ask.percent.get(name)):
                different.append(f"{panel.name}: {str(own)[:300]} but {name} {str(other)[:300]}")
    return different


def flat_row(row):
    return [value for cell in row for value in (cell if isinstance(cell, list) else [cell])]


def written(rows):
    """Times to the second in one form, and rows in one order."""
    def cell(value):
        is_time = isinstance(value, str) and TIME.match(value)
        return value[:19].replace(" ", "T") if is_time else value

    return sorted(([cell(value) for value in row] for row in rows), key=str)


def print_dashboard(opened, again, refreshed, first, later):
    whole, asking = ([entry[key] for entry in refreshed] for key in ("whole", "asking"))
    refresh, batch = statistics.median(whole), statistics.median(asking)
    print(f"\n20 panels, {len(refreshed)} refreshes, each after {BATCH_EVENTS} new events over {BATCH_SECONDS} s\n")
    print("| | first | each refresh, median | most | refresh to first |")
    print("|---|---:|---:|---:|---:|")
    print(row("to the paint of all panels", opened["whole"], refresh, max(whole)))
    print(row("of that the batch of 20 queries", opened["asking"], batch, max(asking)))
    print(f"| opened again, another page | {again['whole']:.0f} ms | | | |")
    for name, seconds in first.items():
        times = [value * 1_000 for value in later[name]]
        print(row(f"{name}, the same 20 queries", seconds * 1_000, statistics.median(times), max(times)))
    for name in first:
        ours = opened["whole"] + sum(whole)
        theirs = (first[name] + sum(later[name])) * 1_000
        print(f"\nthe whole (opened once, all refreshes): {ours:.0f} ms to paint, {ours / theirs:.2f} of {name}'s {theirs:.0f} ms")
    print(f"\none batch each time: {all(entry['batches'] == 1 for entry in [opened, *refreshed])}; numbers {opened['numbers']} then {refreshed[-1]['numbers']}")


def row(name, first, median, most):
    return f"| {name} | {first:.0f} ms | {median:.0f} ms | {most:.0f} ms | {median / first:.3f} |"


def measure_editor(setting, times, scratch, arguments):
    """What somebody types, of each kind with several values, so that no answer is one that was given before."""
    query = "['bench']\n| where status >= 500\n| summarize count() by service"
    taken = {}
    with Page(setting, times, scratch, "editor") as page:
        address = f"{page.service.url}/monitors/new"
        say("editor: opened")
        taken["the first query"] = [page.browser.call("openEditor", address=address, query=query)]
        for name, steps in EDITS.items():
            say(f"editor: {name}")
            taken[name] = [page.browser.call(call, **argument) for call, argument in steps]
        faults = page.browser.call("faults")
    print("\nthe monitor's editor: from the key to the redrawn backtest of 24 h\n")
    print("| typed | times | p50 | most | of that asked, p50 | most |")
    print("|---|---:|---:|---:|---:|---:|")
    everything = [entry for entries in taken.values() for entry in entries]
    for name, entries in [*taken.items(), ("all", everything)]:
        whole, asking = (sorted(entry[key] for entry in entries) for key in ("whole", "asking"))
        cells = [statistics.median(whole), whole[-1], statistics.median(asking), asking[-1]]
        print(f"| {name} | {len(entries)} | " + " | ".join(f"{cell:.0f} ms" for cell in cells) + " |")
    most = max(entry["whole"] for entry in everything)
    print(f"\nwithin {GOAL_EDITOR_MS} ms each time: {'yes' if most < GOAL_EDITOR_MS else 'NO'} ({most:.0f} ms); it said last: {everything[-1]['says']}")
    if faults:
        sys.exit(f"bench: the page complained: {faults}")
    return most < GOAL_EDITOR_MS


def in_query(line, before, *texts):
    """Each text in the place of the one before, at the end of a line."""
    return [
        ("typeInQuery", {"line": line, "remove": len(old), "text": new})
        for old, new in zip([before, *texts], texts)
    ]


def in_field(name, *texts):
    return [("typeInField", {"name": name, "text": text}) for text in texts]


EDITS = {
    "another condition": in_query(1, "500", "400", "404", "429", "503", "200"),
    "another grouping": in_query(2, "service", "region", "method", "host", "path", "version"),
    "another aggregation": in_query(
        2, "count() by version", "avg(duration_ms)", "percentile(duration_ms, 95)", "dcount(user_id)", "max(bytes)",
        "count()",
    ),
    "the threshold": in_field("threshold", "10", "25", "300", "7"),
    "every so many minutes": in_field("intervalMinutes", "1", "10", "2"),
    "over so many minutes": in_field("rangeMinutes", "15", "60", "3"),
}


if __name__ == "__main__":
    main()
