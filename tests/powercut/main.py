"""Cuts the power of the real binary at many points of a recorded run, by dropping what was not synced, and looks whether
all that it acknowledged is there. Started by scripts/powercut.sh; see README.md."""

import argparse
import concurrent.futures
import pathlib
import shutil
import sys
import time

import points
import recording
import verify
from classes import CLASSES
from cut import Cut, Manner
from ledger import Promises
from points import Point

FAILURES_MAX = 5
LINES_MAX = 40

# So many services run at once.
WORKERS = 2

# A missing sync must be noticed at one of so many points.
SELF_TEST_POINTS = 8


class Run:
    """Points of one recording."""

    def __init__(self, arguments, run, library):
        self.arguments, self.run, self.library = arguments, run, library
        self.promises = Promises(run.ledger)
        self.dropped, self.torn, self.failures, self.kept = 0, 0, 0, None
        self.tried, self.again = 0, 0

    def cuts(self, chosen, ignores=lambda node: False):
        """Replays the records once and makes the image of each point on the way."""
        disk, done = self.run.disk(ignores), 0
        for point in chosen:
            while done <= point.record:
                disk.replay(self.run.records[done])
                done += 1
            yield point, Cut(disk, point.manner, point.chance(self.arguments.seed))

    def check(self, point, cut):
        """Stores an image, starts the service on it and gives what is wrong."""
        folder = self.arguments.folder / f"cut-{point}"
        cut.store(folder)
        found = self.cut_again(point, folder) if point.is_again else []
        found = found or verify.run(self.arguments.binary, folder, self.promises, point.record)
        if not found:
            shutil.rmtree(self.second(point), ignore_errors=True)
        return found

    def second(self, point):
        """Where the recovery from a point is recorded."""
        return self.arguments.folder / f"second-{point}"

    def cut_again(self, point, folder):
        """Lets the service recover, and cuts it off somewhere on the way."""
        kept = self.run.folder / self.second(point).name
        second = recording.Recording(kept if kept.exists() else self.second(point))
        if not kept.exists():
            found = recording.recover(self.arguments.binary, self.library, folder, second)
            if found:
                return [found]
        records = second.load_records()
        chance = point.chance(self.arguments.seed)
        # The same chance as for the first cut would choose the same ways.
        chance.seed(chance.random())
        disk = second.disk()
        for record in records[:chance.randint(1, len(records))]:
            disk.replay(record)
        cut = Cut(disk, chance.choice((Manner.NOTHING, Manner.SOME)), chance)
        self.again += 1
        shutil.rmtree(folder)
        cut.store(folder)
        return []

    def try_points(self, chosen, ignores=lambda node: False):
        """Points with what is wrong at them, as they come. A few are under way at once."""
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            waiting = {}
            for point, cut in self.cuts(chosen, ignores):
                if len(waiting) >= WORKERS:
                    yield from self.finished(waiting)
                self.dropped += cut.dropped
                self.torn += cut.torn
                waiting[pool.submit(self.check, point, cut)] = point, cut
            while waiting:
                yield from self.finished(waiting)

    def finished(self, waiting):
        done, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
        for future in done:
            self.tried += 1
            yield *waiting.pop(future), future.result()

    # What is asked for.

    def all_points(self):
        chosen = points.choose(self.run.records, self.arguments.seed, self.arguments.points)
        if self.arguments.only:
            chosen = [Point.parse(self.arguments.only)]
        ignores = CLASSES.get(self.arguments.without_sync, lambda node: False)
        for point, cut, found in self.try_points(chosen, ignores):
            if self.arguments.verbose or found:
                print(f"powercut: {point}: {'; '.join(found) or 'good'}", flush=True)
            if found:
                self.failed(point, cut)
            if self.failures >= FAILURES_MAX:
                break
        return self.failures

    def failed(self, point, cut):
        self.failures += 1
        record = self.run.records[point.record]
        print(f"\npowercut: wrong after record {point.record}, {record.kind.name.lower()} {record.path}. Not synced then:")
        print("\n".join(f"  {line}" for line in cut.lines[-LINES_MAX:]) or "  nothing")
        arguments = self.arguments
        if self.kept is None and not arguments.recording:
            self.kept = self.run.copy_to(arguments.keep / f"seed-{arguments.seed}").folder
        if self.kept and self.second(point).exists():
            shutil.copytree(self.second(point), self.kept / self.second(point).name, dirs_exist_ok=True)
        where = self.kept or arguments.recording
        without = f" --without-sync {arguments.without_sync}" if arguments.without_sync else ""
        print(f"again: scripts/powercut.sh --seed {arguments.seed} --recording {where} --only {point}{without}\n", flush=True)

    def self_test(self):
        """Ignores each kind of sync in turn: every one must be missed."""
        answers = [at for at, record in enumerate(self.run.records) if record.answered()]
        step = max(1, len(answers) // SELF_TEST_POINTS)
        # From the middle on: before it there is little to lose.
        late = answers[len(answers) // 2:] + answers[:len(answers) // 2]
        chosen = [Point(at, Manner.NOTHING, 0) for at in late[step - 1::step]]
        missed = 0
        for name, ignores in CLASSES.items():
            noticed = None
            for point in chosen:
                for _, cut in self.cuts([point], ignores):
                    found = self.check(point, cut)
                noticed = noticed or (f"{point}: {found[0].splitlines()[-1]}" if found else None)
                if noticed:
                    break
            missed += not noticed
            print(f"powercut: without the syncs of {name}: {noticed or 'NOTHING IS MISSED'}", flush=True)
        return missed


def parse():
    parser = argparse.ArgumentParser(prog="scripts/powercut.sh")
    parser.add_argument("binary")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--requests", type=int, default=120, help="how many requests are recorded")
    parser.add_argument("--points", type=int, default=30, help="how many times the power goes")
    parser.add_argument("--only", help="this point alone")
    parser.add_argument("--recording", type=pathlib.Path, help="a run that was recorded before")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("target/powercut"))
    parser.add_argument("--without-sync", choices=CLASSES, help="as if the service did not make these syncs")
    parser.add_argument("--self-test", action="store_true", help="also look whether missing syncs are noticed")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def main():
    arguments = parse()
    started = time.monotonic()
    library = recording.build(pathlib.Path(__file__).with_name("recorder.c"), arguments.folder)
    if not library:
        print("powercut: not run (there is no recorder)", file=sys.stderr)
        return 0
    if arguments.recording:
        recorded = recording.Recording(arguments.recording).load()
    else:
        (arguments.folder / "run").mkdir()
        recorded = recording.record(
            arguments.binary, library, arguments.folder / "run", arguments.seed, arguments.requests)
    run = Run(arguments, recorded, library)
    syncs = sum(record.kind == recording.trace.Kind.SYNC for record in recorded.records)
    print(f"powercut: seed {arguments.seed}: {len(recorded.records)} records, {syncs} syncs, {recorded.answers} "
          f"acknowledgements, {time.monotonic() - started:.1f} s", flush=True)
    failures = run.all_points()
    print(f"powercut: {run.tried} points, {run.again} of them cut again while recovering, {run.dropped} changes dropped, "
          f"{run.torn} writes torn: {failures or 'none'} wrong{'' if failures else ', nothing lost, nothing doubled'}, "
          f"{time.monotonic() - started:.1f} s", flush=True)
    if arguments.self_test and not failures:
        failures = run.self_test()
        print(f"powercut: self-test ended, {time.monotonic() - started:.1f} s", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
