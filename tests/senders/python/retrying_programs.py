"""Programs in the trouble matrix: clients of npm, and what Debian has. Those that keep what is not taken, on their disk or in
memory, acknowledge what they have got; it must all be stored in the end."""

import atexit
import json
import subprocess
import threading
import time
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from daemons import add_entries, scrape_config
from retrying import REST_SECONDS
from service import WAIT_SECONDS, free_port
from syslog_daemons import syslog_ng_command


def lines_of(command, ledger):
    """Runs a program that prints the numbers it is done with, until it ends after its input."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        # It would wait for the service when this program has failed.
        atexit.register(process.kill)
        threading.Thread(target=lambda: ledger.is_over.wait() and process.stdin.close(), daemon=True).start()
        for line in process.stdout:
            ledger.sent = max(ledger.sent, int(line) + 1)
            ledger.add([int(line)])
    if process.returncode:
        raise AssertionError(f"{command[:2]} ended with {process.returncode}")


def of_npm(program):
    """Senders by the program for Node."""
    folder = Path(program).parent

    def fluent_logger(gateway, _dataset, ledger):
        """A new attempt has a new chunk id, so that what was stored without the sender knowing comes twice."""
        lines_of(["node", folder / "fluent.js", str(gateway.port)], ledger)

    def winston_loki(gateway, dataset, ledger):
        address = gateway.url + gateway.behind.make_endpoint("loki", dataset)
        lines_of(["node", folder / "loki.js", address], ledger)

    def otlp_json(gateway, dataset, ledger):
        """The exporter makes all attempts itself."""
        lines_of(["node", folder / "otlp.js", gateway.url, gateway.token, dataset], ledger)

    def elastic_node(gateway, dataset, ledger):
        """The helper sends single documents again that are answered with 429; a request that is refused so as a whole is
        handed to it again."""
        lines_of(["node", folder / "elastic.js", gateway.url, gateway.token, dataset], ledger)

    return fluent_logger, winston_loki, otlp_json, elastic_node


def of_debian(found):
    """Senders by unpacked programs."""

    def journal_upload(service, dataset, ledger):
        """A program that ends at each failure, as systemd starts it again; its cursor stays at what was acknowledged."""
        journal = found.make(dataset) / "remote-shop.journal"
        url = f"http://x:{service.token}@{service.host}:{service.port}/v1/ingest/{dataset}/journald"
        upload = [found.path("lib/systemd/systemd-journal-upload"), "--url", url, "--file", str(journal)]
        for numbers in ledger.batches():
            add_entries(found, journal, numbers)
            while found.ends([*upload, f"--save-state={journal.parent / 'state'}", "--follow=no"])[0] != 0:
                time.sleep(REST_SECONDS)
            ledger.add(numbers)

    def vmagent(service, dataset, ledger):
        """It takes points, answers at once, and writes them here when it can."""
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        command = [found.path("usr/bin/vmagent"), f"-httpListenAddr=127.0.0.1:{port}"]
        command += [f"-remoteWrite.url={service.url}/api/v1/write?dataset={dataset}", f"-remoteWrite.bearerToken={service.token}"]
        command += [f"-remoteWrite.tmpDataPath={found.make(f'{dataset}/waiting')}", "-remoteWrite.flushInterval=200ms"]
        with found.running(command, f"{url}/health"):
            for numbers in ledger.batches():
                points = "".join(f"number {n} {1_780_311_600_000 + n}\n" for n in numbers).encode()
                urllib.request.urlopen(f"{url}/api/v1/import/prometheus", points, WAIT_SECONDS).close()
                ledger.add(numbers)
            ledger.is_handed_over.set()
            ledger.is_checked.wait(WAIT_SECONDS)

    def syslog_ng(service, dataset, ledger):
        """It follows a file, keeps what is refused in memory, and comes back each second."""
        lines, command = syslog_ng_command(
            found,
            dataset,
            "",
            f"""destination bulk {{
  elasticsearch-http(url("{service.url}/_bulk") index("{dataset}") type("") user("any") password("{service.token}")
                     time-reopen(1));
}};
log {{ source(lines); destination(bulk); flags(flow-control); }};
""",
        )
        with found.running(command):
            for numbers in ledger.batches():
                with open(lines, "a") as file:
                    file.writelines(f"{n}\n" for n in numbers)
                ledger.add(numbers)
            ledger.is_handed_over.set()
            ledger.is_checked.wait(WAIT_SECONDS)

    def prometheus(service, dataset, ledger):
        """It reads a page with a number, and writes what it found when it can. It would drop what is answered by 429, unless
        its settings say otherwise."""
        port = free_port()
        with page_with_number() as page:
            remote = f"""remote_write:
  - url: {service.url}/api/v1/write?dataset={dataset}
    authorization: {{credentials: {service.token}}}
    write_relabel_configs: [{{source_labels: [__name__], regex: number, action: keep}}]
    queue_config: {{batch_send_deadline: 200ms, min_backoff: 50ms, max_backoff: 500ms, retry_on_http_429: true}}
    metadata_config: {{send: false}}
"""
            config = found.make(f"{dataset}/prometheus.yml", f"{scrape_config(page.server_port, '100ms')}{remote}")
            command = [found.path("usr/bin/prometheus"), f"--config.file={config}"]
            command += [f"--storage.tsdb.path={config.parent}/data", f"--web.listen-address=127.0.0.1:{port}"]
            with found.running(command, f"http://127.0.0.1:{port}/-/ready"):
                while not ledger.is_over.is_set():
                    page.number, ledger.sent = ledger.sent, ledger.sent + 1
                    await_scraped(port, page.number)
                    ledger.add([page.number])
                ledger.is_handed_over.set()
                ledger.is_checked.wait(WAIT_SECONDS)

    return journal_upload, vmagent, syslog_ng, prometheus


@contextmanager
def page_with_number():
    """What Prometheus scrapes: the number that the server has at the moment."""

    class Page(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            text = f"number {self.server.number}\n".encode()
            self.send_response(200)
            self.send_header("content-type", "text/plain")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    server = HTTPServer(("127.0.0.1", 0), Page)
    server.number = 0
    # Who does not wait for the page any longer comes again.
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def await_scraped(port, number):
    """Until Prometheus has the number, which it keeps from then on."""
    until, found = time.monotonic() + WAIT_SECONDS, None
    while found != number:
        if time.monotonic() > until:
            raise AssertionError(f"Prometheus has {found} instead of {number}")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?query=number", timeout=WAIT_SECONDS) as answer:
            result = json.load(answer)["data"]["result"]
        found = int(result[0]["value"][1]) if result else None
        if found != number:
            time.sleep(REST_SECONDS / 4)
