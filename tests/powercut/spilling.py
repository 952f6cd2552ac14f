"""Faults while a question has more groups than fit into its memory, so that they wait on the disk. Nothing is stored
meanwhile: the answer must be right, or there must be none."""

import shutil
import time

from faulted import SETTINGS, Attempt
from ledger import Ledger
from retrying import PAUSE_SECONDS, Moments, Outcomes, Retrying
from service import DidNotStart, Refused, Service
from verify import say_panic

STAGE = "spill"

OUT_OF_MEMORY = 432

DATASET = "many"
REQUESTS, EVENTS = 4, 60_000

# The least that a question can be given.
MEMORY_BYTES = 16 << 20

QUESTION = f"['{DATASET}'] | summarize events = count() by id, text | sort by events desc, id asc | take 3"
RIGHT = [(number, text, 1) for number, text in ((0, "t0t0"), (1, "t1t1"), (2, "t2t2"))]

LARGE = SETTINGS | {
    "max-query-memory-bytes": MEMORY_BYTES, "query-memory-bytes": MEMORY_BYTES, "flush-rows": EVENTS * REQUESTS,
    "request-timeout-seconds": 120, "query-timeout-seconds": 120,
}

# How often it is asked, and after how many of these a fault that lasts is lifted.
ASKED, LASTS = 3, 2

# After so long, what a question put on the disk is not about to go any more.
GONE_SECONDS = 120


def prepare(bench):
    """A folder with many events."""
    root = bench.folder / "begin-spill"
    shutil.copytree(bench.begin[True], root)
    service = Service(bench.binary, root, bench.folder / "log", settings=LARGE)
    for request in range(REQUESTS):
        numbers = range(request * EVENTS, (request + 1) * EVENTS)
        lines = (f'{{"_time":"2026-01-01T00:00:00.{number:06}Z","id":{number},"text":"t{number}t{number}"}}\n'
                 for number in numbers)
        path = f"/v1/datasets/{DATASET}/ingest"
        service.call("POST", path, "".join(lines).encode(), content_type="application/x-ndjson")
    service.stop()
    return root


class SpillAttempt(Attempt):
    SETTINGS = LARGE

    def make_clients(self):
        ledger, moments = Ledger(0), Moments()
        return [Retrying(0, self.bench.seed, ledger, moments)]

    def begin_folder(self):
        return self.bench.spill_begin()

    def drive(self, client, service):
        client.service = service
        for number in range(ASKED):
            if number == LASTS and self.control.struck() and not self.is_late():
                self.control.lift()
            client.step("query", self.ask, service, client.outcomes)

    def ask(self, service, outcomes):
        try:
            rows = service.rows(QUESTION)
        except Refused as refused:
            # A full disk is one on which nothing can be put aside; a broken one is something else.
            if refused.status != OUT_OF_MEMORY or not self.fault or self.fault.error != "ENOSPC":
                raise
            outcomes.refused("query", refused)
            return
        outcomes.note("query", 200, "")
        if rows != RIGHT:
            self.problems.append(f"{DATASET}: the answer is {rows}")

    def left(self):
        """What is left of a question after its answer. Its threads may still be about to give it up."""
        until = time.monotonic() + GONE_SECONDS
        while True:
            left = [path for path in (self.root / "data" / "spill").rglob("*") if path.is_file()]
            if not left or time.monotonic() > until:
                return left
            time.sleep(PAUSE_SECONDS)

    def verify(self, promises, point):
        found, log = [], self.root / "log"
        try:
            service = Service(self.bench.binary, self.root, log, settings=LARGE)
        except DidNotStart as reason:
            return [f"the service did not start: {reason}"]
        try:
            self.ask(service, Outcomes())
            left = self.left()
            found += [f"{left} is left of a question that was answered"] if left else []
        except (Refused, OSError) as error:
            found.append(f"the service does not answer as it should: {error}")
        finally:
            service.kill()
        return found + say_panic(log)
