"""Handlers of Python's logging for Loki, Splunk and Graylog, and the libraries of OpenSearch, Honeycomb and CloudEvents."""

import json
import logging
import urllib.request
from datetime import datetime, timezone

import libhoney
from cloudevents.core.bindings.http import to_binary_event, to_structured_event
from cloudevents.core.v1.event import CloudEvent
from datadog_api_client import ApiClient, Configuration
from datadog_api_client.v2.api.logs_api import LogsApi
from datadog_api_client.v2.model.http_log import HTTPLog
from datadog_api_client.v2.model.http_log_item import HTTPLogItem
from logging_loki import LokiHandler
from loki_logger_handler.loki_logger_handler import LokiLoggerHandler
from opensearchpy import OpenSearch
from opensearchpy import helpers as opensearch_helpers
from prometheus_remote_writer import RemoteWriter
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


def remote_write(service):
    """prometheus-remote-writer speaks 1.0; each sample is an event."""
    series = [
        {
            "metric": {"__name__": "requests_total", "shelf": str(shelf)},
            "values": [float(n) for n in range(shelf, COUNT, 10)],
            "timestamps": [1_780_311_600_000 + n for n in range(shelf, COUNT, 10)],
        }
        for shelf in range(10)
    ]
    address = f"{service.url}/api/v1/write?dataset=remote-writer"
    sent = RemoteWriter(address, auth={"bearer_token": service.token}, max_series_per_request=3).send(series)
    equal((sent.samples_sent, sent.last_response.status_code), (COUNT, 204))
    equal(service.values("remote-writer", "value"), list(range(COUNT)))
    sample = service.rows("['remote-writer'] | where value == 7 | project _time, metric, ['labels.shelf']")
    equal(sample, [("2026-06-01T11:00:00.007Z", "requests_total", "7")])


def datadog(service):
    """datadog-api-client has the hosts of its service built in, and a way to name another. Its key names the dataset."""
    service.make_dataset("datadog")
    configuration = Configuration(api_key={"apiKeyAuth": service.make_token("datadog", "datadog:ingest|create")})
    configuration.server_index = 1
    configuration.server_variables = {"name": f"{service.host}:{service.port}", "protocol": "http"}
    with ApiClient(configuration) as client:
        for begin in range(0, COUNT, 50):
            items = [
                HTTPLogItem(message=message, service="shop", ddtags="env:test,shelf:top", hostname="till")
                for message in MESSAGES[begin : begin + 50]
            ]
            LogsApi(client).submit_log(HTTPLog(items))
    equal(service.values("datadog", "message"), sorted(MESSAGES))
    tags = service.rows("datadog | distinct service, hostname, ['tags.env'], ['tags.shelf']")
    equal(tags, [("shop", "till", "test", "top")])


HANDLERS = [loki, loki_with_metadata, splunk, splunk_objects, honeycomb, graylog, cloudevents, opensearch, remote_write, datadog]
