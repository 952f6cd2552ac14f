"""The real binary on a port that stays the same when it is killed and started again, and questions about its events."""

import json
import os
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request

WAIT_SECONDS = 300


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Service:
    def __init__(self, binary, folder, settings=(), authority=None, environment=None):
        """`authority` is who signed the certificate, if the settings name one; `environment` is added to that of this program."""
        self.binary = binary
        self.folder = folder
        self.host = "127.0.0.1"
        self.port = free_port()
        self.url = f"{'https' if authority else 'http'}://{self.host}:{self.port}"
        self.authority = authority
        self.environment = {**os.environ, **(environment or {})}
        # Settings beside the usual ones, which count from the next start, and the ports that they open.
        self.settings, self.ports = list(settings), {}
        self.process = None
        self.start()
        self.owner = (folder / "data" / "first-token").read_text().strip()
        # What senders are given: it may send events, make datasets for them, and nothing else.
        self.token = self.make_token("sender", "*:ingest|create", "datasets|create")

    def start(self):
        command = [self.binary, "serve", "--data", str(self.folder / "data"), "--listen", f"{self.host}:{self.port}"]
        command += self.settings
        with open(self.folder / "log", "a") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=self.environment)
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

    def set_limits(self, *limits):
        """Of the organisation that the first start made. They count within a second."""
        command = [self.binary, "org", "set-limits", *limits, "--data", str(self.folder / "data")]
        subprocess.run(command, check=True, capture_output=True)

    def make_dataset(self, name):
        self.call("/v2/datasets", {"name": name})

    def make_endpoint(self, kind, dataset, **more):
        """A dataset, and an endpoint that leads to it; the path of its own address."""
        self.make_dataset(dataset)
        made = self.call("/v2/endpoints", {"name": dataset, "kind": kind, "dataset": dataset, **more})
        return made["url"][made["url"].index("/e/") :]

    def open_ports(self, names, dataset, networks="127.0.0.1"):
        """Opens listeners of these names. What comes to them goes to `dataset` and the kind of the listener, with a label."""
        for name in names:
            self.ports[name] = free_port()
            self.settings += [f"--{name}", f"{self.host}:{self.ports[name]}"]
        for kind in {name.split("-")[0] for name in names} - {"otlp"}:
            self.make_dataset(f"{dataset}-{kind}")
            endpoint = {"name": kind, "kind": kind, "dataset": f"{dataset}-{kind}", "labels": {"via": kind}}
            made = self.call("/v2/endpoints", endpoint)["id"]
            self.settings += [f"--{kind}-networks", networks, f"--{kind}-endpoint", made]
        self.stop()
        self.start()

    def call(self, path, body):
        headers = {"authorization": f"Bearer {self.owner}", "content-type": "application/json"}
        request = urllib.request.Request(self.url + path, data=json.dumps(body).encode(), headers=headers)
        context = ssl.create_default_context(cafile=self.authority) if self.authority else None
        with urllib.request.urlopen(request, timeout=WAIT_SECONDS, context=context) as answer:
            return json.load(answer)

    def rows(self, apl):
        """The rows of the answer, as tuples in the order of the fields that the query projects."""
        table = self.call("/v1/query/_apl?format=tabular", {"apl": apl})["tables"][0]
        return list(zip(*table["columns"]))

    def values(self, dataset, field="n", where=None):
        """What the events of the dataset have in the field, sorted; of all, or of those that the condition is true for."""
        condition = f"| where {where} " if where else ""
        return sorted(value for (value,) in self.rows(f"['{dataset}'] {condition}| project ['{field}'] | limit 50000"))

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
        self.await_rows(f"['{dataset}'] | summarize count()", [(count,)])

    def await_rows(self, apl, expected):
        """Asks until the answer is this one; the dataset may not be there yet."""
        until, answered = time.monotonic() + WAIT_SECONDS, None
        while answered != expected:
            if time.monotonic() > until:
                raise AssertionError(f"{apl} is {shortened(answered)} instead of {expected}")
            if answered is not None:
                time.sleep(0.1)
            try:
                answered = self.rows(apl)
            except urllib.error.HTTPError as error:
                # 400 where it has no such field yet.
                if error.code not in (400, 404):
                    raise
                answered = error.code


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"\n  got      {shortened(actual)}\n  expected {shortened(expected)}")


def shortened(value):
    text = repr(value)
    return text if len(text) < 2000 else f"{text[:2000]}… ({len(value)} in all)"
