"""What the project wants to reach, and whether a run did: each goal with its figure and its limit."""

from .figures import COMPUTED, KEPT, computed_entries, geometric_mean, kept_entries, ratio

MEMORY_BYTES = 2 << 30


def goals(findings):
    """Rows of what is measured, the figure, its limit, and whether it was reached, of the parts that were run."""
    ratios = {entry["name"]: ratio(entry) for entry in computed_entries(findings)}
    ratios = {name: value for name, value in ratios.items() if value is not None}
    rows = []
    if ratios:
        worst = max(ratios, key=ratios.get)
        rows.append(limit("geometric mean of the ratios", geometric_mean(ratios.values()), 0.6))
        rows.append(limit(f"the largest ratio ({worst})", ratios[worst], 1.2))
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


def limit(what, figure, most, unit="", digits=2):
    shown = f"{most:,.0f}" if digits == 0 else f"{most:g}"
    return [what, f"{figure:,.{digits}f}{unit}", f"≤ {shown}{unit}", "yes" if figure <= most else "**no**"]
