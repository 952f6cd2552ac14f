"""Tries faults one after the other, tells what went wrong, and prints the table of what became of them."""

import argparse
import concurrent.futures
import pathlib
import shutil
import time

from control import Fault
from table import Table

FAILURES_MAX = 5

# So many services run at once.
WORKERS = 2


def said(seen):
    """What clients saw, the most frequent first."""
    return "; ".join(f"{what} {status} {message} ×{count}" for (what, status, message), count in seen.most_common())


class Run:
    """Faults of one plan, on one bench. `name` is the script."""

    def __init__(self, name, arguments, bench, stages, plan):
        self.name, self.arguments, self.bench, self.stages, self.plan = name, arguments, bench, stages, plan
        self.table = Table()
        self.struck, self.missed, self.failures, self.strikes = 0, 0, 0, 0

    def faults(self):
        if self.arguments.only:
            return [Fault.parse(text) for text in self.arguments.only.split(",")]
        counted = {stage: self.bench.count(stage) for stage in self.stages}
        for stage, (counts, _) in counted.items():
            shown = ", ".join(f"{call} {file} {count}" for (call, file), count in sorted(counts.items()))
            print(f"{self.name}: calls of {stage}: {sum(counts.values())} ({shown})", flush=True)
        plan = self.plan.only(self.arguments.errors.split(",")) if self.arguments.errors else self.plan
        if not self.arguments.points:
            return list(plan.every(counted))
        return plan.choose(counted, self.arguments.seed, self.arguments.points)

    def check(self, fault):
        attempt = self.bench.attempt(fault.stage, fault)
        attempt.run()
        return attempt

    def all_faults(self):
        faults = self.faults()
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            for attempt in pool.map(self.check, faults):
                if self.failures < FAILURES_MAX or self.arguments.go_on:
                    self.take(attempt)
                else:
                    pool.shutdown(wait=False, cancel_futures=True)
                    break
        return self.failures

    def take(self, attempt):
        fault = attempt.fault
        if attempt.struck:
            self.struck += 1
            self.strikes += attempt.struck
            self.table.add(attempt)
        else:
            self.missed += 1
        if self.arguments.verbose or attempt.problems:
            struck = f"{attempt.struck} calls failed ({attempt.struck_path}), {attempt.ended or 'went on'}"
            print(f"{self.name}: {fault}: {struck}: {'; '.join(attempt.problems) or 'good'}\n  {said(attempt.outcomes.seen)}",
                  flush=True)
        if attempt.problems:
            self.failures += 1
            kept = self.keep(attempt)
            print(f"what the service said is in {kept}\n"
                  f"again: scripts/{self.name}.sh --seed {self.arguments.seed} --only {fault}\n", flush=True)
        attempt.clean()

    def keep(self, attempt):
        self.arguments.keep.mkdir(parents=True, exist_ok=True)
        kept = self.arguments.keep / attempt.log.name
        shutil.copy(attempt.log, kept)
        return kept


def parse(name):
    parser = argparse.ArgumentParser(prog=f"scripts/{name}.sh")
    parser.add_argument("binary")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--points", type=int, default=40, help="how many faults there are; 0 for all that there can be")
    parser.add_argument("--only", help="this fault alone, or these, with commas between them")
    parser.add_argument("--errors", help="these errors alone, with commas between them")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("target") / name)
    parser.add_argument("--go-on", action="store_true", help="do not stop when a few went wrong")
    parser.add_argument("--self-test", action="store_true", help="also look whether the check can fail")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def run(run, self_test):
    """All of it. Says whether something is wrong."""
    started = time.monotonic()
    run.bench.prepare()
    failures = run.all_faults()
    run.table.print()
    result = f"{failures} wrong" if failures else "none wrong, nothing lost, nothing doubled"
    print(f"{run.name}: seed {run.arguments.seed}: {run.struck} faults, {run.strikes} calls failed, {run.missed} faults "
          f"came to no call: {result}, {time.monotonic() - started:.1f} s", flush=True)
    if run.arguments.self_test and not failures:
        failures = self_test(run.bench)
        print(f"{run.name}: self-test ended, {time.monotonic() - started:.1f} s", flush=True)
    return 1 if failures else 0
