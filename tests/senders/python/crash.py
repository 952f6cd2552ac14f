"""Kills the service while senders send, and starts it again: what a sender was told to be stored is there afterwards,
and exactly once where the protocol has a key against repetition."""

import http.client
import itertools
import logging
import threading
import urllib.error
import urllib.request
from collections import Counter

import libhoney
from cloudevents.core.bindings.http import to_binary_event
from cloudevents.core.v1.event import CloudEvent
from elasticsearch import ApiError, Elasticsearch, TransportError, helpers
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExporter, LogRecordExportResult

from service import WAIT_SECONDS, equal
from telemetry import over_grpc, over_http

KILLS = 3
# How many more must be acknowledged before each kill, and how many are sent together.
BETWEEN_KILLS, TOGETHER = 100, 20


class Ledger:
    """What a sender was told to be stored, and whether it should go on."""

    def __init__(self):
        self.acknowledged = set()
        self.changed = threading.Condition()
        self.is_over = threading.Event()

    def add(self, numbers):
        with self.changed:
            self.acknowledged.update(numbers)
            self.changed.notify_all()

    def await_more(self):
        with self.changed:
            enough = len(self.acknowledged) + BETWEEN_KILLS
            if not self.changed.wait_for(lambda: len(self.acknowledged) >= enough, WAIT_SECONDS):
                raise AssertionError(f"{len(self.acknowledged)} events were acknowledged, {enough} were expected")

    def batches(self):
        """Numbers to send, some at a time, until it is over."""
        for begin in itertools.count(step=TOGETHER):
            if self.is_over.is_set():
                return
            yield range(begin, begin + TOGETHER)


class Noting(LogRecordExporter):
    """Hands records to the real exporter, and notes of which it says that they were stored."""

    def __init__(self, exporter, ledger):
        self.exporter, self.ledger = exporter, ledger

    def export(self, batch):
        result = self.exporter.export(batch)
        if result == LogRecordExportResult.SUCCESS:
            self.ledger.add(int(record.log_record.body) for record in batch)
        return result

    def shutdown(self):
        self.exporter.shutdown()

    def force_flush(self, timeout_millis=30_000):
        return self.exporter.force_flush(timeout_millis)


def otlp(exporter, ledger):
    provider = LoggerProvider()
    provider.add_log_record_processor(BatchLogRecordProcessor(Noting(exporter, ledger)))
    logger = provider.get_logger("shop")
    for numbers in ledger.batches():
        for n in numbers:
            logger.emit(body=str(n))
        provider.force_flush()
    provider.shutdown()


def otlp_http(service, dataset, ledger):
    otlp(over_http(service, dataset)[0], ledger)


def otlp_grpc(service, dataset, ledger):
    otlp(over_grpc(service, dataset)[0], ledger)


def elastic(service, dataset, ledger):
    """Without attempts of its own, which come too fast for a service that starts; those are ours."""
    with Elasticsearch(service.url, api_key=service.token, max_retries=0) as client:
        for numbers in ledger.batches():
            actions = [{"_op_type": "create", "_index": dataset, "body": str(n)} for n in numbers]
            try:
                helpers.bulk(client, actions)
            except (ApiError, TransportError):
                continue
            ledger.add(numbers)


def honeycomb(service, dataset, ledger):
    client = libhoney.Client(writekey=service.token, dataset=dataset, api_host=service.url, block_on_send=True)
    for numbers in ledger.batches():
        for n in numbers:
            event = client.new_event()
            event.add({"body": str(n)})
            event.metadata = n
            event.send()
        answers = [client.responses().get(timeout=WAIT_SECONDS) for _ in numbers]
        ledger.add(answer["metadata"] for answer in answers if answer["status_code"] == 202)
    client.close()


def cloudevents(service, dataset, ledger):
    """What is not answered is sent again until it is, as receivers of webhooks are treated."""
    for numbers in ledger.batches():
        for n in numbers:
            attributes = {"id": str(n), "source": "/shop", "type": "order.placed", "specversion": "1.0"}
            message = to_binary_event(CloudEvent(attributes=attributes, data={"n": n}))
            headers = {"authorization": f"Bearer {service.token}", **message.headers}
            address = f"{service.url}/v1/ingest/{dataset}/cloudevents"
            while not is_taken(urllib.request.Request(address, data=message.body, headers=headers)):
                pass
            ledger.add([n])


def is_taken(request):
    try:
        with urllib.request.urlopen(request, timeout=WAIT_SECONDS):
            return True
    except (urllib.error.URLError, http.client.HTTPException, ConnectionError):
        return False


def crash(service):
    # Exporters tell of each attempt that fails.
    logging.disable(logging.CRITICAL)
    senders = [(otlp_http, "body"), (otlp_grpc, "body"), (elastic, "body"), (honeycomb, "body"), (cloudevents, "id")]
    for send, field in senders:
        dataset = f"crash-{send.__name__}"
        service.make_dataset(dataset)
        ledger = Ledger()
        sender = threading.Thread(target=send, args=(service, dataset, ledger), daemon=True)
        sender.start()
        for _ in range(KILLS):
            ledger.await_more()
            service.kill()
            service.start()
        ledger.await_more()
        ledger.is_over.set()
        sender.join(WAIT_SECONDS)
        stored = Counter(int(text) for text in service.values(dataset, field))
        equal((dataset, sorted(ledger.acknowledged - stored.keys())), (dataset, []))
        if send is cloudevents:
            equal((dataset, [n for n, times in stored.items() if times > 1]), (dataset, []))
    logging.disable(logging.NOTSET)
