"""Senders over TCP whose protocol acknowledges nothing, syslog and GELF, while the service is killed, stopped and started
again. What may be lost is the end of what went over a connection that broke: of each connection the beginning is stored, in
one piece and once. What was found before stays, and what goes over a connection that ends in peace is all there."""

import json
import socket
import threading
import time
from collections import Counter
from pathlib import Path

from service import WAIT_SECONDS, Service, equal
from syslog_daemons import rsyslog_command
from unpacked import Unpacked

# How the service ends, one after the other.
ENDS = [Service.kill, Service.stop, Service.kill]
PACE_SECONDS, REST_SECONDS = 0.002, 0.02
# How many lines rsyslog is handed between two of them, and after the last.
LINES = 200


def counted(number):
    message = f"<12>1 - - numbers - - - {number}"
    return f"{len(message)} {message}".encode()


def by_line(number):
    return f"<12>1 - - numbers-by-line - - - {number}\n".encode()


def graylog(number):
    return json.dumps({"version": "1.1", "host": "here", "short_message": str(number)}).encode() + b"\0"


class Numbers:
    """Sends one number after the other, and the next ones over a new connection when one breaks, as senders do that are told
    nothing: what they have written is done for them."""

    def __init__(self, service, frame, port, dataset, where):
        self.service, self.frame, self.port, self.dataset, self.where = service, frame, port, dataset, where
        # What went over each connection.
        self.connections = []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        number = 0
        while not self.is_over.is_set():
            try:
                with socket.create_connection((self.service.host, self.service.ports[self.port]), WAIT_SECONDS) as connection:
                    sent = []
                    self.connections.append(sent)
                    while not self.is_over.is_set():
                        sent.append(number)
                        number += 1
                        connection.sendall(self.frame(sent[-1]))
                        time.sleep(PACE_SECONDS)
                    connection.shutdown(socket.SHUT_WR)
                    # The other side ends it when it has read all.
                    while connection.recv(1):
                        pass
            except OSError:
                time.sleep(REST_SECONDS)

    def stored(self):
        found = Counter(int(text) for text in self.service.values(self.dataset, "message", self.where))
        equal((self.dataset, "twice", [n for n, times in found.items() if times > 1]), (self.dataset, "twice", []))
        return set(found)

    def await_stored(self, number):
        apl = f"['{self.dataset}'] | where {self.where} and message == '{number}' | summarize count()"
        self.service.await_rows(apl, [(1,)])

    def await_connection(self, after):
        """A connection over which something went, behind so many others."""
        until = time.monotonic() + WAIT_SECONDS
        while len(self.connections) <= after or not self.connections[-1]:
            if not self.thread.is_alive() or time.monotonic() > until:
                raise AssertionError(f"{self.dataset}: nothing is sent any more")
            time.sleep(REST_SECONDS)

    def check(self):
        """How many were sent, and how many of them were lost."""
        self.is_over.set()
        self.thread.join(WAIT_SECONDS)
        last = self.connections[-1]
        self.await_stored(last[-1])
        stored = self.stored()
        for sent in self.connections:
            there = [number for number in sent if number in stored]
            equal((self.dataset, there), (self.dataset, sent[: len(there)]))
        equal((self.dataset, "of the last connection", len(stored & set(last))), (self.dataset, "of the last connection", len(last)))
        sent = {number for sent in self.connections for number in sent}
        equal((self.dataset, "unknown", sorted(stored - sent)), (self.dataset, "unknown", []))
        return len(sent), len(sent - stored)


def unacknowledged(service, debian=None):
    folder = service.folder / "unacknowledged"
    folder.mkdir()
    ended = Service(service.binary, folder)
    try:
        ended.open_ports(["syslog-tcp", "gelf-tcp"], "unacknowledged")
        all_numbers = [
            Numbers(ended, counted, "syslog-tcp", "unacknowledged-syslog", "appname == 'numbers'"),
            Numbers(ended, by_line, "syslog-tcp", "unacknowledged-syslog", "appname == 'numbers-by-line'"),
            Numbers(ended, graylog, "gelf-tcp", "unacknowledged-gelf", "host == 'here'"),
        ]
        for numbers in all_numbers:
            numbers.thread.start()
        for end in ENDS:
            end_while_they_send(ended, end, all_numbers)
        checked = [numbers.check() for numbers in all_numbers]
        if debian:
            lost = lines_of_rsyslog(ended, Unpacked(Path(debian), folder))
            print(f"senders: rsyslog over TCP past {len(ENDS)} ends of the service, {lost} lines lost", flush=True)
    finally:
        ended.kill()
    sent, lost = map(sum, zip(*checked))
    print(f"senders: syslog and GELF over TCP past {len(ENDS)} ends, {lost} of {sent} lost, each behind what is stored", flush=True)


def end_while_they_send(service, end, all_numbers):
    for numbers in all_numbers:
        numbers.await_connection(0)
        numbers.await_stored(numbers.connections[-1][-1])
    found = [numbers.stored() for numbers in all_numbers]
    connections = [len(numbers.connections) for numbers in all_numbers]
    end(service)
    service.start()
    for numbers, before, count in zip(all_numbers, found, connections):
        equal((numbers.dataset, "found and gone", sorted(before - numbers.stored())), (numbers.dataset, "found and gone", []))
        numbers.await_connection(count)


def lines_of_rsyslog(service, found):
    """It keeps what it could not write, so that what it loses is what a broken connection had taken: one piece for each end."""
    lines, command = rsyslog_command(found, service.ports["syslog-tcp"], "", stream='action.resumeInterval="1"')
    numbers = Numbers(service, None, None, "unacknowledged-syslog", "appname == 'rsyslog'")
    written = 0

    def write():
        nonlocal written
        with open(lines, "a") as file:
            file.writelines(f"{number}\n" for number in range(written, written + LINES))
        written += LINES

    with found.running(command):
        for end in ENDS:
            write()
            numbers.await_stored(written - 1)
            before = numbers.stored()
            end(service)
            write()
            service.start()
            equal(("rsyslog", "found and gone", sorted(before - numbers.stored())), ("rsyslog", "found and gone", []))
        # Over the new connection everything comes, also what it could not write to the one before.
        write()
        numbers.await_stored(written - 1)
    stored = numbers.stored()
    lost = sorted(set(range(written)) - stored)
    pieces = [number for number in lost if number - 1 not in lost]
    equal(("rsyslog", len(pieces) <= len(ENDS), pieces), ("rsyslog", True, pieces))
    equal(("rsyslog", "lost at last", [n for n in lost if n >= written - LINES]), ("rsyslog", "lost at last", []))
    return len(lost)
