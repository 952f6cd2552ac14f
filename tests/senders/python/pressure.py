"""Senders that try again, all at once, while things go wrong: gateways before the service refuse requests or lose answers,
the service counts too many requests, its disk is full, it is started anew. Whatever was handed to a sender is there
afterwards, and where the protocol has a key against repetition nothing is there twice."""

import logging
import os
import secrets
import subprocess
import threading
import time
import urllib.error
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from gateway import GrpcGateway, HttpGateway, TcpGateway
from matrix import DATASET, all_senders, together
from service import WAIT_SECONDS, Service, equal
from syslog_daemons import rsyslog_command
from unpacked import Unpacked

# Room for two files of the write log, each of which is as long from its beginning as it may get.
DISK_BYTES = 256 << 20
# Texts of a probe, which no compression makes much shorter, and are not so long that they would be left out. A few such
# requests need the next file.
PROBE_TEXTS, TEXT_BYTES = 16, 256 << 10
# How long the service refuses, or has no room.
HELD_UP_SECONDS = 1.5
# How many more are acknowledged between two troubles.
MORE = 20
LINES = 500


def pressure(service, node=None, debian=None, rust=None):
    """With a service of its own, and with what npm, Debian and crates.io have where it is given."""
    folder = service.folder / "pressed"
    # Exporters tell of each attempt that fails.
    logging.disable(logging.CRITICAL)
    with small_disk(folder) as disk:
        pressed, senders = Service(service.binary, folder), []
        try:
            pressed.open_ports(["fluent-listen", "syslog-tcp"], DATASET)
            to_fluent = lambda behind: TcpGateway(behind, pressed.ports["fluent-listen"])
            senders = all_senders(pressed, HttpGateway, GrpcGateway, to_fluent, node, debian, rust)
            for sender in senders:
                sender.thread.start()
            together(lambda sender=sender: hinder(sender) for sender in senders)
            # Last the full disk, behind which so much waits in memory that a stop takes long.
            for trouble in [too_many, started_anew, *([full] if disk else [])]:
                trouble(pressed)
                together(lambda sender=sender: sender.ledger.await_more(MORE) for sender in senders)
            for sender in senders:
                sender.ledger.is_over.set()
            checked = together(lambda sender=sender: sender.check(pressed) for sender in senders)
            if disk and debian:
                lines_while_full(pressed, Unpacked(Path(debian), folder))
        finally:
            pressed.kill()
            for sender in senders:
                sender.gateway.close()
    logging.disable(logging.NOTSET)
    events, twice = map(sum, zip(*checked))
    print(f"senders: {len(senders)} past all troubles, {events} events, none lost, {twice} without a key twice", flush=True)


def hinder(sender):
    """One trouble at a time, each of which the next request meets."""
    for trouble in sender.troubles:
        sender.ledger.await_more(MORE)
        sender.gateway.upcoming.append(trouble)
        sender.gateway.await_used()
    sender.ledger.await_more(MORE)


def too_many(service):
    """The service itself refuses: so few requests in a second that those of one sender would be enough."""
    service.set_limits("apiRateLimitPerSecond=2")
    await_refusal(service, {429}, 1)
    time.sleep(HELD_UP_SECONDS)
    service.set_limits("apiRateLimitPerSecond=10000")


def full(service):
    """Nothing can be written until somebody makes room."""
    ballast = service.folder / "data" / "ballast"
    with open(ballast, "wb") as file:
        try:
            while True:
                file.write(bytes(1 << 20))
        except OSError:
            pass
    # 503 where the catalogue is what cannot write.
    await_refusal(service, {503, 507}, PROBE_TEXTS)
    time.sleep(HELD_UP_SECONDS)
    ballast.unlink()


def await_refusal(service, statuses, texts):
    """Sends so many texts until they are refused so, as requests with our own events are."""
    told, until = Counter(), time.monotonic() + WAIT_SECONDS
    while not statuses & told.keys():
        if time.monotonic() > until:
            raise AssertionError(f"the service did not refuse with {statuses} but with {told}")
        try:
            service.call("/v1/ingest/matrix-probe", [{"filler": secrets.token_urlsafe(TEXT_BYTES)} for _ in range(texts)])
            told[200] += 1
        except urllib.error.HTTPError as error:
            told[error.code] += 1


def started_anew(service):
    service.stop()
    service.start()


@contextmanager
def small_disk(folder):
    """A disk in memory, which only root can mount. Without one, nothing is tried with a full disk."""
    data = folder / "data"
    data.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=700", "tmpfs", str(data)]
    is_mounted = os.geteuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0
    if not is_mounted:
        print("senders: a full disk not run (only root can mount one)", flush=True)
    try:
        yield is_mounted
    finally:
        if is_mounted:
            subprocess.run(["umount", str(data)], check=True)


def lines_while_full(service, found):
    """rsyslog keeps what is not read, and sends it when there is room. It hears of nothing that is lost on the way, so that
    the service is not stopped meanwhile."""
    lines, command = rsyslog_command(found, service.ports["syslog-tcp"], "")
    with found.running(command):
        expected = []
        for part in range(3):
            if part == 1:
                ballast = threading.Thread(target=full, args=(service,))
                ballast.start()
                time.sleep(HELD_UP_SECONDS / 2)
            added = [f"line {number} of part {part}" for number in range(LINES)]
            with open(lines, "a") as file:
                file.writelines(f"{line}\n" for line in added)
            expected += added
        ballast.join()
        service.await_count(f"{DATASET}-syslog", len(expected))
    equal(service.values(f"{DATASET}-syslog", "message"), sorted(expected))
