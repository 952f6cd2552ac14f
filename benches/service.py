"""The service as a measured engine: started on a folder, fed by its own client, asked over one kept connection."""

import http.client
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

DATASET = "bench"
CONNECTIONS = 4
SETTLE_SECONDS = 1_800
IDLE_SECONDS = 5
# What must not stop a measurement: the rate of requests, and how many fields a wide dataset may have.
LIMITS = ["apiRateLimitPerSecond=1000000000", "maxFields=4096"]


class NotServed(Exception):
    """The service does not take events."""


class Service:
    """The optimised service on the folder `data` in `folder`, which is made when it is missing."""

    def __init__(self, binary, folder, settings=()):
        self.binary, self.data = binary, os.path.join(folder, "data")
        command = [binary, "serve", "--data", self.data, "--listen", "127.0.0.1:0", "--log-level", "error", *settings]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            self.wait_until_it_listens()
            limits = [binary, "org", "set-limits", *LIMITS, "--data", self.data]
            subprocess.run(limits, stdout=subprocess.DEVNULL, check=True)
        except BaseException:
            self.stop()
            raise
        address = urllib.parse.urlsplit(self.url)
        self.host, self.port = address.hostname, address.port
        self.connection, self.used = http.client.HTTPConnection(self.host, self.port), time.perf_counter()
        self.version = version_of(binary)

    def wait_until_it_listens(self):
        line = next((line for line in self.process.stdout if "listens on " in line), None)
        if line is None:
            raise RuntimeError("the service did not start")
        self.url = line.split("listens on ")[1].strip()
        self.token_file = os.path.join(self.data, "first-token")
        with open(self.token_file, encoding="utf-8") as file:
            self.token = file.read().strip()

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def call(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def make_dataset(self, name=DATASET):
        try:
            self.call("POST", "/v2/datasets", {"name": name, "description": "benchmark"})
        except urllib.error.HTTPError as error:
            if error.code in (404, 405):
                raise NotServed("it has no datasets yet") from error
            raise

    def ask(self, body):
        """Seconds until the last byte of the answer, and the answer. A body with `apl` is a query in text."""
        text = "apl" in body
        path = "/v1/query/_apl?format=tabular-rows" if text else f"/v1/datasets/{DATASET}/query"
        return self.post(path, json.dumps(body).encode(), "application/json")

    def insert(self, file):
        """Seconds until a small file of events is acknowledged, as one request."""
        with open(file, "rb") as lines:
            body = lines.read()
        seconds, answer = self.post(f"/v1/datasets/{DATASET}/ingest", body, "application/x-ndjson")
        if answer["failed"]:
            raise RuntimeError(f"{answer['failed']} events of {file} were not taken")
        return seconds

    def post(self, path, body, kind):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind}
        self.connect_again_if_idle()
        begun = time.perf_counter()
        self.connection.request("POST", path, body, headers)
        answer = self.connection.getresponse()
        raw = answer.read()
        self.used = time.perf_counter()
        seconds = self.used - begun
        if answer.status != 200:
            raise RuntimeError(f"{answer.status} {raw[:500]!r}")
        return seconds, json.loads(raw)

    def connect_again_if_idle(self):
        """The service closes a connection that was silent for long, as it is while a slow engine has its turn."""
        if time.perf_counter() - self.used > IDLE_SECONDS:
            self.connection.close()
            self.connection.connect()

    def ingest_command(self, file):
        """The client's command for a file, or for standard input with `-`."""
        command = [self.binary, "ingest", DATASET, file, "--url", self.url, "--token-file", self.token_file]
        return [*command, "--connections", str(CONNECTIONS)]

    def ingest(self, file, stdin=None):
        subprocess.run(self.ingest_command(file), check=True, stdin=stdin, stdout=sys.stderr)

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak(self):
        return peak_of(self.process.pid)

    def stored_bytes(self):
        """Bytes of the segments that count now, without those that they replaced, which stay for a grace time."""
        return self.call("GET", f"/v1/datasets/{DATASET}/info")["compressedBytes"]

    def settle(self, name=DATASET):
        """Waits until the segments stop changing: flushed when no more comes, then merged. Returns their bytes; what
        they replaced stays for a grace time and is not counted, nor is the log, which is empty by then."""
        begun, same, last = time.perf_counter(), 0, None
        while same < 20 and time.perf_counter() - begun < SETTLE_SECONDS:
            now = self.call("GET", f"/v1/datasets/{name}/info")
            same = same + 1 if now == last else 0
            last = now
            time.sleep(1)
        return last["compressedBytes"], time.perf_counter() - begun - same


def version_of(binary):
    return subprocess.run([binary, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def knows_setting(binary, flag):
    """Whether the binary has a flag: an older one is measured without it."""
    return flag in subprocess.run([binary, "serve", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout


def peak_of(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        line = next(line for line in file if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024
