"""What became of each kind of fault: what clients saw, where the service said what is wrong, and what was lost or doubled.
Printed as a table, which docs/internals/faults.md carries."""

import collections
import re

# Of what a client saw, so many kinds of answers stand in a row, each with so much of its text.
SHOWN, SHOWN_LETTERS = 3, 64

LOST = re.compile(r"(\d+) acknowledged events lost|(?:was acknowledged and is) (lost)")
DOUBLED = re.compile(r"(\d+) events doubled")

HEAD = ("call", "files", "fault", "tried", "seen by nobody", "what clients saw", "said in", "lost", "doubled")


class Row:
    def __init__(self):
        self.tried, self.unseen, self.lost, self.doubled = 0, 0, 0, 0
        self.seen, self.said = collections.Counter(), collections.Counter()

    def add(self, attempt):
        self.tried += 1
        failures = {seen: count for seen, count in attempt.outcomes.seen.items() if not seen[1].startswith("2")}
        self.unseen += not failures
        for (what, status, message), count in failures.items():
            self.seen[answer(what, status, message)] += count
        self.said.update(attempt.said or {"nowhere"})
        self.lost += counted(LOST, attempt.problems)
        self.doubled += counted(DOUBLED, attempt.problems)

    def cells(self):
        rest = sum(self.seen.values()) - sum(count for _, count in self.seen.most_common(SHOWN))
        seen = [f"{text} ×{count}" for text, count in self.seen.most_common(SHOWN)] + ([f"others ×{rest}"] if rest else [])
        said = [f"{place} {count}" for place, count in self.said.most_common()]
        return self.tried, self.unseen, "; ".join(seen) or "nothing", ", ".join(said), self.lost, self.doubled


def answer(what, status, message):
    """What a client was told, in short."""
    # What the log said last stands for a start or an end that failed.
    told = message.split(" ERROR ")[-1].split(" WARN ")[-1].split("\n")[0].replace("|", "/").strip()
    status = {"none": "no answer"}.get(status, status)
    place = what if what in ("start", "stop", "end") else ""
    return " ".join(part for part in (place, status, f"“{cut(told)}”" if told else "") if part)


def cut(text):
    return text if len(text) <= SHOWN_LETTERS else text[:SHOWN_LETTERS - 1].rstrip() + "…"


def counted(pattern, problems):
    found = (pattern.search(problem) for problem in problems)
    return sum(int(match[1] or 1) for match in found if match)


class Table:
    """A row for each call, files and fault, whether it passed by itself or was lifted."""

    def __init__(self):
        self.rows = collections.defaultdict(Row)

    def add(self, attempt):
        fault = attempt.fault
        self.rows[fault.call, fault.file, fault.error].add(attempt)

    def lines(self):
        yield "| " + " | ".join(HEAD) + " |"
        yield "|" + "---|" * len(HEAD)
        for kind in sorted(self.rows):
            cells = [str(cell) for cell in (*kind, *self.rows[kind].cells())]
            yield "| " + " | ".join(cells) + " |"
        rows = self.rows.values()
        sums = [str(sum(getattr(row, name) for row in rows)) for name in ("tried", "unseen", "lost", "doubled")]
        yield f"| all | | | {sums[0]} | {sums[1]} | | | {sums[2]} | {sums[3]} |"

    def print(self):
        print("\n" + "\n".join(self.lines()) + "\n", flush=True)
