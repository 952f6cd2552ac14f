"""How questions are asked: for the first time of a process, after the page cache was dropped, again and again computed
anew, or answered from what was kept where it can be. Each mode has its seconds, and its table with the ratio to the
better peer and the geometric mean of all questions, also of those for which nothing can be kept."""

from statistics import median

from peers.process import PEERS
from runs.setting import COMPUTED, KEPT

from .figures import geometric_mean, milliseconds, times_over
from .markdown import table


class Mode:
    """What a mode is called, which of the services it is about, and what its ratios are to reach: their geometric mean,
    and the largest."""

    def __init__(self, key, title, service, mean, most):
        self.key, self.title, self.service, self.mean, self.most = key, title, service, mean, most

    def seconds(self, entry, name):
        """Of an engine, or None where it was not asked that way."""
        if self.key == "cold":
            return entry.get("cold", {}).get(name)
        times = entry.get("first" if self.key == "first" else "times", {}).get(name)
        if not times:
            return None
        # What is asked once is not the best of several: the one in the middle of the runs counts.
        return median(times) if self.key == "first" else min(times)

    def ratio(self, entry):
        own = self.seconds(entry, self.service)
        theirs = [time for time in (self.seconds(entry, peer) for peer in PEERS) if time]
        return own / min(theirs) if own and theirs else None


FIRST = Mode("first", "First ask", KEPT, 0.6, 1.2)
COLD = Mode("cold", "Cold", COMPUTED, 0.8, 1.5)
HOT = Mode("hot", "Hot, computed", COMPUTED, 0.25, 1.0)
REPEATED = Mode("repeated", "Repeated", KEPT, 0.02, None)
MODES = [FIRST, COLD, HOT, REPEATED]


def ratios(findings, mode):
    """Of the questions that were asked that way, by their names."""
    entries = [*findings["questions"], *findings.get("wide", {}).get("questions", [])]
    found = {entry["name"]: mode.ratio(entry) for entry in entries}
    return {name: value for name, value in found.items() if value is not None}


def mode_table(findings, mode):
    """Nothing where nothing was asked that way."""
    by_name = ratios(findings, mode)
    if not by_name:
        return ""
    entries = [*findings["questions"], *findings.get("wide", {}).get("questions", [])]
    entries = [entry for entry in entries if entry["name"] in by_name]
    peers = [peer for peer in PEERS if any(mode.seconds(entry, peer) for entry in entries)]
    rows = []
    for entry in entries:
        times = [milliseconds(mode.seconds(entry, name)) for name in [mode.service, *peers]]
        rows.append([entry["name"], *times, times_over(by_name[entry["name"]])])
    rows.append(["geometric mean", *[""] * (1 + len(peers)), times_over(geometric_mean(by_name.values()))])
    return f"{mode.title}, milliseconds:\n\n" + table(["question", "Tidegauge", *peers, "of the better"], rows)


def clients_table(found):
    """Throughput and times of many clients at once."""
    heads = ["engine", "answers/s", "p50 ms", "p99 ms", "windows p99 ms", "whole ranges p99 ms",
             "windows p99 ms, one client", "windows p99 over quiet", "peak RSS MB"]
    rows = []
    for name, figures in found["engines"].items():
        times = [figures["all"]["p50"], figures["all"]["p99"], p99(figures, "windowed"), p99(figures, "whole")]
        rows.append([
            name, f"{figures['per_second']:,.1f}", *(shown(time) for time in [*times, figures["quiet"]["p99"]]),
            times_over(over_quiet(figures)), f"{figures['peak'] / 1e6:,.0f}",
        ])
    return (
        f"{found['clients']} clients at once (seed {found['seed']}; {found['compared']:,} answers compared):\n\n"
        + table(heads, rows)
    )


def p99(figures, part):
    return figures[part]["p99"] if figures[part] else None


def over_quiet(figures):
    loaded = p99(figures, "windowed")
    return loaded / figures["quiet"]["p99"] if loaded is not None else None


def throughput_ratio(found, name=KEPT):
    """Of the service to the better peer, or None without both."""
    engines = found["engines"]
    theirs = [engines[peer]["per_second"] for peer in PEERS if peer in engines]
    return engines[name]["per_second"] / max(theirs) if name in engines and theirs else None


def shown(milliseconds_):
    return "" if milliseconds_ is None else f"{milliseconds_:,.1f}"
