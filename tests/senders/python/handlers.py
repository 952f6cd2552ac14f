"""Handlers of Python's logging for Loki, Splunk and Graylog, and the libraries of OpenSearch, Honeycomb and CloudEvents."""

import json
import logging
import urllib.request
from datetime import datetime, timezone

import libhoney
from cloudevents.core.bindings.http import to_binary_event, to_structured_event
from cloudevents.core.v1.event import CloudEvent
from logging_loki import LokiHandler
from loki_logger_handler.loki_logger_handler import LokiLoggerHandler
from opensearchpy import OpenSearch
from opensearchpy import helpers as opensearch_helpers
from pygelf import GelfHttpHandler
from splunk_handler import SplunkHandler
from splunk_hec_handler import SplunkHecHandler

from service import WAIT_SECONDS, equal

COUNT = 300
MESSAGES = [f"message {n}" for n in range(COUNT)]


def logger_with(handler):
    logger = logging.Logger("shop")
    # A handler that fails prints what happened and goes on; here that is a failure.
    handler.handleError = fail
    logger.addHandler(handler)
    return logger


def fail(record):
    raise AssertionError(f"{record.getMessage()!r} was not sent")


def loki(service):
    """python-logging-loki in both of its forms. It has no place for a dataset but the address."""
    for version in ["0", "1"]:
        dataset = f"loki-{version}"
        address = f"{service.url}/loki/api/v1/push?dataset={dataset}"
        handler = LokiHandler(url=address, tags={"job": "shop"}, auth=("any", service.token), version=version)
        logger = logger_with(handler)
        for message in MESSAGES:
            logger.warning(message, extra={"tags": {"shelf": 5}})
        equal(service.values(dataset, "message"), sorted(MESSAGES))
        equal(service.rows(f"['{dataset}'] | distinct job, severity, logger"), [("shop", "warning", "shop")])


def loki_with_metadata(service):
    """loki-logger-handler sends in batches, compressed, with structured metadata, from a thread of its own."""
    handler = LokiLoggerHandler(
        url=f"{service.url}/loki/api/v1/push",
        labels={"job": "shop"},
        additional_headers={"authorization": f"Bearer {service.token}", "x-scope-orgid": "loki-batch"},
        enable_structured_loki_metadata=True,
        loki_metadata={"user": "ada"},
    )
    logger = logging.Logger("shop")
    logger.addHandler(handler)
    for message in MESSAGES:
        logger.warning(message)
    handler.flush_event.set()
    service.await_count("loki-batch", COUNT)
    lines = service.values("loki-batch", "message")
    equal(sorted(json.loads(line)["message"] for line in lines), sorted(MESSAGES))
    equal(service.rows("['loki-batch'] | distinct job, user"), [("shop", "ada")])


def splunk(service):
    """splunk-handler sends texts in batches, from a thread of its own."""
    handler = SplunkHandler(
        host=service.host,
        port=service.port,
        token=service.token,
        index="splunk",
        protocol="http",
        verify=False,
        hostname="till",
        source="shop",
    )
    logger = logger_with(handler)
    for message in MESSAGES:
        logger.warning(message)
    handler.force_flush()
    handler.close()
    equal(service.values("splunk", "_raw"), sorted(MESSAGES))
    equal(service.rows("splunk | distinct host, source, sourcetype"), [("till", "shop", "text")])


def splunk_objects(service):
    """splunk-hec-handler sends an object in each request. The token names the dataset."""
    token = service.make_token("splunk", "splunk-objects:ingest|create")
    service.make_dataset("splunk-objects")
    handler = SplunkHecHandler(service.host, token, port=service.port, proto="http", hostname="till")
    logger = logger_with(handler)
    for n in range(COUNT):
        logger.warning({"n": n, "time": 1_780_311_600, "fields": {"shelf": "top"}})
    equal(service.values("splunk-objects"), list(range(COUNT)))
    expected = [("2026-06-01T11:00:00Z", "till", "WARNING", "top")]
    equal(service.rows("['splunk-objects'] | distinct _time, host, log_level, shelf"), expected)


def honeycomb(service):
    client = libhoney.Client(writekey=service.token, dataset="honeycomb", api_host=service.url, block_on_send=True)
    for n in range(COUNT):
        event = client.new_event()
        event.created_at = datetime(2026, 6, 1, 11, tzinfo=timezone.utc)
        event.add({"n": n, "route": "/items"})
        event.send()
    client.close()
    answers = []
    while (answer := client.responses().get(timeout=WAIT_SECONDS)) is not None:
        answers.append(answer["status_code"])
    equal(answers, [202] * COUNT)
    equal(service.values("honeycomb"), list(range(COUNT)))
    equal(service.rows("honeycomb | distinct _time, route"), [("2026-06-01T11:00:00Z", "/items")])


def graylog(service):
    """pygelf says of its bodies that they are gzip and deflate, and does not wait for answers."""
    for compress in [True, False]:
        dataset = f"graylog-{str(compress).lower()}"
        handler = GelfHttpHandler(
            host=service.host,
            port=service.port,
            path=f"/v1/ingest/{dataset}/gelf?tk={service.token}",
            compress=compress,
            _shelf="top",
        )
        logger = logger_with(handler)
        for message in MESSAGES:
            logger.warning(message)
        service.await_count(dataset, COUNT)
        equal(service.values(dataset, "message"), sorted(MESSAGES))
        equal(service.rows(f"['{dataset}'] | distinct shelf, severity"), [("top", "warning")])


def cloudevents(service):
    """The library writes the requests, in both modes; each is sent twice and stored once."""
    for n in range(20):
        attributes = {
            "id": str(n),
            "source": "/shop",
            "type": "order.placed",
            "specversion": "1.0",
            "time": datetime(2026, 6, 1, 11, tzinfo=timezone.utc),
            "datacontenttype": "application/json",
        }
        event = CloudEvent(attributes=attributes, data={"n": n})
        message = to_binary_event(event) if n % 2 else to_structured_event(event)
        for _ in range(2):
            headers = {"authorization": f"Bearer {service.token}", **message.headers}
            address = f"{service.url}/v1/ingest/cloudevents/cloudevents"
            with urllib.request.urlopen(urllib.request.Request(address, data=message.body, headers=headers)) as answer:
                equal(answer.status, 204)
    equal(service.values("cloudevents", "data.n"), list(range(20)))
    expected = [("2026-06-01T11:00:00Z", "/shop", "order.placed")]
    equal(service.rows("cloudevents | distinct _time, source, type"), expected)


def opensearch(service):
    host = {"host": service.host, "port": service.port}
    client = OpenSearch(hosts=[host], http_auth=("any", service.token), http_compress=True)
    equal(client.ping(), True)
    actions = ({"_op_type": "index", "_index": "opensearch", "n": n} for n in range(COUNT))
    equal(opensearch_helpers.bulk(client, actions, chunk_size=70), (COUNT, []))
    equal(service.values("opensearch"), list(range(COUNT)))


HANDLERS = [loki, loki_with_metadata, splunk, splunk_objects, honeycomb, graylog, cloudevents, opensearch]
