"""One fault: the service runs on a folder, something fails, the clients go on, and then all is looked at. What fails is
a call on the disk here; objectfaults.py has requests to an object store fail in the same way."""

import copy
import dataclasses
import http.client
import json
import random
import re
import shutil
import subprocess
import threading
import time

import recording
import trace
import verify
from control import LASTING, Control
from cut import Cut, Manner
from disk import Disk
from ledger import Ledger, Promises
from plan import CUT, KILL, STOP_LATE
from retrying import Moments, Outcomes, Retrying
from service import TOKEN_FILE, DidNotStart, Refused, Service
from work import CLIENTS

# Short, so that what waits for ever is noticed, and the service's own files are few.
SETTINGS = {
    "request-timeout-seconds": 15,
    "query-timeout-seconds": 15,
    "shutdown-grace-seconds": 5,
    "flush-rows": 60,
    "flush-age-seconds": 1,
}

# How many requests the folder has seen on which later stages begin.
BEFORE = 45

# A fault that lasts goes on for so many requests after it struck.
LASTS = 8

# When there is no fault any more, what has a key is taken within this time.
PATIENCE_SECONDS = 30
END_SECONDS = 60


@dataclasses.dataclass(frozen=True)
class Stage:
    """A life of the service in which a call fails."""

    is_new: bool
    # Whether calls count from the start, or only once the service listens.
    has_start: bool
    clients: int
    # Of each client.
    requests: int


STAGES = {
    "first": Stage(True, True, 1, 10),
    "next": Stage(False, True, 1, 6),
    "work": Stage(False, False, 1, 22),
    "crowd": Stage(False, False, CLIENTS, 12),
    # A question that needs the disk (spilling.py).
    "spill": Stage(False, False, 1, 0),
}

# A message that names the cause has one of these in it. The names of SQLite are its own.
CAUSES = re.compile(
    r"Input/output error|No space left|Read-only file system|disk is full|disk of the catalogue is full|room on the disk|"
    r"disk I/O error|database or disk is full|unable to open database file|readonly database|disk image is malformed")
# How reasons and warnings of /readyz begin.
READINESS = re.compile(r'"(?:catalogue|log|segments): ')
PANIC = re.compile(r"panicked|stack backtrace|RUST_BACKTRACE")

UNNOTED = "writing segments without noting which"

SHOWN_BYTES = 1500


class Bench:
    """What faults are tried on: a binary, a new folder, and a used one with what was promised in it before."""

    def __init__(self, binary, folder, library, seed):
        self.binary, self.folder, self.library, self.seed = binary, folder, library, seed
        self.begin = {True: folder / "begin-new", False: folder / "begin-used"}
        self.clients = {}

    def prepare(self):
        for root in self.begin.values():
            root.mkdir()
            if self.seed % 2:
                (root / TOKEN_FILE).write_text(recording.TOKEN + "\n")
        ledger, moments = Ledger(int(time.time()) - recording.BASE_AGE_SECONDS), Moments()
        clients = [Retrying(number, self.seed, ledger, moments) for number in range(CLIENTS)]
        self.clients[True] = copy.deepcopy(clients)
        service = self.start(self.begin[False])
        for client in clients:
            for _ in client.steps(service, BEFORE // CLIENTS):
                pass
        service.kill()
        for client in clients:
            if client.outstanding or client.wrong:
                raise SystemExit(f"without any fault: {client.wrong or client.outcomes.seen}")
            client.service, client.outcomes = None, Outcomes()
        self.clients[False] = clients

    def start(self, root):
        """The service on a folder on which others will go on."""
        return Service(self.binary, root, self.folder / "log", settings=SETTINGS)

    def attempt(self, stage, fault):
        return Attempt(self, stage, fault)

    def count(self, stage):
        """Runs a stage without a fault and counts its calls: all, and those before it was told to stop."""
        attempt = self.attempt(stage, None)
        attempt.run()
        if attempt.problems:
            raise SystemExit(f"without any fault: {'; '.join(attempt.problems)}")
        attempt.clean()
        return attempt.counts, attempt.counts_before_end


class Attempt:
    CAUSES, SETTINGS = CAUSES, SETTINGS

    def __init__(self, bench, stage, fault):
        self.bench, self.stage, self.fault = bench, STAGES[stage], fault
        name = str(fault or stage).replace("/", "-").replace(":", "_")
        self.root = bench.folder / f"run-{name}"
        self.trace = bench.folder / f"trace-{name}"
        self.log = bench.folder / f"log-{name}"
        self.clients = self.make_clients()
        self.ledger, self.moments = self.clients[0].ledger, self.clients[0].moments
        self.problems, self.struck, self.struck_path, self.ended = [], 0, "", None
        self.is_unnoted = False
        # Where the service said what is wrong: in answers, when asked whether it is ready, in its log.
        self.said = set()
        self.counts, self.counts_before_end = {}, {}
        # What happened beside requests.
        self.outcomes = Outcomes()

    def make_clients(self):
        # All of them, so that they go on sharing what they share.
        return copy.deepcopy(self.bench.clients[self.stage.is_new])[:self.stage.clients]

    def begin_folder(self):
        """What it begins with."""
        return self.bench.begin[self.stage.is_new]

    def run(self):
        shutil.copytree(self.begin_folder(), self.root)
        self.control = self.make_control()
        try:
            self.live()
            self.struck, self.struck_path = self.control.struck(), self.control.struck_path()
            self.counts = self.control.counts()
            for client in self.clients:
                self.outcomes.seen.update(client.outcomes.seen)
                self.problems += client.wrong
            self.read_log()
            if self.fault and self.fault.end == CUT:
                self.cut()
            found = self.verify(Promises(self.ledger), self.moments.next())
            self.problems += [problem for problem in found if not (self.is_unnoted and verify.ORPHANED in problem)]
        finally:
            self.control.close()

    def make_control(self):
        """Through which there are faults."""
        return Control(self.bench.folder / f"control-{self.root.name}")

    def start(self):
        recorder = self.bench.library, self.trace if self.fault and self.fault.end == CUT else None
        return Service(
            self.bench.binary, self.root, self.log, recorder, self.SETTINGS, self.control.environment(self.fault))

    def verify(self, promises, point):
        found = verify.problems(self.bench.binary, self.root, promises, point)
        return found or verify.problems(self.bench.binary, self.root, promises, point, is_again=True)

    def clean(self):
        shutil.rmtree(self.root, ignore_errors=True)
        for path in (self.trace, self.log):
            path.unlink(missing_ok=True)

    def live(self):
        """The life of the service in which it has the fault."""
        if self.stage.has_start:
            self.control.arm()
        try:
            service = self.start()
        except DidNotStart as reason:
            self.outcomes.note("start", "none", last_line(str(reason)))
            self.ended = "did not start"
            return
        self.control.arm()
        try:
            self.work(service)
            self.counts_before_end = self.control.counts()
            self.end(service)
        finally:
            if service.process.poll() is None:
                service.process.kill()
                service.process.wait()

    def work(self, service):
        threads = [threading.Thread(target=self.drive, args=(client, service)) for client in self.clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # What has not struck yet may, while the service stops.
        if self.is_late() or not self.control.struck():
            return
        self.control.lift()
        for client in self.clients:
            if not client.settle(PATIENCE_SECONDS) and service.process.poll() is None:
                self.problems.append(f"what has a key is not taken {PATIENCE_SECONDS} s after the fault was lifted: "
                                     f"{client.outcomes.seen.most_common(3)}")
                return

    def drive(self, client, service):
        """Has a client work. A fault that lasts goes on for some requests and is lifted then."""
        since = 0
        try:
            for _ in client.steps(service, self.stage.requests):
                if service.process.poll() is not None:
                    return
                if self.control.struck():
                    since += 1
                    client.retry()
                    self.ask_whether_ready(service)
                    # Where others are at work, nobody knows what was before an answer and what after.
                    if self.stage.clients == 1:
                        client.look()
                if since > LASTS and not self.is_late():
                    self.control.lift()
        except Exception as error:  # noqa: BLE001 - a thread has nobody to raise it to
            self.problems.append(f"a client failed: {error!r}")

    def ask_whether_ready(self, service):
        try:
            told = json.dumps(service.call("GET", "/readyz")[1])
        except Refused as refused:
            told = refused.text
        except (OSError, http.client.HTTPException):
            # It ended, which is looked at elsewhere.
            return
        if READINESS.search(told):
            self.said.add("readiness")

    def is_late(self):
        """Whether a fault that lasts is lifted only after the service has ended. A lie would be made good otherwise."""
        lasts = self.fault is not None and self.fault.times == LASTING
        return lasts and (self.fault.end == STOP_LATE or self.fault.error == "lie")

    def end(self, service):
        if service.process.poll() is not None:
            self.ended = f"ended by itself with {service.process.returncode}"
            self.outcomes.note("end", service.process.returncode, last_line(self.log.read_text(errors="replace")))
            service.kill()
            return
        if self.fault and self.fault.end in (KILL, CUT):
            service.kill()
            return
        service.process.terminate()
        try:
            service.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.problems.append(f"it does not stop within {END_SECONDS} s")
            service.process.kill()
        service.stop()
        if service.process.returncode:
            self.outcomes.note("stop", service.process.returncode, last_line(self.log.read_text(errors="replace")))

    def read_log(self):
        """Looks whether the service said what is wrong, and no more than that."""
        text = self.log.read_text(errors="replace")
        said = " ".join([text, *(message for _, _, message in self.outcomes.seen)])
        if PANIC.search(text):
            self.problems.append(f"it panicked: {text[-SHOWN_BYTES:]}")
        failures = self.outcomes.failures()
        if failures and not self.struck:
            self.problems.append(f"requests failed although no call did: {dict(self.outcomes.seen)}")
        answers = " ".join(message for _, _, message in self.outcomes.seen)
        self.said |= {place for place, where in (("answers", answers), ("log", text)) if self.CAUSES.search(where)}
        # A full disk has no room for the note; an object whose writing is cut off then stays until it is an orphan of days.
        self.is_unnoted = UNNOTED in text
        if failures and not self.CAUSES.search(said):
            self.problems.append(f"it does not name the cause: {text[-SHOWN_BYTES:] or 'it says nothing'}")

    def cut(self):
        """Takes away all that no sync made durable: one that failed has lost what it was to write."""
        disk = Disk()
        disk.load(self.begin_folder())
        for record in trace.read(self.trace):
            disk.replay(record)
        shutil.rmtree(self.root)
        Cut(disk, Manner.NOTHING, random.Random(0)).store(self.root)


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it says nothing"
