"""What a sender hands over, what it is told of it, and whether it should go on."""

import itertools
import threading
import time

from service import WAIT_SECONDS

# How many are sent together, and how long a sender rests then: so slow that an answer has room for all that is sent.
TOGETHER, PACE_SECONDS = 20, 0.15


class Ledger:
    def __init__(self):
        self.acknowledged = set()
        # How many were handed to the sender, and what it said that it gave up.
        self.sent, self.given_up = 0, set()
        # What ended the sender, if it should not have.
        self.error = None
        self.changed = threading.Condition()
        self.is_over = threading.Event()
        # Nothing more is handed over; and all of it was looked up, so that nobody need go on trying.
        self.is_handed_over, self.is_checked = threading.Event(), threading.Event()

    def add(self, numbers):
        with self.changed:
            self.acknowledged.update(numbers)
            self.changed.notify_all()

    def fail(self, error):
        with self.changed:
            self.error = error
            self.changed.notify_all()

    def await_more(self, more):
        with self.changed:
            enough = len(self.acknowledged) + more
            self.changed.wait_for(lambda: self.error or len(self.acknowledged) >= enough, WAIT_SECONDS)
            if self.error:
                raise self.error
            if len(self.acknowledged) < enough:
                raise AssertionError(f"{len(self.acknowledged)} events were acknowledged, {enough} were expected")

    def batches(self):
        """Numbers to send, some at a time, until it is over."""
        for begin in itertools.count(step=TOGETHER):
            if self.is_over.is_set():
                return
            self.sent = begin + TOGETHER
            yield range(begin, begin + TOGETHER)
            time.sleep(PACE_SECONDS)
