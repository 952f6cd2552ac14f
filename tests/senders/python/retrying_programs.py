"""Programs in the trouble matrix: clients of npm, and what Debian has. Those that keep what is not taken, on their disk or in
memory, acknowledge what they have got; it must all be stored in the end."""

import atexit
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

from daemons import add_entries
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

    return journal_upload, vmagent, syslog_ng
