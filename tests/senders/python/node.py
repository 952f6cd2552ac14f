"""Senders as they are on npm: the program of ../node sends, and here is looked up what arrived."""

import json
import subprocess
from pathlib import Path

from service import WAIT_SECONDS, equal

COUNT = 300
# Each client of Fluent forward in each of its forms, and how many events it sends.
FLUENT_FORMS = 7
FLUENT_COUNT = 100
# How many the senders of datagrams send.
FEW = 50
# Where each sender has its text: the dataset and the field.
DATASETS = [
    ("node-json-logs", "body"),
    ("node-protobuf-logs", "body"),
    ("node-grpc-logs", "body"),
    ("node-json-spans", "name"),
    ("node-protobuf-spans", "name"),
    ("node-elastic-9", "message"),
    ("node-elastic-8", "message"),
    ("node-opensearch", "message"),
    ("node-pino-elastic", "message"),
    ("node-winston-loki", "message"),
    ("node-splunk", "message"),
    ("node-winston", "message.msg"),
    ("node-honeycomb", "message"),
]


def node(service, program):
    kinds = {"loki": "node-winston-loki", "datadog": "node-datadog", "cloudevents": "node-cloudevents"}
    places = {kind: service.url + service.make_endpoint(kind, dataset) for kind, dataset in kinds.items()}
    places |= service.ports | {"grpc": f"{service.host}:{service.ports['otlp-grpc-listen']}"}
    subprocess.run(["node", program, service.url, service.token, str(COUNT), json.dumps(places)], check=True, timeout=WAIT_SECONDS)
    expected = messages(COUNT)
    for dataset, field in DATASETS:
        service.await_count(dataset, COUNT)
        equal((dataset, service.values(dataset, field)), (dataset, expected))
    equal(service.rows("['node-json-logs'] | distinct severity"), [("error",)])
    equal(service.rows("['node-splunk'] | distinct host"), [("till",)])
    equal(sorted(service.rows("['node-winston-loki'] | distinct job, level, shelf")), [("shop", "warn", str(n)) for n in range(3)])
    metrics(service)
    inside_of_texts(service)
    sockets(service)
    fluent(service, program)


def messages(count):
    return sorted(f"message {n}" for n in range(count))


def metrics(service):
    for dataset in ["node-json-metrics", "node-protobuf-metrics"]:
        orders = f"['{dataset}'] | where metric == 'orders'"
        points = service.rows(f"{orders} | project toint(value), tostring(['attributes.custom'].message), type, unit | limit 1000")
        equal((dataset, sorted(points)), (dataset, [(n, f"message {n}", "sum", "1") for n in range(COUNT)]))
        sizes = f"['{dataset}'] | where metric == 'sizes' | project type, ['count'], ['sum'], bounds, counts"
        histogram = ("histogram", COUNT, COUNT * (COUNT - 1) // 2, [10, 100], [11, 90, COUNT - 101])
        equal((dataset, service.rows(sizes)), (dataset, [histogram]))


def inside_of_texts(service):
    """Transports that write a line as pino does, with its text inside."""
    service.await_count("node-loki", COUNT)
    equal(service.rows("['node-loki'] | extend text = tostring(parse_json(message).msg) | summarize dcount(text)"), [(COUNT,)])
    equal(service.rows("['node-loki'] | distinct job"), [("shop",)])
    service.await_count("node-datadog", COUNT)
    texts = service.rows("['node-datadog'] | project tostring(parse_json(message).text) | limit 1000")
    equal(sorted(text for (text,) in texts), messages(COUNT))
    expected = [("shop", "nodejs", "test", "top")]
    equal(service.rows("['node-datadog'] | distinct service, ddsource, ['tags.env'], ['tags.shelf']"), expected)
    equal(service.values("node-cloudevents", "data.message"), messages(20))


def sockets(service):
    for transport, count in [("udp4", FEW), ("tcp4", COUNT)]:
        sent = f"appname == '{transport}'"
        service.await_rows(f"['listened-syslog'] | where {sent} | summarize count()", [(count,)])
        equal(service.values("listened-syslog", "message", sent), messages(count))
        levels = service.rows(f"['listened-syslog'] | where {sent} | distinct severity, facility")
        equal(levels, [("warning", "local0")])
    for adapter in ["udp", "tcp"]:
        sent = f"facility == '{adapter}'"
        service.await_rows(f"['listened-gelf'] | where {sent} | summarize count()", [(FEW,)])
        equal(service.values("listened-gelf", "message", sent), messages(FEW))


def fluent(service, program):
    """The two clients of npm, with acknowledgements."""
    command = ["node", Path(program).with_name("fluent.js"), str(service.ports["fluent-listen"]), str(FLUENT_COUNT)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    equal(sorted(map(int, done.stdout.split())), sorted(list(range(FLUENT_COUNT)) * FLUENT_FORMS))
    sent = "['listened-fluent'] | where tag endswith '.door' and tag !startswith 'shop'"
    tags = service.rows(f"{sent} | summarize count(), dcount(n), min(n), max(n) by tag")
    equal(sorted(row[1:] for row in tags), [(FLUENT_COUNT, FLUENT_COUNT, 0, FLUENT_COUNT - 1)] * FLUENT_FORMS)
