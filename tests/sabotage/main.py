"""Takes one thing out of the store at a time and runs the tests that must notice (README.md). Fails if one is not noticed,
if an edit does not apply any more, or if a test fails without one."""

import argparse
import pathlib
import re
import sys
import time
import tomllib

from scratch import Scratch

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
# The store, and the package of its tests.
PACKAGES = ["-p", "tidegauge-store", "-p", "tidegauge-store-tests"]
# A build from nothing on a machine that others use too.
HANGS = 3600


def edits(names):
    all_edits = tomllib.loads((HERE / "edits.toml").read_text())["edit"]
    unknown = set(names) - {edit["name"] for edit in all_edits}
    if unknown:
        sys.exit(f"sabotage: there is no {', '.join(sorted(unknown))}; --list names them")
    return [edit for edit in all_edits if not names or edit["name"] in names]


def edited(edit):
    """The text of its file with the edit, and what is wrong with it."""
    text = (ROOT / edit["file"]).read_text()
    count = text.count(edit["find"])
    if count != 1:
        return None, (f"{edit['name']} does not apply: its text stands {count} times in {edit['file']}. Look at what has "
                      f"become of {edit['takes']}, and write `find` and `put` in tests/sabotage/edits.toml anew")
    return text.replace(edit["find"], edit["put"]), None


def targets(edit):
    return [*(["--lib"] if "lib" in edit else []), *(["--test", "it"] if "it" in edit else [])]


def tests(edit):
    return [*edit.get("lib", []), *edit.get("it", [])]


def run(scratch, edit):
    """The tests that failed and those that passed, or what kept them from running."""
    code, said = scratch.cargo(["nextest", "run", *PACKAGES, *targets(edit), "--no-run"], HANGS)
    if code != 0:
        return None, "it does not compile:\n" + "\n".join(said.splitlines()[-40:])
    wanted = " + ".join(f"test(={name})" for name in tests(edit))
    code, said = scratch.cargo(
        ["nextest", "run", *PACKAGES, *targets(edit), "--no-fail-fast", "-E", wanted, "--status-level", "all"], HANGS)
    found = dict.fromkeys(tests(edit))
    for line in said.splitlines():
        outcome = re.match(r"\s*(PASS|FAIL|SIG\w+|ABORT|LEAK-FAIL|TIMEOUT)\s+\[.*\]\s+(?:\(.*\)\s+)?\S+\s+(\S+)$", line)
        if outcome and outcome[2] in found:
            found[outcome[2]] = outcome[1] == "PASS"
    missing = [name for name, passed in found.items() if passed is None]
    if missing:
        return None, f"these tests did not run, or are not there: {', '.join(missing)}\n{said[-2000:]}"
    return found, None


def baseline(scratch, chosen):
    """Without an edit every test passes, or its failure would tell nothing."""
    together = {}
    for edit in chosen:
        for key in ["lib", "it"]:
            if key in edit:
                together.setdefault(key, [])
                together[key] += [name for name in edit[key] if name not in together[key]]
    found, problem = run(scratch, together)
    if problem is None and not all(found.values()):
        problem = "these tests fail as it is: " + ", ".join(name for name, passed in found.items() if not passed)
    return problem


def main():
    arguments = argparse.ArgumentParser(prog="scripts/sabotage.sh", description=__doc__)
    arguments.add_argument("names", nargs="*", metavar="NAME", help="only these")
    arguments.add_argument("--folder", default=str(ROOT / "target" / "sabotage"), help="where the copy and what is built are")
    arguments.add_argument("--no-baseline", action="store_true", help="the tests are known to pass as it is")
    arguments.add_argument("--list", action="store_true", help="name what is taken out")
    arguments = arguments.parse_args()
    chosen = edits(arguments.names)
    if arguments.list:
        for edit in chosen:
            print(f"{edit['name']}: {edit['takes']}")
        return 0
    problems = [problem for problem in (edited(edit)[1] for edit in chosen) if problem]
    if problems:
        sys.exit("\n".join(f"sabotage: {problem}" for problem in problems))
    began = time.monotonic()
    scratch = Scratch(ROOT, arguments.folder)
    scratch.refresh()
    if not arguments.no_baseline:
        problem = baseline(scratch, chosen)
        if problem:
            sys.exit(f"sabotage: {problem}")
        print(f"sabotage: all tests pass as it is ({time.monotonic() - began:.0f} s)", flush=True)
    unnoticed = 0
    for edit in chosen:
        since = time.monotonic()
        scratch.change(edit["file"], edited(edit)[0])
        found, problem = run(scratch, edit)
        failed = [name for name, passed in (found or {}).items() if not passed]
        unnoticed += not failed
        outcome = problem or ("noticed by " + ", ".join(failed) if failed else "NOT NOTICED by " + ", ".join(found))
        print(f"sabotage: without {edit['takes']} ({edit['name']}): {outcome} ({time.monotonic() - since:.0f} s)", flush=True)
    scratch.restore()
    took = (time.monotonic() - began) / 60
    print(f"sabotage: {len(chosen) - unnoticed} of {len(chosen)} were noticed, in {took:.1f} minutes")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
