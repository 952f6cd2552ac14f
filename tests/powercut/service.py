"""The real binary on a data folder, recorded or not, and what it is asked over HTTP."""

import http.client
import json
import os
import signal
import subprocess
import threading
import time
import urllib.parse

WAIT_SECONDS = 120

# Events leave the buffer soon, and what was replaced goes with the next start. A slow machine is no fault.
SETTINGS = {
    "flush-rows": 120,
    "flush-age-seconds": 2,
    "segment-grace-seconds": 0,
    "request-timeout-seconds": 120,
    "header-timeout-seconds": 120,
    "query-timeout-seconds": 120,
    "query-threads": 1,
    "log-level": "warn",
}

# Beside the data folder, if the first token was chosen before the first start.
TOKEN_FILE = "token"

SINCE = "2020-01-01T00:00:00Z"

EVENTS_MAX = 50_000


class DidNotStart(Exception):
    """The service ended before it listened."""


class Refused(Exception):
    """The service answered with an error."""

    def __init__(self, status, text):
        super().__init__(f"{status}: {text[:500]}")
        self.status, self.text = status, text


class Service:
    """A service that runs. `recorder` is a pair of the library and the trace, if there is to be one; `settings` are
    beside those that all have, and `environment` beside that of this process."""

    def __init__(self, binary, folder, log, recorder=None, settings=None, environment=None):
        self.folder, self.is_recorded = folder, recorder is not None
        chosen = SETTINGS | (settings or {})
        arguments = [part for key, value in chosen.items() for part in (f"--{key}", str(value))]
        token = folder / TOKEN_FILE
        if token.exists():
            arguments += ["--first-token-file", str(token)]
        else:
            token = folder / "data" / "first-token"
        command = [binary, "serve", "--data", str(folder / "data"), "--listen", "127.0.0.1:0", *arguments]
        # Memory that the allocator takes for each thread costs a start more than it gives here.
        environment = os.environ | {"MALLOC_ARENA_MAX": "2"} | (environment or {})
        if recorder:
            library, trace = recorder
            environment |= {"LD_PRELOAD": str(library), "RECORDER_FOLDER": str(folder)}
            environment |= {"RECORDER_TRACE": str(trace)} if trace else {}
        self.errors = open(log, "ab")
        self.begun = time.time()
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.errors, text=True, env=environment)
        self.address = self.wait_until_it_listens()
        if not self.address or not token.exists():
            self.end(signal.SIGKILL)
            reason = log.read_text(errors="replace").strip()[-2000:]
            raise DidNotStart("it is not the same any more" if self.address else reason or "it gave no reason")
        self.token = token.read_text().strip()
        self.local = threading.local()

    def wait_until_it_listens(self):
        """The address, or nothing if it ends before, or takes too long."""
        patience = threading.Timer(WAIT_SECONDS, self.process.kill)
        patience.start()
        try:
            for line in self.process.stdout:
                if "listens on" in line:
                    address = urllib.parse.urlsplit(line.split("listens on ")[1].strip())
                    return address.hostname, address.port
            return None
        finally:
            patience.cancel()

    def call(self, method, path, body=None, headers=None, content_type="application/json"):
        """The status, the headers and the body of an answer. Each thread has a connection of its own."""
        if not hasattr(self.local, "connection"):
            self.local.connection = http.client.HTTPConnection(*self.address, timeout=WAIT_SECONDS)
        try:
            return self.exchange(self.local.connection, method, path, body, headers, content_type)
        except (OSError, http.client.HTTPException):
            # It is of no use any more; the next call makes another.
            self.local.connection.close()
            del self.local.connection
            raise

    def exchange(self, connection, method, path, body, headers, content_type):
        sent = {"authorization": f"Bearer {self.token}", "content-type": content_type} | (headers or {})
        connection.request(method, path, body if body is None or isinstance(body, bytes) else json.dumps(body), sent)
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
        if answer.status >= 300:
            raise Refused(answer.status, text)
        return answer, json.loads(text) if text else None

    def rows(self, query):
        answer = self.call("POST", "/v1/query/_apl?format=tabular", {"apl": query, "startTime": SINCE})[1]["tables"][0]
        return list(zip(*answer["columns"])) if answer["columns"] else []

    def events(self, dataset):
        """All events: number, part and text."""
        return self.rows(f"['{dataset}'] | project id, part, text | take {EVENTS_MAX}")

    def tally(self, dataset):
        """How many events each part has, which may be answered from what was kept of segments."""
        return dict(self.rows(f"['{dataset}'] | summarize events = count() by part"))

    def stop(self):
        self.end(signal.SIGTERM)

    def kill(self):
        """Ends it at once. One that is recorded ends between two records."""
        self.end(signal.SIGUSR1 if self.is_recorded else signal.SIGKILL)

    def end(self, how):
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait(WAIT_SECONDS)
        self.process.stdout.close()
        self.errors.close()
