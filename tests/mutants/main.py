"""Changes the code in small ways, one at a time, and looks whether a test fails (README.md). Goes on where it ended: what
was judged is skipped as long as its file is the same. Fails if a mutant lives that survivors.md does not explain."""

import argparse
import dataclasses
import json
import pathlib
import random
import re
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "sabotage"))

from ledger import CAUGHT, SURVIVED, TIMEOUT, UNVIABLE, Ledger
from scratch import Scratch

# A build from nothing on a machine that others use too.
BUILD_SECONDS = 3600


@dataclasses.dataclass
class Mutant:
    crate: str
    file: str
    place: str
    change: str
    span: dict
    replacement: str

    @property
    def key(self):
        return self.file, self.place, self.change

    def text(self):
        """The text of its file with the change."""
        lines = (ROOT / self.file).read_text().splitlines(keepends=True)

        def offset(point):
            return sum(map(len, lines[:point["line"] - 1])) + point["column"] - 1
        text = "".join(lines)
        return text[:offset(self.span["start"])] + self.replacement + text[offset(self.span["end"]):]


def listed(scratch, part):
    """All mutants of a part, as cargo-mutants finds them."""
    files = [argument for glob in part["files"] for argument in ["--file", glob]]
    excluded = [argument for glob in part.get("exclude", []) for argument in ["--exclude", glob]]
    code, said = scratch.cargo(
        ["mutants", "--list", "--json", "--no-config", "--package", f"tidegauge-{part['crate']}", *files, *excluded], 600)
    if code != 0:
        sys.exit(f"mutants: cargo-mutants does not list the mutants of {part['crate']}:\n{said}")
    mutants = []
    for found in json.loads(said[said.index("["):]):
        file, line, column, change = re.fullmatch(r"(.+?):(\d+):(\d+): (.+)", found["name"], re.DOTALL).groups()
        change = " ".join(change.replace("`", "'").split())
        mutants.append(Mutant(part["crate"], file, f"{line}:{column}", change, found["span"], found["replacement"]))
    return mutants


def judge(scratch, part):
    """What the tests say of the copy as it is: a verdict, and which test says so."""
    for stage in part["stages"]:
        code, said = scratch.cargo(["nextest", "run", *stage, "--no-run"], BUILD_SECONDS)
        if code != 0:
            refused = re.search(r"^error(?:\[.*\])?: .*$", said, re.MULTILINE)
            return UNVIABLE, refused[0][:100] if refused else said[-200:]
        code, said = scratch.cargo(["nextest", "run", *stage, "--fail-fast", "--status-level", "fail"], part["seconds"])
        if code is None:
            return TIMEOUT, ""
        if code != 0:
            failed = re.search(r"^\s*(?:FAIL|SIG\w+|ABORT|LEAK-FAIL|TIMEOUT)\s+\[.*?\]\s+(?:\(.*?\)\s+)?\S+\s+(\S+)$", said, re.MULTILINE)
            if not failed:
                sys.exit(f"mutants: the tests could not be run:\n{said[-3000:]}")
            return CAUGHT, failed[1]
    return SURVIVED, ""


def wanted(mutants, ledger, arguments):
    """Those that are to be judged now."""
    verdict = SURVIVED if arguments.survivors else None
    chosen = [mutant for mutant in mutants if ledger.verdict(mutant) == verdict]
    chosen = [mutant for mutant in chosen if not arguments.file or arguments.file in mutant.file]
    if arguments.sample is not None:
        chosen = random.Random(arguments.seed).sample(chosen, min(arguments.sample, len(chosen)))
    return chosen


def work(scratch, ledger, parts, arguments):
    ends = time.monotonic() + arguments.minutes * 60
    for part in parts:
        mutants = listed(scratch, part)
        chosen = wanted(mutants, ledger, arguments)
        print(f"mutants: {part['crate']} has {len(mutants)}, of which {len(chosen)} are to be judged", flush=True)
        if arguments.list or not chosen or time.monotonic() >= ends:
            continue
        scratch.restore()
        verdict, by = judge(scratch, part)
        if verdict != SURVIVED:
            sys.exit(f"mutants: the tests of {part['crate']} fail as it is ({by}), so that they would tell nothing")
        for mutant in chosen:
            if time.monotonic() >= ends:
                break
            since = time.monotonic()
            scratch.change(mutant.file, mutant.text())
            verdict, by = judge(scratch, part)
            ledger.note(mutant, verdict, by)
            took = time.monotonic() - since
            print(f"mutants: {verdict}: {mutant.file}:{mutant.place}: {mutant.change} ({by or 'no test'}, {took:.0f} s)", flush=True)
    scratch.restore()


def report(ledger):
    """What is known now. True if each survivor is explained."""
    for crate, figures in sorted(ledger.figures().items()):
        said = ", ".join(f"{count} {verdict}" for verdict, count in figures.items())
        print(f"mutants: {crate}: {sum(figures.values())} judged: {said}")
    for file, change in ledger.unneeded_reasons():
        print(f"mutants: {file}: {change}: does not live any more; take its reason out of tests/mutants/survivors.md")
    unexplained = ledger.without_reason()
    for row in unexplained:
        print(f"mutants: lives without a reason: {row['file']}:{row['place']}: {row['mutant']}")
    if unexplained:
        print("mutants: write a test that fails with each of them, or its reason into tests/mutants/survivors.md")
    return not unexplained


def main():
    plan = tomllib.loads((HERE / "plan.toml").read_text())["part"]
    arguments = argparse.ArgumentParser(prog="scripts/mutants.sh", description=__doc__)
    arguments.add_argument("--minutes", type=float, default=60, help="begin no other after so many; 60 unless told")
    arguments.add_argument("--crate", choices=[part["crate"] for part in plan], action="append", help="only this; repeat it for more")
    arguments.add_argument("--file", help="only files whose path has this in it")
    arguments.add_argument("--sample", type=int, help="so many of each crate, by chance")
    arguments.add_argument("--seed", type=int, default=1, help="what chance goes by")
    arguments.add_argument("--survivors", action="store_true", help="judge again those that live, after tests were written")
    arguments.add_argument("--list", action="store_true", help="count, and judge none")
    arguments.add_argument("--check", action="store_true", help="only look whether each survivor is explained")
    arguments.add_argument("--folder", default=str(ROOT / "target" / "mutants"), help="where the copy and what is built are")
    arguments = arguments.parse_args()
    began = time.monotonic()
    ledger = Ledger()
    if ledger.forgotten:
        print(f"mutants: {ledger.forgotten} were judged in files that have changed since, and count no more")
    if not arguments.check:
        scratch = Scratch(ROOT, arguments.folder)
        scratch.refresh()
        work(scratch, ledger, [part for part in plan if not arguments.crate or part["crate"] in arguments.crate], arguments)
    is_explained = report(ledger)
    print(f"mutants: {(time.monotonic() - began) / 60:.1f} minutes")
    return 0 if is_explained else 1


if __name__ == "__main__":
    sys.exit(main())
