"""Senders over HTTP and TCP in the trouble matrix: each goes on with a batch until it is told that all of it was taken, as
applications do that must lose nothing. Libraries make their own attempts first."""

import base64
import http.client
import json
import logging
import socket
import time
import urllib.error
import urllib.request

import libhoney
import msgpack
from cloudevents.core.bindings.http import to_binary_event
from cloudevents.core.v1.event import CloudEvent
from datadog_api_client import ApiClient, Configuration
from datadog_api_client.exceptions import ApiException
from datadog_api_client.v2.api.logs_api import LogsApi
from datadog_api_client.v2.model.http_log import HTTPLog
from datadog_api_client.v2.model.http_log_item import HTTPLogItem
from elasticsearch import ApiError, Elasticsearch, TransportError, helpers
from opensearchpy import OpenSearch
from opensearchpy import helpers as opensearch_helpers
from opensearchpy.exceptions import OpenSearchException
from prometheus_remote_writer import RemoteWriter
from splunk_handler import SplunkHandler
from urllib3.exceptions import HTTPError

from service import WAIT_SECONDS

# Between two attempts, for a service that starts.
REST_SECONDS = 0.1
RETRIED = (429, 502, 503, 504)
# A full disk is 507 on the ingest route, and passes as well.
RETRIED_BY_US = (500, *RETRIED, 507)
# A drain of Heroku drops what is answered by any of 400 to 499, and comes back after the others.
RETRIED_BY_DRAINS = range(500, 600)


def again(send, *errors):
    """Does it until there is none of these errors."""
    while True:
        try:
            return send()
        except errors:
            time.sleep(REST_SECONDS)


def post(address, body, headers, retried=RETRIED_BY_US):
    """Sends a request until it is answered with success, always the same; the answer's body. What would be refused for ever
    is a failure."""

    def send():
        try:
            with urllib.request.urlopen(urllib.request.Request(address, body, headers), timeout=WAIT_SECONDS) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            if error.code not in retried:
                raise AssertionError(f"{address} was answered with {error.code}: {error.read()}") from error
            raise

    return again(send, urllib.error.URLError, http.client.HTTPException, ConnectionError)


def elastic(service, dataset, ledger):
    """With attempts: of a request that is refused as a whole by the transport, of single documents by the helper."""
    with Elasticsearch(service.url, api_key=service.token, max_retries=20, retry_on_status=RETRIED) as client:
        for numbers in ledger.batches():
            actions = [{"_op_type": "create", "_index": dataset, "body": str(n)} for n in numbers]

            def send(actions=actions):
                helpers.bulk(client, actions, max_retries=8, initial_backoff=0.2, max_backoff=1)

            again(send, ApiError, TransportError, helpers.BulkIndexError)
            ledger.add(numbers)


def opensearch(service, dataset, ledger):
    host = {"host": service.host, "port": service.port}
    client = OpenSearch(hosts=[host], http_auth=("any", service.token), max_retries=20, retry_on_status=RETRIED)
    for numbers in ledger.batches():
        actions = [{"_op_type": "index", "_index": dataset, "body": str(n)} for n in numbers]

        def send(actions=actions):
            opensearch_helpers.bulk(client, actions, max_retries=8, initial_backoff=0.2, max_backoff=1)

        again(send, OpenSearchException)
        ledger.add(numbers)
    client.close()


def splunk(service, dataset, ledger):
    """It tells of a request that it gave up by a line, and of nothing else."""
    gave_up = []
    handler = SplunkHandler(
        host=service.host,
        port=service.port,
        token=service.token,
        index=dataset,
        protocol="http",
        verify=False,
        flush_interval=0,
        retry_count=20,
        retry_backoff=0.1,
    )
    handler.write_log = gave_up.append
    for numbers in ledger.batches():
        for n in numbers:
            handler.emit(logging.makeLogRecord({"msg": str(n)}))
            (ledger.given_up.update if gave_up else ledger.add)([n])
            gave_up.clear()


def honeycomb(service, dataset, ledger):
    """The library makes one attempt more, and tells of each event what became of it."""
    client = libhoney.Client(writekey=service.token, dataset=dataset, api_host=service.url, block_on_send=True)
    for numbers in ledger.batches():
        left = set(numbers)
        while left:
            for n in left:
                event = client.new_event()
                event.add({"body": str(n)})
                event.metadata = n
                event.send()
            answers = [client.responses().get(timeout=WAIT_SECONDS) for _ in left]
            taken = {answer["metadata"] for answer in answers if answer["status_code"] == 202}
            left -= taken
            ledger.add(taken)
            if left:
                time.sleep(REST_SECONDS)
    client.close()


def datadog(gateway, dataset, ledger):
    """The address of an endpoint names the dataset, because the client's address can have a path and no header. Its own
    attempts are two seconds apart and more."""
    path = gateway.behind.make_endpoint("datadog", dataset)
    configuration = Configuration(api_key={"apiKeyAuth": "none"})
    configuration.server_index = 1
    configuration.server_variables = {"name": f"{gateway.host}:{gateway.port}{path}", "protocol": "http"}
    with ApiClient(configuration) as client:
        for numbers in ledger.batches():
            body = HTTPLog([HTTPLogItem(message=str(n)) for n in numbers])
            again(lambda body=body: LogsApi(client).submit_log(body), ApiException, HTTPError)
            ledger.add(numbers)


def cloudevents(service, dataset, ledger):
    """Its source and id are the key of an event."""
    for numbers in ledger.batches():
        for n in numbers:
            attributes = {"id": str(n), "source": "/shop", "type": "order.placed", "specversion": "1.0"}
            message = to_binary_event(CloudEvent(attributes=attributes, data={"n": n}))
            headers = {"authorization": f"Bearer {service.token}", **message.headers}
            post(f"{service.url}/v1/ingest/{dataset}/cloudevents", message.body, headers)
            ledger.add([n])


def firehose(service, dataset, ledger):
    """As Amazon describes deliveries: the id of a request is its key, and the answer must repeat it."""
    for numbers in ledger.batches():
        key = f"request-{numbers[0]}"
        records = [{"data": base64.b64encode(json.dumps({"n": n}).encode()).decode()} for n in numbers]
        body = json.dumps({"requestId": key, "timestamp": 1_780_311_600_000, "records": records}).encode()
        headers = {
            "content-type": "application/json",
            "x-amz-firehose-protocol-version": "1.0",
            "x-amz-firehose-request-id": key,
            "x-amz-firehose-access-key": service.token,
        }
        answered = json.loads(post(f"{service.url}/v1/ingest/{dataset}/firehose", body, headers))
        if answered["requestId"] != key:
            raise AssertionError(f"{key} was answered with {answered}")
        ledger.add(numbers)


def logplex(service, dataset, ledger):
    """As Heroku describes the requests to a drain: their id is a key."""
    for numbers in ledger.batches():
        frames = [f"<190>1 2026-06-01T12:00:00+00:00 host app web.1 - {n}" for n in numbers]
        headers = {
            "authorization": f"Bearer {service.token}",
            "content-type": "application/logplex-1",
            "logplex-msg-count": str(len(frames)),
            "logplex-frame-id": f"numbers-from-{numbers[0]}",
            "logplex-drain-token": "d.shop",
        }
        body = "".join(f"{len(frame)} {frame}" for frame in frames).encode()
        post(f"{service.url}/v1/datasets/{dataset}/ingest", body, headers, RETRIED_BY_DRAINS)
        ledger.add(numbers)


def gelf(service, dataset, ledger):
    """Messages as Graylog's loggers write them. Those do not wait for the answer; this one does, and comes back."""
    for numbers in ledger.batches():
        for n in numbers:
            body = json.dumps({"version": "1.1", "host": "shop", "short_message": str(n)}).encode()
            headers = {"authorization": f"Bearer {service.token}", "content-type": "application/json"}
            post(f"{service.url}/v1/ingest/{dataset}/gelf", body, headers)
            ledger.add([n])


def remote_write(service, dataset, ledger):
    """prometheus-remote-writer, which makes some attempts itself."""
    address = f"{service.url}/api/v1/write?dataset={dataset}"
    with RemoteWriter(address, auth={"bearer_token": service.token}, retries=5, backoff_factor=0.05) as writer:
        for numbers in ledger.batches():
            times = [1_780_311_600_000 + n for n in numbers]
            series = [{"metric": {"__name__": "number"}, "values": list(numbers), "timestamps": times}]
            again(lambda series=series: writer.send(series), RuntimeError)
            ledger.add(numbers)


def messagepack(service, dataset, ledger):
    """As Fluent Bit's output for HTTP writes events, and with a key."""
    for numbers in ledger.batches():
        body = b"".join(msgpack.packb([1_780_311_600 + n, {"n": n}]) for n in numbers)
        headers = {
            "authorization": f"Bearer {service.token}",
            "content-type": "application/msgpack",
            "idempotency-key": f"numbers-from-{numbers[0]}",
        }
        post(f"{service.url}/v1/ingest/{dataset}", body, headers)
        ledger.add(numbers)


def fluent(gateway, _dataset, ledger):
    """As Fluentd and Fluent Bit do: a chunk keeps its id when it is sent again, and waits for its acknowledgement."""
    connection = None
    for numbers in ledger.batches():
        chunk = f"chunk-{numbers[0]}"
        entries = [[1_780_311_600, {"n": n}] for n in numbers]
        message = msgpack.packb(["keyed", entries, {"chunk": chunk, "size": len(entries)}])

        def send(chunk=chunk, message=message):
            nonlocal connection
            try:
                connection = connection or socket.create_connection((gateway.host, gateway.port), WAIT_SECONDS)
                connection.sendall(message)
                answered = connection.recv(1000)
                if not answered:
                    raise ConnectionError("no answer")
            except OSError:
                connection = connection and connection.close()
                raise
            if msgpack.unpackb(answered) != {"ack": chunk}:
                raise AssertionError(f"{chunk} was answered with {answered}")

        again(send, OSError)
        ledger.add(numbers)
    if connection:
        connection.close()
