"""The floods that an organisation can make to the harm of others (see tenants.py): what each asks, from how many
connections, and what it has to make before and to take away afterwards."""

import http.client
import json
import multiprocessing
import os
import select
import socket
import threading
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

DOUBLED = "".join("| extend a = strcat(a, a)" for _ in range(14))
FLOODS = {
    "texts that double": f"['loud'] | extend a = message {DOUBLED} | summarize max(strlen(a))",
    "long arrays": "print a = range(1, 16000, 1) | mv-expand a | extend r = range(1, 1000000 + tolong(a), 1) "
    "| summarize max(array_length(r))",
    "expressions over all": "['loud'] | where message matches regex '(a|b|c)+.*x[0-9]+y' | count",
    "a sort of all": "['loud'] | sort by message asc, trace_id desc | project trace_id | summarize make_list(trace_id)",
    "groups of all": "['loud'] | summarize count(), dcount(span_id), max(message) by trace_id | count",
    "long lists": "['loud'] | take 50000",
    "a join with itself": "['loud'] | join kind=inner (['loud'] | project service, b = span_id) on service | count",
}
THREADS = 74
# Runs that nothing joins: each is a query of its own.
COSTLY = "['loud'] | summarize dcount(span_id), max(message) by trace_id | summarize max(dcount_span_id)"
LIVE_MONITORS = 200
# Of which each deletion takes those of one, so that a segment is written anew each time.
PREFIXES = [f"{number:03x}" for number in range(4_096)]
LOGS_AT_ONCE = 2_000
PANELS = 20
# What one thread holds at most; and from where, so that they are not those of whoever measures.
HELD_MAX, OTHER_ADDRESS = 100, "127.0.0.2"


class Spec(NamedTuple):
    """What a thread does again and again, how many do, and what is done before the first and after the last."""

    work: object
    threads: int
    prepare: object = None
    clean: object = None


def all_floods(service, loud, body):
    """Every flood by its name. `body` holds many events."""
    floods = {name: Spec(asking(service, loud.token, text), THREADS) for name, text in FLOODS.items()}
    loud_monitors = Monitors(loud, LIVE_MONITORS, COSTLY, "loud")
    return {
        **floods,
        "events": Spec(sending(service, loud.token, "/v1/datasets/loud/ingest", body, NDJSON), 8),
        "heads without end": Spec(half_open(service), 12),
        "connections without end": Spec(churn(service), 12),
        "answered connections": Spec(answered(service), 12),
        "exports": Spec(exporting(service, loud.token), 16),
        "backtests": Spec(backtesting(service, loud.token), THREADS),
        "live monitors": Spec(idle, 1, loud_monitors.make, loud_monitors.remove),
        "deletions and merging": Spec(deleting(service, loud.token), 8),
        "dashboards": Spec(dashboards(service, loud.token), 16),
        "field statistics": Spec(statistics(service, loud.token), THREADS),
        "tools of language models": Spec(tools(service, loud.token), THREADS),
        "OTLP": Spec(sending(service, loud.token, "/v1/logs", logs(), JSON, {"X-Axiom-Dataset": "otlp"}), 8),
    }


class Monitors:
    """Monitors of an organisation that run each minute and tell nobody."""

    def __init__(self, org, count, query, name):
        self.org, self.count, self.query, self.name, self.ids = org, count, query, name, []

    def make(self):
        for number in range(self.count):
            monitor = {
                "name": f"{self.name} {number}",
                "type": "Threshold",
                "aplQuery": self.query,
                "operator": "Above",
                "threshold": 1_000_000_000,
                "intervalMinutes": 1,
                "rangeMinutes": 1_440,
            }
            self.ids.append(self.org.call("POST", "/v2/monitors", monitor)["id"])

    def remove(self):
        for monitor in self.ids:
            self.org.call("DELETE", f"/v2/monitors/{monitor}")
        self.ids = []


JSON, NDJSON = "application/json", "application/x-ndjson"


class Flood:
    """Threads of another process that ask as fast as they are answered, until they are told to end."""

    def __init__(self, work, threads):
        self.is_over, self.seen, self.answers = multiprocessing.Event(), multiprocessing.Queue(), {}
        self.process = multiprocessing.Process(target=self.run_all, args=(work, threads), daemon=True)

    def run_all(self, work, threads):
        os.nice(15)
        answers = {}

        def run():
            while not self.is_over.is_set():
                try:
                    kind = work(self.is_over)
                except OSError as error:
                    kind = type(error).__name__
                answers[kind] = answers.get(kind, 0) + 1

        running = [threading.Thread(target=run, daemon=True) for _ in range(threads)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join(timeout=70)
        self.seen.put(answers)

    def __enter__(self):
        self.process.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.answers = self.seen.get()
        self.process.join()


def request(service, token, method, path, body=None, kind=JSON, headers=None):
    """Status and body of one request on a connection of its own."""
    connection = http.client.HTTPConnection(service.host, service.port, timeout=65)
    try:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": kind, **(headers or {})}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def posting(service, token, path, body):
    """Posts and leaves when it is told to end, as a client does that is closed."""

    def work(is_over):
        connection = http.client.HTTPConnection(service.host, service.port, timeout=65)
        try:
            headers = {"Authorization": f"Bearer {token}", "Content-Type": JSON}
            connection.request("POST", path, json.dumps(body), headers)
            return read_until_over(connection, is_over)
        finally:
            connection.close()

    return work


def read_until_over(connection, is_over):
    wait_for_answer(connection.sock, is_over)
    if is_over.is_set():
        return "left"
    answer = connection.getresponse()
    while answer.read(1 << 20):
        if is_over.is_set():
            return "left"
    if answer.status == 429:
        is_over.wait(0.2)
    return answer.status


def wait_for_answer(connection, is_over):
    """Until there is something to read, or nobody wants it any more."""
    while not is_over.is_set():
        if select.select([connection], [], [], 0.1)[0]:
            return


def asking(service, token, text):
    return posting(service, token, "/v1/query/_apl?format=tabular", {"apl": text})


def sending(service, token, path, body, kind, headers=None):
    return lambda _: request(service, token, "POST", path, body, kind, headers)[0]


def exporting(service, token):
    """Takes the whole dataset as a file, by a link of its own each time."""
    wanted = json.dumps({"apl": "['loud']", "format": "csv"})

    def work(is_over):
        status, body = request(service, token, "POST", "/v2/exports", wanted)
        if status != 200:
            return status
        connection = http.client.HTTPConnection(service.host, service.port, timeout=65)
        try:
            connection.request("GET", json.loads(body)["link"])
            return read_until_over(connection, is_over)
        finally:
            connection.close()

    return work


def backtesting(service, token):
    now = datetime.now(UTC)
    monitor = {
        "name": "costly",
        "aplQuery": COSTLY,
        "operator": "Above",
        "threshold": 0,
        "intervalMinutes": 1,
        "rangeMinutes": 60,
    }
    times = {"startTime": (now - timedelta(days=1)).isoformat(), "endTime": now.isoformat()}
    return posting(service, token, "/v2/monitors/backtest", {**times, "monitor": monitor})


def deleting(service, token):
    """Deletes a few events of every segment at once, and has what is left merged again."""
    prefixes = iter(PREFIXES)

    def work(is_over):
        prefix = next(prefixes, None)
        if prefix is None:
            is_over.wait()
            return "nothing left"
        apl = f"['churned'] | where span_id startswith '{prefix}'"
        body = json.dumps({"apl": apl, "commit": True})
        status, _ = request(service, token, "POST", "/v2/datasets/_apl/delete", body)
        if status == 200:
            request(service, token, "POST", "/v2/datasets/churned/vacuum")
        return status

    return work


def dashboards(service, token):
    """A dashboard's panels with one request, all at once."""
    panels = [f"['loud'] | summarize count(), max(message) by trace_id, bin({number} * status, 7) | count" for number in range(PANELS)]
    body = [{"queryId": str(number), "aplRequest": {"apl": apl}} for number, apl in enumerate(panels)]
    return posting(service, token, f"/v1/query/batch?maxConcurrency={PANELS}&nocache=true", body)


def statistics(service, token):
    fields = ["message", "trace_id", "span_id", "path", "user_id"]
    return posting(service, token, "/v1/query/fields", {"apl": "['loud']", "fields": fields, "top": 100})


def tools(service, token):
    call = {"name": "queryApl", "arguments": {"apl": FLOODS["groups of all"]}}
    return posting(service, token, "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})


def logs():
    """One request of OTLP with as many records as a collector sends."""
    record = {"severityNumber": 9, "body": {"stringValue": "a line of a log " * 8}, "attributes": []}
    records = [{**record, "attributes": [{"key": f"k{number % 50}", "value": {"intValue": str(number)}}]} for number in range(LOGS_AT_ONCE)]
    return json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]})


def idle(is_over):
    """Nothing is asked: what the organisation has made works by itself."""
    is_over.wait()
    return "waited"


def half_open(service):
    """Heads that are never finished, as many as one thread can hold."""

    def work(is_over):
        held = []
        for _ in range(100):
            connection = socket.create_connection((service.host, service.port), timeout=5)
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ")
            held.append(connection)
        is_over.wait(3)
        for connection in held:
            connection.close()
        return "held"

    return work


def answered(service):
    """More connections than there are places, from an address of their own, all of them answered and asked on again."""

    def work(is_over):
        held = []
        while not is_over.is_set():
            if len(held) < HELD_MAX:
                address = (service.host, service.port)
                held.append(socket.create_connection(address, timeout=5, source_address=(OTHER_ADDRESS, 0)))
            held = [connection for connection in held if is_answered(connection)]
        for connection in held:
            connection.close()
        return "held"

    return work


def is_answered(connection):
    """Whether a connection still has its place; one that has lost it is closed."""
    try:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        if connection.recv(1 << 16):
            return True
    except OSError:
        pass
    connection.close()
    return False


def churn(service):
    """A connection for each request, closed at once."""

    def work(_):
        connection = socket.create_connection((service.host, service.port), timeout=5)
        try:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            return "answered" if connection.recv(64) else "closed"
        finally:
            connection.close()

    return work
