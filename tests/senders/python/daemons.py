"""Programs that machines run beside ours, as Debian has them: systemd-journal-upload, Prometheus and vmagent here, rsyslog and
syslog-ng in syslog_daemons.py. Each is given the configuration that its page in docs/reference shows."""

import time
from pathlib import Path

from gateway import LOST, REFUSALS, HttpGateway
from service import WAIT_SECONDS, equal, free_port
from syslog_daemons import rsyslog, syslog_ng
from unpacked import Unpacked

ENTRIES = 1000


def daemons(service, folder):
    """Sends by every program that the folder has."""
    found = Unpacked(Path(folder), service.folder)
    for send in [rsyslog, syslog_ng, journal_upload, prometheus, vmagent]:
        send(service, found)
        print(f"senders: {send.__name__} passed", flush=True)


def journal_upload(service, found):
    """A whole journal at once, then what came since: the program keeps the cursor of what was acknowledged."""
    service.make_dataset("journal-upload")
    journal = found.make("journal/remote") / "remote-shop.journal"
    url = f"http://x:{service.token}@{service.host}:{service.port}/v1/ingest/journal-upload/journald"
    upload = [found.path("lib/systemd/systemd-journal-upload"), "--url", url, "--file", str(journal)]
    for first, last in [(0, ENTRIES), (ENTRIES, ENTRIES + 10)]:
        add_entries(found, journal, range(first, last))
        found.run([*upload, f"--save-state={journal.parent / 'state'}", "--follow=no"])
        # The entry that it was at is sent again by the next run.
        equal(service.count("journal-upload") in (last, last + 1), True)
    apl = "['journal-upload'] | project n = toint(SHOP_NUMBER) | summarize dcount(n), min(n), max(n)"
    equal(service.rows(apl), [(ENTRIES + 10, 0, ENTRIES + 9)])


def add_entries(found, journal, numbers):
    entries = found.make(f"{journal.parent.name}-export", "".join(entry(number) for number in numbers))
    found.run([found.path("lib/systemd/systemd-journal-remote"), "--output", str(journal), str(entries)])


def entry(number):
    micros = int(time.time() * 1_000_000) - 3_600_000_000 + number
    fields = {
        "__REALTIME_TIMESTAMP": micros,
        "__MONOTONIC_TIMESTAMP": number + 1,
        "_BOOT_ID": "0" * 31 + "1",
        "_MACHINE_ID": "0" * 31 + "2",
        "_HOSTNAME": "shop",
        "PRIORITY": 6,
        "SHOP_NUMBER": number,
        "MESSAGE": f"entry {number}",
    }
    return "".join(f"{name}={value}\n" for name, value in fields.items()) + "\n"


def scrape_config(port, interval="1s"):
    return f"""scrape_configs:
  - job_name: itself
    scrape_interval: {interval}
    static_configs:
      - targets: ["127.0.0.1:{port}"]
"""


def prometheus(service, found):
    """It scrapes itself and writes what it finds to the address of an endpoint, again where that is refused or the answer is
    lost. It would drop what is answered by 429, which the service does not. Its own figures tell whether it did."""
    port, gateway = free_port(), HttpGateway(service)
    gateway.upcoming.extend([*((status, seconds) for status, seconds in REFUSALS if status != 429), LOST])
    address = gateway.url + service.make_endpoint("remoteWrite", "prometheus-itself")
    remote = f"remote_write:\n  - url: {address}/api/v1/write\n    queue_config: {{batch_send_deadline: 1s}}\n"
    config = found.make("prometheus/prometheus.yml", f"{scrape_config(port)}{remote}")
    command = [found.path("usr/bin/prometheus"), f"--config.file={config}", f"--storage.tsdb.path={config.parent}/data"]
    command += [f"--web.listen-address=127.0.0.1:{port}", "--web.enable-lifecycle"]
    figure = "['prometheus-itself'] | where metric == 'prometheus_remote_storage_samples_{}_total' | summarize max(value)"
    retried = figure.format("retried")
    with found.running(command):
        gateway.await_used()
        until = time.monotonic() + WAIT_SECONDS
        while service.count("prometheus-itself") == 0 or not service.rows(retried)[0][0]:
            if time.monotonic() > until:
                raise AssertionError("no samples came after the refusals")
            time.sleep(0.2)
    gateway.close()
    equal([service.rows(figure.format(end)) for end in ("failed", "dropped")], [[(0.0,)]] * 2)
    scrapes = "['prometheus-itself'] | where metric == 'up' | distinct value, ['labels.job']"
    equal(service.rows(scrapes), [(1.0, "itself")])
    built = service.rows("['prometheus-itself'] | where metric == 'prometheus_build_info' | distinct ['labels.version'], value")
    equal((len(built), built[0][1]), (1, 1.0))


def vmagent(service, found):
    """It scrapes itself too, and keeps what is refused on its disk until it is taken. Its own figures, which it sends, tell
    whether it tried again and whether it dropped anything."""
    port, gateway = free_port(), HttpGateway(service)
    gateway.upcoming.extend([*REFUSALS, LOST])
    config = found.make("vmagent/scrape.yml", scrape_config(port))
    command = [found.path("usr/bin/vmagent"), f"-promscrape.config={config}", f"-httpListenAddr=127.0.0.1:{port}"]
    command += [f"-remoteWrite.url={gateway.url}/api/v1/write?dataset=vmagent", f"-remoteWrite.bearerToken={service.token}"]
    command += [f"-remoteWrite.tmpDataPath={config.parent}/waiting"]
    figure = "['vmagent'] | where metric == 'vmagent_remotewrite_{}' | summarize max(value)"
    retries = figure.format("retries_count_total")
    with found.running(command):
        until = time.monotonic() + WAIT_SECONDS
        while service.count("vmagent") == 0 or (service.rows(retries)[0][0] or 0) < len(REFUSALS):
            if time.monotonic() > until:
                raise AssertionError("no samples came after the refusals")
            time.sleep(0.2)
    gateway.close()
    equal(service.rows(figure.format("packets_dropped_total")), [(0.0,)])
    scrapes = "['vmagent'] | where metric == 'up' | distinct value, ['labels.job']"
    equal(service.rows(scrapes), [(1.0, "itself")])
