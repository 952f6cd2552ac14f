"""What is known of mutants: ledger.tsv has a line for each that was judged, survivors.md a reason for each that lives."""

import datetime
import hashlib
import pathlib
import re

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
LEDGER = HERE / "ledger.tsv"
REASONS = HERE / "survivors.md"
COLUMNS = ["crate", "file", "content", "place", "mutant", "verdict", "by", "date"]
# A test failed, a test did not end, no test failed, the compiler refused it.
CAUGHT, TIMEOUT, SURVIVED, UNVIABLE = "caught", "timeout", "survived", "unviable"


def content(file):
    """By which a file is known to be the one that was judged."""
    path = ROOT / file
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.is_file() else ""


class Ledger:
    def __init__(self):
        lines = LEDGER.read_text().splitlines()[1:] if LEDGER.exists() else []
        rows = [dict(zip(COLUMNS, line.split("\t"), strict=True)) for line in lines]
        contents = {file: content(file) for file in {row["file"] for row in rows}}
        # What was judged of a file that has changed since tells nothing of it any more.
        current = [row for row in rows if row["content"] == contents[row["file"]]]
        self.forgotten = len(rows) - len(current)
        self.rows = {(row["file"], row["place"], row["mutant"]): row for row in current}

    def verdict(self, mutant):
        row = self.rows.get(mutant.key)
        return row["verdict"] if row else None

    def note(self, mutant, verdict, by):
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        values = [mutant.crate, mutant.file, content(mutant.file), mutant.place, mutant.change, verdict, by, today]
        self.rows[mutant.key] = dict(zip(COLUMNS, values, strict=True))
        self.write()

    def write(self):
        def order(row):
            return row["crate"], row["file"], [int(part) for part in row["place"].split(":")], row["mutant"]
        lines = ["\t".join(row[column] for column in COLUMNS) for row in sorted(self.rows.values(), key=order)]
        # Whole or as it was, also when this is ended in the middle.
        unfinished = LEDGER.with_suffix(".new")
        unfinished.write_text("\n".join(["\t".join(COLUMNS), *lines]) + "\n")
        unfinished.replace(LEDGER)

    def figures(self):
        """Of each crate, how many had which verdict."""
        found = {}
        for row in self.rows.values():
            of_crate = found.setdefault(row["crate"], dict.fromkeys([CAUGHT, TIMEOUT, SURVIVED, UNVIABLE], 0))
            of_crate[row["verdict"]] += 1
        return found

    def without_reason(self):
        """The survivors that nobody has explained. Lines move, so a reason is for a change in a file."""
        known = reasons()
        lives = [row for row in self.rows.values() if row["verdict"] == SURVIVED]
        return [row for row in lives if (row["file"], row["mutant"]) not in known]

    def unneeded_reasons(self):
        """Reasons for mutants that were judged and do not live."""
        verdicts = {}
        for row in self.rows.values():
            verdicts.setdefault((row["file"], row["mutant"]), set()).add(row["verdict"])
        return [key for key in reasons() if key in verdicts and SURVIVED not in verdicts[key]]


def reasons():
    """The changes that are explained: below a heading with a file, lines "- `change`: reason"."""
    found, file = {}, None
    for line in REASONS.read_text().splitlines() if REASONS.exists() else []:
        heading = re.fullmatch(r"## `(.+)`", line)
        reason = re.fullmatch(r"- ((?:`[^`]+`(?:, )?)+): (.+)", line)
        if heading:
            file = heading[1]
        elif reason and file:
            for change in re.findall(r"`([^`]+)`", reason[1]):
                found[file, change] = reason[2]
    return found
