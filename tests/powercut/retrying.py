"""A client that goes on while things fail: it repeats what has a key until it is acknowledged, leaves open what has none,
and looks at the answers that it gets meanwhile."""

import collections
import http.client
import json
import random
import re
import threading
import time

from ledger import Act, Promises
from service import Refused
from verify import Check
from work import EXPIRED, Client

# The service says that nothing was stored.
DISK_FULL = 507
TIMED_OUT = 504

PAUSE_SECONDS = 0.1

# What differs from one run to the next in a message.
VARYING = re.compile(r"[0-9a-f]{16,}|[0-9A-Za-z]{20,}|/\S+/|\b\d+\b")


class Failed(Exception):
    """A request failed as it may while there is a fault."""


class Outcomes:
    """What the client saw, with how often it did."""

    def __init__(self):
        self.seen = collections.Counter()

    def note(self, what, status, message):
        self.seen[what, str(status), VARYING.sub("…", message)[:160]] += 1

    def refused(self, what, refused):
        try:
            message = json.loads(refused.text)["message"]
        except (ValueError, KeyError, TypeError):
            message = refused.text
        self.note(what, refused.status, message)

    def failures(self):
        return sum(count for (_, status, _), count in self.seen.items() if not status.startswith("2"))


class Moments:
    """Tells what was before what, for all clients of a run."""

    def __init__(self):
        self.last = 0
        self.lock = threading.Lock()

    def __deepcopy__(self, memo):
        copied = memo[id(self)] = Moments()
        copied.last = self.last
        return copied

    def next(self):
        with self.lock:
            self.last += 1
            return self.last


class Retrying(Client):
    """Its requests are made one after the other."""

    def __init__(self, number, seed, ledger, moments):
        super().__init__(number, seed, None, ledger)
        self.moments, self.outcomes = moments, Outcomes()
        self.outstanding, self.wrong = [], []
        # Apart from what is done, so that the same is done whatever is looked at.
        self.looking = random.Random(f"look {seed} {number}")

    def acts(self):
        return {
            self.ingest: 9, self.ingest_with_key: 14, self.repeat: 3, self.flush: 6, self.delete: 3, self.trim: 1,
            self.make_dataset: 2, self.end_dataset: 1, self.make_token: 2, self.end_token: 1, self.retain: 2,
            self.ask: 3,
        }

    def steps(self, service, count):
        """Makes so many requests, and stops after each for who looks on."""
        self.service = service
        acts = self.acts()
        for act in self.chance.choices(list(acts), list(acts.values()), k=count):
            self.step(act.__name__, act)
            yield

    def step(self, what, act, *arguments):
        try:
            act(*arguments)
        except Failed:
            pass
        except Refused as refused:
            self.outcomes.refused(what, refused)
            if not may_fail(refused.status):
                self.wrong.append(f"{what} is answered with {refused}")
        except (OSError, http.client.HTTPException) as error:
            self.outcomes.note(what, "none", type(error).__name__)
        except SystemExit as reason:
            self.wrong.append(str(reason))

    def act(self, kind, what, method, path, body=None, headers=None, content_type="application/json"):
        self.sent += 1
        act = Act(f"{self.number}-{self.sent}", kind, what, 0, self.moments.next())
        self.ledger.note(act)
        try:
            answer, said = self.service.call(method, path, body, headers, content_type)
        except Refused as refused:
            if not may_fail(refused.status):
                self.ledger.forget(act)
                raise
            self.outcomes.refused(kind, refused)
            if refused.status == DISK_FULL and kind == "ingest":
                self.ledger.forget(act)
            elif refused.status != TIMED_OUT:
                act.refused_at = self.moments.next()
            raise Failed from refused
        except (OSError, http.client.HTTPException) as error:
            self.outcomes.note(kind, "none", type(error).__name__)
            raise Failed from error
        act.acknowledged_at = self.moments.next()
        self.outcomes.note(kind, answer.status, "")
        return said

    def if_there(self, make, *request):
        try:
            make(*request)
        except Refused as refused:
            if refused.status not in (400, 404):
                raise
            promises = Promises(self.ledger)
            for name, thing in promises.datasets.items():
                is_meant = any(f"'{name}'" in str(part) or f"/{name}" in str(part) or name == part for part in request)
                if is_meant and thing.must_be(self.moments.last):
                    self.wrong.append(f"{name} is there, and the answer is {refused}")

    # What has a key is repeated.

    def send(self, batch):
        try:
            super().send(batch)
        except Failed:
            if batch.key and batch not in self.outstanding:
                self.outstanding.append(batch)
            raise
        if batch in self.outstanding:
            self.outstanding.remove(batch)

    def retry(self):
        """Repeats what failed longest ago."""
        if self.outstanding:
            self.outstanding.append(self.outstanding.pop(0))
            self.step("ingest", self.send, self.outstanding[-1])

    def settle(self, seconds):
        """Repeats all that failed until nothing does. Says whether it came to that."""
        until = time.monotonic() + seconds
        while self.outstanding and time.monotonic() < until and self.service.process.poll() is None:
            self.retry()
            if self.outstanding:
                time.sleep(PAUSE_SECONDS)
        return not self.outstanding

    def look(self):
        """Reads a dataset. An answer must be right; it need not come."""
        promises = Promises(self.ledger)
        # Events that are too old go at a time that nobody knows, which may be between two questions.
        there = [name for name, thing in promises.datasets.items() if thing.must_be(self.moments.last)]
        names = [name for name in there if name != EXPIRED]
        if names:
            self.step("query", self.compare, self.looking.choice(names), promises)

    def compare(self, name, promises):
        check = Check(self.service, promises, self.moments.next())
        check.compare_events(name, set())
        self.outcomes.note("query", 200, "")
        self.wrong += [f"{found} (answered while there was a fault)" for found in check.found]


def may_fail(status):
    return status >= 500 or status == 429
