"""Takes the configurations out of the pages "Send data from …", as pages.py reads them, and has each send by the sender that it
is for: libraries here, programs of Debian in documented_programs.py. What a page shows must parse, start and deliver; a block
that nothing runs fails, unless its sender cannot be had, which is told by name."""

import os
import subprocess
from pathlib import Path

from datadog_api_client.v2.model.http_log import HTTPLog
from datadog_api_client.v2.model.http_log_item import HTTPLogItem
from elasticsearch import helpers
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

import documented_programs
from pages import NOT_HAD, all_blocks, listeners_of
from service import WAIT_SECONDS, Service, equal, free_port
from telemetry import check_logs, check_metrics, check_spans, send_logs, send_metrics, send_spans

LISTENED = {"syslog": "shown-syslog", "gelf": "shown-gelf", "fluent": "shown-fluent"}
# What a block of Python is followed by: it has made what is asked here to send this text.
TEXT = "as the page shows"
SEND = {
    "cloudevents/cloudevents": lambda made: None,
    "datadog/datadog-api-client": lambda made: made["logs"].submit_log(HTTPLog([HTTPLogItem(message=f"datadog {TEXT}")])),
    "elasticsearch/elasticsearch": lambda made: helpers.bulk(
        made["client"], [{"_op_type": "create", "_index": "any", "message": f"elasticsearch {TEXT}"}]
    ),
    "fluent/fluent-logger": lambda made: equal(made["sender"].emit("door", {"message": f"fluent {TEXT}"}), True),
    "gelf/pygelf": lambda made: made["logger"].warning(f"pygelf {TEXT}"),
    "gelf/pygelf-2": lambda made: made["logger"].warning(f"pygelf udp {TEXT}"),
    "honeycomb/libhoney": lambda made: (made["libhoney"].send_now({"message": f"libhoney {TEXT}"}), made["libhoney"].close()),
    "loki/python-logging-loki": lambda made: made["logger"].warning(f"loki {TEXT}"),
    "splunk/splunk-handler": lambda made: (made["logger"].warning(f"splunk {TEXT}"), made["handler"].force_flush()),
}
# What is there afterwards, by a block of any language: the question and its rows.
FOUND = {
    "cloudevents/cloudevents": ("web | where id == '17' | project source, type, ['data.total']", [("/shop", "order.placed", 12)]),
    "datadog/datadog-api-client": (f"web | where message == 'datadog {TEXT}' | summarize count()", [(1,)]),
    "elasticsearch/elasticsearch": (f"web | where message == 'elasticsearch {TEXT}' | summarize count()", [(1,)]),
    "fluent/fluent-logger": (f"['shown-fluent'] | where message == 'fluent {TEXT}' | project tag", [("shop.door",)]),
    "fluent/fluent-org-logger": ("['shown-fluent'] | where message == 'opened' | project tag", [("shop.door",)]),
    "gelf/gelf-pro": ("['shown-gelf'] | where message == 'started' | project severity", [("info",)]),
    "gelf/pygelf": (f"web | where message == 'pygelf {TEXT}' | project severity", [("warning",)]),
    "gelf/pygelf-2": (f"['shown-gelf'] | where message == 'pygelf udp {TEXT}' | project severity", [("warning",)]),
    "honeycomb/libhoney": (f"web | where message == 'libhoney {TEXT}' | summarize count()", [(1,)]),
    "loki/pino-loki": (f"web | where message has 'pino {TEXT}' | project job", [("shop",)]),
    "loki/python-logging-loki": (f"web | where message == 'loki {TEXT}' | project job", [("shop",)]),
    "splunk/splunk-handler": (f"web | where _raw == 'splunk {TEXT}' | summarize count()", [(1,)]),
    "splunk/splunk-logging": ("web | where ['message.text'] == 'started' | project index", [("web",)]),
    "syslog/logger": ("['shown-syslog'] | where message == 'started' | summarize count()", [(2,)]),
}
# What a block of JavaScript is followed by, where it does not end by itself.
ENDS = {
    "loki/pino-loki": f"logger.warn('pino {TEXT}');\ntransport.end();\n",
    "fluent/fluent-org-logger": "await client.disconnect();\n",
}


def documented(service, node=None, debian=None, rust=None):
    blocks, folder = all_blocks(), service.folder / "documented"
    folder.mkdir()
    shown = Service(service.binary, folder)
    try:
        shown.make_dataset("web")
        settings = [block for block in blocks.values() if block.sender == "tidegauge"]
        open_listeners(shown, settings)
        ways = {"python": by_python, "js": lambda *these: by_node(node, *these), "sh": by_shell}
        programs = documented_programs.PROGRAMS
        left = {name: block for name, block in blocks.items() if block not in settings and name not in programs}
        equal(("not had", NOT_HAD - left.keys()), ("not had", set()))
        not_run = sorted(NOT_HAD)
        os.environ["TOKEN"] = shown.token
        opentelemetry(shown, left.pop("otlp/opentelemetry"), rust)
        for language, send in ways.items():
            these = {name: block for name, block in left.items() if block.language == language and name not in NOT_HAD}
            left = {name: block for name, block in left.items() if name not in these}
            if language == "js" and not node:
                not_run += these
                continue
            send(shown, these)
            for name in these:
                shown.await_rows(*FOUND[name])
        equal(("nothing runs", sorted(left.keys() - NOT_HAD)), ("nothing runs", []))
        if debian:
            documented_programs.run(shown, Path(debian), {name: blocks[name] for name in programs})
        else:
            not_run += programs
    finally:
        del os.environ["TOKEN"]
        shown.stop()
    print(f"senders: blocks of the pages not run (their senders cannot be had here): {', '.join(sorted(not_run))}", flush=True)


def open_listeners(shown, settings):
    """By the settings of the pages, in a file that the service reads."""
    equal(sorted(block.page for block in settings), sorted(LISTENED))
    ids = {}
    for kind, dataset in LISTENED.items():
        shown.make_dataset(dataset)
        ids[kind] = shown.call("/v2/endpoints", {"name": kind, "kind": kind, "dataset": dataset})["id"]
    shown.ports = {name: free_port() for name in ["syslog-udp", "syslog-tcp", "fluent-listen", "gelf-tcp"]}
    file = shown.folder / "tidegauge.toml"
    file.write_text(listeners_of(settings, shown, ids))
    shown.settings += ["--config", str(file)]
    shown.stop()
    shown.start()


def by_python(shown, blocks):
    equal(sorted(blocks), sorted(SEND))
    for name, block in blocks.items():
        # Whose page says so has a token for one dataset.
        is_alone = name == "datadog/datadog-api-client"
        os.environ["TOKEN"] = shown.make_token("alone", "web:ingest|create") if is_alone else shown.token
        made = {}
        exec(compile(block.filled(shown), name, "exec"), made)
        SEND[name](made)
    os.environ["TOKEN"] = shown.token


def by_node(node, shown, blocks):
    """All at once, beside the packages."""
    running = {}
    for name, block in blocks.items():
        program = Path(node).with_name(f"shown-{block.sender}.js")
        program.write_text(block.filled(shown) + ENDS.get(name, ""))
        running[name] = subprocess.Popen(["node", program])
    for name, process in running.items():
        try:
            equal((name, process.wait(WAIT_SECONDS)), (name, 0))
        finally:
            process.kill()


def by_shell(shown, blocks):
    for block in blocks.values():
        subprocess.run(["bash", "-euc", block.filled(shown)], check=True, timeout=WAIT_SECONDS)


def opentelemetry(shown, block, rust):
    """An environment for exporters that are told nothing else: those for Python, and those for Rust, which choose the protocol
    by it as well."""
    script = f"{block.filled(shown)}\nenv -0"
    lines = subprocess.run(["bash", "-euc", script], check=True, capture_output=True, text=True).stdout.split("\0")
    given = dict(line.split("=", 1) for line in lines if line.startswith("OTEL_"))
    os.environ |= given
    try:
        send_logs(OTLPLogExporter())
        send_spans(OTLPSpanExporter())
        send_metrics(OTLPMetricExporter())
    finally:
        for name in given:
            del os.environ[name]
    check_logs(shown, "telemetry")
    check_spans(shown, "telemetry")
    check_metrics(shown, "telemetry")
    if rust:
        shown.call("/v2/datasets", {"name": "by-rust"})
        mine = {**os.environ, **given}
        mine = {name: value.replace("=telemetry", "=by-rust") for name, value in mine.items()}
        subprocess.run([rust, "everything", "environment"], check=True, timeout=WAIT_SECONDS, env=mine)
        check_logs(shown, "by-rust")
        check_spans(shown, "by-rust")
        check_metrics(shown, "by-rust")
