"""Senders as they are on npm: the program of ../node sends, and here is looked up what arrived."""

import subprocess

from service import equal

COUNT = 500
# Where each sender has its text: the dataset and the field.
DATASETS = [
    ("node-otlp-logs", "body"),
    ("node-otlp-spans", "name"),
    ("node-elastic", "message"),
    ("node-pino-elastic", "message"),
    ("node-splunk", "message"),
    ("node-winston", "message.msg"),
    ("node-honeycomb", "message"),
]


def node(service, program):
    subprocess.run(["node", program, service.url, service.token, str(COUNT)], check=True)
    expected = sorted(f"message {n}" for n in range(COUNT))
    for dataset, field in DATASETS:
        service.await_count(dataset, COUNT)
        equal((dataset, service.values(dataset, field)), (dataset, expected))
    service.await_count("node-loki", COUNT)
    # Loki's transport sends each line as pino writes it, with its text inside.
    equal(service.rows("['node-loki'] | extend text = tostring(parse_json(message).msg) | summarize dcount(text)"), [(COUNT,)])
    equal(service.rows("['node-loki'] | distinct job"), [("shop",)])
    equal(service.rows("['node-otlp-logs'] | distinct severity"), [("error",)])
    equal(service.rows("['node-splunk'] | distinct host"), [("till",)])
