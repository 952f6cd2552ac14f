"""Shows that the check for faults can fail: disks that lie, events that are not as the ledger says, a service that is
silent. Each must be noticed."""

import os
import pathlib
import subprocess

from control import Fault
from faulted import Attempt
from ledger import Act, Batch

# No client has such numbers.
FIRST = 900_000_000


class NeverSent(Attempt):
    """The ledger has an acknowledged event that nobody sent."""

    def work(self, service):
        note(self, 1)
        super().work(service)


class SentTwice(Attempt):
    """Events are sent twice, without a key, and the ledger knows of one time."""

    def work(self, service):
        batch = note(self, 3)
        for _ in range(2):
            path = f"/v1/datasets/{batch.dataset}/ingest"
            service.call("POST", path, batch.body(self.ledger.base), content_type="application/x-ndjson")
        super().work(service)


class Silent(Attempt):
    """The service does not say what is wrong."""

    def read_log(self):
        self.log.write_text("")
        super().read_log()


def note(attempt, count):
    batch = Batch("alpha", FIRST, count, 0, 20, 0)
    attempt.ledger.note(Act("self-test", "ingest", vars(batch), 0, attempt.moments.next(), attempt.moments.next()))
    return batch


CASES = (
    ("syncs of the log do nothing", Attempt, "work/sync:log:1:lie:0/cut"),
    ("syncs of the catalogue do nothing", Attempt, "work/sync:wal:1:lie:0/cut"),
    ("syncs of the catalogue do nothing from the first start on", Attempt, "first/sync:wal:1:lie:0/cut"),
    ("an acknowledged event is not there", NeverSent, "work/read:segment:1:short:1/kill"),
    ("events are there twice", SentTwice, "work/read:segment:1:short:1/kill"),
    ("nothing is said of the cause", Silent, "work/write:log:2:EIO:0/stop"),
)


def run(bench):
    """How many of them were not noticed."""
    return is_ended_by_the_recorder(bench) + sum(report(bench, "diskfaults", name, kind, text) for name, kind, text in CASES)


def is_ended_by_the_recorder(bench):
    """Whether a process ends by the recorder's signal when it makes calls while all signals are blocked."""
    program, made = bench.folder / "blocked", bench.folder / "made"
    source = pathlib.Path(__file__).with_name("blocked.c")
    subprocess.run(["cc", "-o", str(program), str(source)], check=True)
    environment = os.environ | {"LD_PRELOAD": str(bench.library), "RECORDER_FOLDER": str(bench.folder)}
    status = subprocess.run([str(program), str(made)], env=environment).returncode
    is_right = status == 0 and made.read_bytes() == b"x"
    print(f"diskfaults: calls while signals are blocked: {'made' if is_right else f'NOT MADE ({status})'}", flush=True)
    return not is_right


def report(bench, script, name, kind, text):
    """Makes an attempt with something wrong, and says whether nobody noticed."""
    fault = Fault.parse(text)
    attempt = kind(bench, fault.stage, fault)
    attempt.run()
    attempt.clean()
    noticed = attempt.problems[0].splitlines()[0] if attempt.problems else "NOTHING IS MISSED"
    print(f"{script}: {name}: {noticed}", flush=True)
    return not attempt.problems
