"""What the project wants to reach, and whether a run did: each goal with its figure and its limit."""

from peers.process import PEERS

from . import modes
from .figures import COMPUTED, KEPT, computed_entries, geometric_mean, kept_entries, ratio

MEMORY_BYTES = 2 << 30


def goals(findings):
    """Rows of what is measured, the figure, its limit, and whether it was reached, of the parts that were run."""
    rows = [row for mode in modes.MODES for row in mode_goals(findings, mode)]
    ratios = {entry["name"]: ratio(entry) for entry in computed_entries(findings)}
    ratios = {name: value for name, value in ratios.items() if value is not None}
    rows += disk_goals(findings) + clients_goals(findings)
    for name, most in [("text: a rare word", 0.3), ("one trace", 0.3), ("one user", 0.3),
                       ("last 100 failures, all fields", 1.0)]:
        if name in ratios:
            rows.append(limit(f"ratio of {name!r}", ratios[name], most))
    for entry in kept_entries(findings):
        value = ratio(entry, KEPT)
        if value is not None:
            rows.append(limit(f"ratio of {entry['name']!r}", value, 0.1))
    if "floor" in findings:
        rows.append(limit("a count over 15 minutes, p50", findings["floor"][COMPUTED]["p50"], 5, " ms"))
    if "peaks" in findings:
        rows.append(limit("memory of the service", findings["peaks"][KEPT] / 1e6, MEMORY_BYTES / 1e6, " MB", 0))
    if "small_memory" in findings:
        small = findings["small_memory"]
        rows.append(limit(f"questions that fail with {small['bytes'] >> 20} MiB", len(small["failed"]), 0, "", 0))
    if "load" in findings:
        load = findings["load"]
        rows.append(limit("p99 of a window under load over quiet", load["loaded"]["p99"] / load["quiet"]["p99"], 3))
    return rows


def mode_goals(findings, mode):
    by_name, rows = modes.ratios(findings, mode), []
    if by_name:
        rows.append(limit(f"{mode.title}: geometric mean of the ratios", geometric_mean(by_name.values()), mode.mean))
    if by_name and mode.most is not None:
        worst = max(by_name, key=by_name.get)
        rows.append(limit(f"{mode.title}: the largest ratio ({worst})", by_name[worst], mode.most))
    return rows


def disk_goals(findings):
    sizes = [findings["disk"][peer] for peer in PEERS if findings["disk"].get(peer)]
    own = findings["disk"].get(COMPUTED)
    return [limit("bytes on disk of the smaller peer's", own / min(sizes), 0.9)] if own and sizes else []


def clients_goals(findings):
    if "clients" not in findings:
        return []
    found, rows = findings["clients"], []
    times_as_many = modes.throughput_ratio(found)
    if times_as_many is not None:
        rows.append(at_least("answers a second to many clients, of the better peer's", times_as_many, 3))
    slower = modes.over_quiet(found["engines"][KEPT]) if KEPT in found["engines"] else None
    if slower is not None:
        rows.append(limit("p99 of windows with many clients over quiet", slower, 3))
    return rows


def at_least(what, figure, least):
    return [what, f"{figure:,.2f}", f"≥ {least:g}", "yes" if figure >= least else "**no**"]


def limit(what, figure, most, unit="", digits=2):
    shown = f"{most:,.0f}" if digits == 0 else f"{most:g}"
    return [what, f"{figure:,.{digits}f}{unit}", f"≤ {shown}{unit}", "yes" if figure <= most else "**no**"]
