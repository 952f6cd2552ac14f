"""Which senders live through trouble, and how it is told afterwards that nothing was lost: each is handed numbers until it
is over; all of them must be stored then, none may have been given up, and where there is a key none is there twice."""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import retrying
import rust as of_rust
from gateway import LOST, REFUSALS
from ledger import Ledger
from retrying_otlp import OVER_GRPC, OVER_HTTP
from retrying_programs import of_debian, of_npm
from service import WAIT_SECONDS, equal
from unpacked import Unpacked

DATASET = "matrix"


class Sender:
    """A sender, where it sends to, and what is in its way there."""

    def __init__(self, send, gateway, field="body", troubles=(*REFUSALS, LOST), has_key=False, tag=None, where=None):
        self.send, self.gateway, self.field, self.troubles, self.has_key = send, gateway, field, troubles, has_key
        self.name = send.__name__.replace("_", "-")
        # Those of Fluent forward share a port, and so a dataset.
        self.dataset = f"{DATASET}-fluent" if tag else f"{DATASET}-{self.name}"
        self.where = f"tag startswith '{tag}'" if tag else where
        self.ledger = Ledger()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        try:
            self.send(self.gateway, self.dataset, self.ledger)
        except Exception as error:  # Whoever waits for the sender is told.
            self.ledger.fail(error)
        finally:
            self.ledger.is_handed_over.set()

    def stored(self, service):
        """How often each number is there."""
        if service.count(self.dataset) == 0:
            return Counter()
        return Counter(int(text) for text in service.values(self.dataset, self.field, self.where))

    def check(self, service):
        """After the end, waiting for what the sender still has: everything must come, and as often as it may."""
        if not self.ledger.is_handed_over.wait(WAIT_SECONDS):
            raise AssertionError(f"{self.name} does not end")
        expected, until = set(range(self.ledger.sent)), time.monotonic() + WAIT_SECONDS
        while expected - (stored := self.stored(service)).keys() and time.monotonic() < until and not self.ledger.error:
            time.sleep(0.2)
        self.ledger.is_checked.set()
        self.thread.join(WAIT_SECONDS)
        if self.ledger.error:
            raise AssertionError(self.name) from self.ledger.error
        equal((self.name, "gave up", sorted(self.ledger.given_up)), (self.name, "gave up", []))
        equal((self.name, "lost", sorted(expected - stored.keys())), (self.name, "lost", []))
        equal((self.name, "unknown", sorted(stored.keys() - expected)), (self.name, "unknown", []))
        twice = sorted(n for n, times in stored.items() if times > 1)
        if self.has_key:
            equal((self.name, "twice", twice), (self.name, "twice", []))
        return len(expected), len(twice)


def all_senders(service, http, grpc, fluent, node=None, debian=None, rust=None):
    """Every sender, each by a way of its own to the service: over HTTP, over gRPC or to the port for Fluent forward. Those of
    npm, of Debian and of crates.io where they are given."""
    senders = [Sender(send, http(service), field) for send, field in OVER_HTTP]
    senders += [Sender(send, grpc(service), field) for send, field in OVER_GRPC]
    senders += [Sender(send, http(service)) for send in (retrying.elastic, retrying.opensearch, retrying.honeycomb)]
    senders += [Sender(send, http(service), "message") for send in (retrying.datadog, retrying.gelf)]
    # These take 429 for an answer that lasts.
    no_429 = [(503, None), (503, 1), LOST]
    senders += [Sender(retrying.splunk, http(service), "_raw", troubles=no_429)]
    senders += [Sender(retrying.logplex, http(service), "message", troubles=no_429, has_key=True)]
    senders += [Sender(retrying.cloudevents, http(service), "id", has_key=True)]
    senders += [Sender(retrying.remote_write, http(service), "value")]
    senders += [Sender(send, http(service), "n", has_key=True) for send in (retrying.firehose, retrying.messagepack)]
    to_port = {"field": "n", "troubles": [LOST, LOST]}
    senders += [Sender(retrying.fluent, fluent(service), has_key=True, tag="keyed", **to_port)]
    if node:
        fluent_logger, winston_loki, otlp_json, elastic_node = of_npm(node)
        senders += [Sender(fluent_logger, fluent(service), tag="retrying", **to_port)]
        senders += [Sender(winston_loki, http(service), "message")]
        senders += [Sender(send, http(service)) for send in (otlp_json, elastic_node)]
    if debian:
        journal_upload, vmagent, syslog_ng, prometheus = of_debian(Unpacked(Path(debian), service.folder))
        senders += [Sender(journal_upload, http(service), "SHOP_NUMBER"), Sender(vmagent, http(service), "value")]
        senders += [Sender(syslog_ng, http(service), "MESSAGE")]
        # Where the page is not read in time, a mark without a value says so.
        senders += [Sender(prometheus, http(service), "value", where="isnotnull(value)")]
    if rust:
        for transport, way in [("http", http), ("grpc", grpc)]:
            senders += [Sender(send, way(service), field) for send, field in of_rust.retrying(rust, transport)]
    return senders


def together(works):
    """Does all at once, and fails with the first that failed."""
    with ThreadPoolExecutor(40) as pool:
        return [done.result() for done in [pool.submit(work) for work in works]]
