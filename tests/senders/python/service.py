"""The real binary on a port that stays the same when it is killed and started again, and questions about its events."""

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request

WAIT_SECONDS = 60


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Service:
    def __init__(self, binary, folder):
        self.binary = binary
        self.folder = folder
        self.host = "127.0.0.1"
        self.port = free_port()
        self.url = f"http://{self.host}:{self.port}"
        self.process = None
        self.start()
        self.owner = (folder / "data" / "first-token").read_text().strip()
        # What senders are given: it may send events, make datasets for them, and nothing else.
        self.token = self.make_token("sender", "*:ingest|create", "datasets|create")

    def start(self):
        command = [self.binary, "serve", "--data", str(self.folder / "data"), "--listen", f"{self.host}:{self.port}"]
        with open(self.folder / "log", "a") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        for line in self.process.stdout:
            if "listens on" in line:
                return
        raise AssertionError("the service did not start")

    def kill(self):
        """As `kill -9` does: nothing is written any more."""
        self.process.kill()
        self.process.wait(WAIT_SECONDS)

    def stop(self):
        self.process.terminate()
        self.process.wait(WAIT_SECONDS)

    def make_token(self, name, *grants):
        given = [part for grant in grants for part in ("--grant", grant)]
        command = [self.binary, "token", "create", name, *given, "--data", str(self.folder / "data")]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def make_dataset(self, name):
        self.call("/v2/datasets", {"name": name})

    def call(self, path, body):
        headers = {"authorization": f"Bearer {self.owner}", "content-type": "application/json"}
        request = urllib.request.Request(self.url + path, data=json.dumps(body).encode(), headers=headers)
        with urllib.request.urlopen(request, timeout=WAIT_SECONDS) as answer:
            return json.load(answer)

    def rows(self, apl):
        """The rows of the answer, as tuples in the order of the fields that the query projects."""
        table = self.call("/v1/query/_apl?format=tabular", {"apl": apl})["tables"][0]
        return list(zip(*table["columns"]))

    def values(self, dataset, field="n"):
        """What the events of the dataset have in the field, sorted."""
        return sorted(value for (value,) in self.rows(f"['{dataset}'] | project ['{field}'] | limit 50000"))

    def count(self, dataset):
        """How many events the dataset has; none where it was not made yet."""
        try:
            return self.rows(f"['{dataset}'] | summarize count()")[0][0]
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            return 0

    def await_count(self, dataset, count):
        """Asks until the dataset has so many events, for senders that do not tell when theirs were taken."""
        until = time.monotonic() + WAIT_SECONDS
        while self.count(dataset) != count:
            if time.monotonic() > until:
                raise AssertionError(f"{dataset} has {self.count(dataset)} events instead of {count}")
            time.sleep(0.1)


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"\n  got      {shortened(actual)}\n  expected {shortened(expected)}")


def shortened(value):
    text = repr(value)
    return text if len(text) < 2000 else f"{text[:2000]}… ({len(value)} in all)"
