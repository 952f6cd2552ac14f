"""Figures from findings: best times, ratios to the best of the peers, and their geometric mean."""

from math import exp, log

from peers.process import PEERS
from runs.setting import COMPUTED, KEPT


def best(entry, name):
    """The least seconds of an engine, or None where it was not asked."""
    times = entry["times"].get(name)
    return min(times) if times else None


def peers_in(entries):
    return [name for name in PEERS if any(entry["times"].get(name) for entry in entries)]


def best_peer(entry):
    times = [best(entry, name) for name in PEERS if best(entry, name) is not None]
    return min(times) if times else None


def ratio(entry, name=COMPUTED, other=None):
    """The time of the service over that of one peer, or of the faster one."""
    own, theirs = best(entry, name), best(entry, other) if other else best_peer(entry)
    return own / theirs if own is not None and theirs else None


def geometric_mean(ratios):
    ratios = [value for value in ratios if value]
    return exp(sum(map(log, ratios)) / len(ratios)) if ratios else None


def computed_entries(findings):
    """All questions whose ratio counts computed answers."""
    return [*findings["questions"], *findings.get("wide", {}).get("questions", [])]


def kept_entries(findings):
    """Questions that are about what was kept."""
    return findings.get("dashboard", {}).get("questions", [])


def lines(findings):
    """Each question with the name of the service whose time counts."""
    return [
        *((entry, COMPUTED) for entry in computed_entries(findings)),
        *((entry, KEPT) for entry in kept_entries(findings)),
    ]


def milliseconds(seconds):
    if seconds is None:
        return ""
    return f"{seconds * 1000:.1f}" if seconds < 1 else f"{seconds * 1000:,.0f}"


def times_over(value):
    return "" if value is None else f"{value:.2f}"


def megabytes(count):
    return f"{count / 1e6:,.0f} MB"
