"""The page of Markdown: a table of times and ratios of hot questions, one of each other way to ask, and what was
measured beside them."""

from runs.setting import CLICKHOUSE_KEPT, COMPUTED, KEPT

from . import goals, modes
from .figures import (
    best, geometric_mean, computed_entries, lines, megabytes, milliseconds, peers_in, ratio, times_over,
)
from .markdown import table


def text(findings):
    parts = [head(findings), question_table(findings), means(findings)]
    parts += [modes.mode_table(findings, mode) for mode in modes.MODES if mode is not modes.HOT]
    parts += [modes.clients_table(findings["clients"]) if "clients" in findings else ""]
    parts += [notes(findings), goal_table(findings)]
    parts.append("\n".join(wrong(findings)))
    return "\n\n".join(part for part in parts if part)


def head(findings):
    machine = findings["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in findings["versions"].items() if name != KEPT)
    computed = "" if findings["computed"] else " This binary cannot be told to keep nothing: computed may be repeated."
    return (
        f"{findings['events']:,} events of the family {findings.get('family', 'web')}, best of {findings['rounds']}, {findings['threads']} threads for each engine, "
        f"{machine['cores']} cores, {machine['bytes'] / (1 << 30):.0f} GiB, {findings['date']}, commit "
        f"{findings['commit']}; {versions}.{computed}"
    )


def question_table(findings):
    entries = lines(findings)
    peers = peers_in([entry for entry, _ in entries])
    kept_too = any(best(entry, CLICKHOUSE_KEPT) for entry, _ in entries)
    heads = ["question", "computed ms", "repeated ms", *(f"{peer} ms" for peer in peers)]
    heads += ["ClickHouse repeated"] if kept_too else []
    heads += [f"of {peer}" for peer in peers] + (["of the best"] if len(peers) > 1 else [])
    rows = []
    for entry, counted in entries:
        row = [entry["name"], milliseconds(best(entry, COMPUTED)), repeated(entry)]
        row += [milliseconds(best(entry, peer)) for peer in peers]
        row += [milliseconds(best(entry, CLICKHOUSE_KEPT))] if kept_too else []
        row += [times_over(ratio(entry, counted, peer)) for peer in peers]
        row += [times_over(ratio(entry, counted))] if len(peers) > 1 else []
        rows.append(row)
    return table(heads, rows)


def repeated(entry):
    """The time of the service that keeps groups, with a mark where it had kept none for this question."""
    time = milliseconds(best(entry, KEPT))
    return time if not time or entry.get("from_kept", {}).get(KEPT, True) else f"{time} (nothing kept)"


def means(findings):
    entries = computed_entries(findings)
    rows = []
    for peer in [*peers_in(entries), None]:
        mean = geometric_mean(ratio(entry, COMPUTED, peer) for entry in entries)
        if mean is not None:
            rows.append(f"- geometric mean, computed, of {peer or 'the better of the two'}: {mean:.2f}")
    computed_from_kept = [entry["name"] for entry in entries if entry.get("from_kept", {}).get(COMPUTED)]
    if computed_from_kept:
        rows.append(f"- NOT COMPUTED, although it should be: {', '.join(computed_from_kept)}")
    answered_before = [entry["name"] for entry in entries if entry.get("first_from_kept")]
    if answered_before:
        rows.append(f"- NOT A FIRST ASK, because a question before it kept what it needs: {', '.join(answered_before)}")
    return "\n".join(rows)


def notes(findings):
    rows = [f"- {name}: peak RSS {megabytes(peak)}" + disk(findings, name) for name, peak in findings["peaks"].items()]
    for name, spread in findings.get("floor", {}).items():
        rows.append(
            f"- a count over 15 minutes over HTTP, {name}: p50 {spread['p50']:.2f} ms, p99 {spread['p99']:.2f} ms"
        )
    if "first" in findings:
        rows.append(first(findings["first"]))
    if "dashboard" in findings:
        inserts = findings["dashboard"]["inserts"]
        taken = ", ".join(f"{name} {milliseconds(min(times))} ms" for name, times in inserts.items())
        rows.append(f"- a batch of {findings['dashboard']['batch_events']:,} events before each repetition: {taken}")
    if "wide" in findings:
        sizes = ", ".join(f"{name} {megabytes(size)}" for name, size in findings["wide"]["disk"].items())
        rows.append(f"- 2,000 sparse fields on disk: {sizes}")
    if "load" in findings:
        rows.append(load(findings["load"]))
    if "small_memory" in findings:
        small = findings["small_memory"]
        rows.append(f"- with {small['bytes'] >> 20} MiB for queries and columns: {failures(small)}, "
                    f"peak RSS {megabytes(small['peak'])}")
    return "\n".join(rows)


def disk(findings, name):
    size = findings["disk"].get(name)
    return "" if size is None else f", on disk {megabytes(size)}"


def first(found):
    """Whoever gives the seed again gets the same orders; they stand in the findings."""
    runs = found["runs"]
    peaks = [f"{name} {megabytes(max(run['peaks'][name] for run in runs))}" for name in runs[0]["peaks"]]
    return f"- first ask: {len(runs)} runs by seed {found['seed']}, peak RSS {', '.join(peaks)}"


def load(found):
    quiet, loaded = found["quiet"], found["loaded"]
    return (
        f"- 15 minutes by 5 seconds: quiet p50 {quiet['p50']:.1f} ms, p99 {quiet['p99']:.1f} ms; while "
        f"{found['events_per_second']:,.0f} events a second arrive p50 {loaded['p50']:.1f} ms, "
        f"p99 {loaded['p99']:.1f} ms ({loaded['count']} questions)"
    )


def failures(small):
    if not small["failed"]:
        return "all questions complete with the same answers"
    return "FAILED: " + "; ".join(f"{name}: {reason}" for name, reason in small["failed"].items())


def goal_table(findings):
    rows = goals.goals(findings)
    return table(["goal", "measured", "limit", "reached"], rows) if rows else ""


def wrong(findings):
    """The questions that an engine could not answer, and those whose answers differ between engines."""
    found = []
    for entry, _ in lines(findings):
        found.extend(f"NOT ANSWERED: {entry['name']}: {name} {why}" for name, why in entry.get("failed", {}).items())
        if entry.get("difference"):
            found.append(f"NOT EQUAL: {entry['name']}: {entry['difference']}")
    clients = findings.get("clients", {})
    found.extend(f"NOT ANSWERED: many clients: {name} {why}" for name, why in clients.get("failed", {}).items())
    if clients.get("difference"):
        found.append(f"NOT EQUAL: many clients: {clients['difference']}")
    return found
