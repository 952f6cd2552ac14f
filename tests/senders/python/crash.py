"""Kills the service while all senders send at once, and starts it again: whatever was handed to a sender is there afterwards,
and exactly once where the protocol has a key against repetition. Nothing stands between, so that senders see connections
that break and ports where nobody listens."""

import logging

from gateway import Direct
from matrix import DATASET, all_senders, together
from service import Service

KILLS = 3
# How many more must be acknowledged to each before a kill.
BETWEEN_KILLS = 40


def crash(service, node=None, debian=None, rust=None):
    # Exporters tell of each attempt that fails.
    logging.disable(logging.CRITICAL)
    folder = service.folder / "killed"
    folder.mkdir()
    killed = Service(service.binary, folder)
    try:
        killed.open_ports(["fluent-listen"], DATASET)
        to_fluent = lambda behind: Direct(behind, killed.ports["fluent-listen"])
        senders = all_senders(killed, Direct, Direct, to_fluent, node, debian, rust)
        for sender in senders:
            sender.thread.start()
        for _ in range(KILLS):
            together(lambda sender=sender: sender.ledger.await_more(BETWEEN_KILLS) for sender in senders)
            killed.kill()
            killed.start()
        together(lambda sender=sender: sender.ledger.await_more(BETWEEN_KILLS) for sender in senders)
        for sender in senders:
            sender.ledger.is_over.set()
        checked = together(lambda sender=sender: sender.check(killed) for sender in senders)
    finally:
        killed.kill()
    logging.disable(logging.NOTSET)
    events, twice = map(sum, zip(*checked))
    print(f"senders: {len(senders)} past {KILLS} kills, {events} events, none lost, {twice} without a key twice", flush=True)
