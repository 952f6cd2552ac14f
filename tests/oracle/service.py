"""The real binary with a data folder of its own, and what it is asked over HTTP."""

import http.client
import json
import subprocess
import urllib.parse

from events import rfc3339

WAIT_SECONDS = 600

# The program decides when events leave the buffer, not the service; and a slow machine is no fault.
SETTINGS = {
    "flush-bytes": 1 << 40,
    "buffer-bytes": 1 << 41,
    "flush-rows": 1 << 40,
    "flush-age-seconds": 1_000_000,
    "request-timeout-seconds": 600,
    "query-timeout-seconds": 600,
}


# Questions look back to the first time that can be stored.
LIMITS = {"maxQueryWindowSeconds": 20_000_000_000, "monthlyQueryGbHours": 1_000_000_000, "monthlyIngestGb": 1_000_000}


class Refused(Exception):
    """The service answered with an error."""


class Service:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.start()

    def start(self):
        arguments = [part for key, value in SETTINGS.items() for part in (f"--{key}", str(value))]
        command = [self.binary, "serve", "--data", str(self.folder / "data"), "--listen", "127.0.0.1:0", *arguments]
        self.log = open(self.folder / "log", "a")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        for line in self.process.stdout:
            if "listens on" in line:
                address = urllib.parse.urlsplit(line.split("listens on ")[1].strip())
                break
        else:
            raise SystemExit(f"oracle: the service did not start, see {self.folder / 'log'}")
        limits = [f"{limit}={value}" for limit, value in LIMITS.items()]
        set_limits = [self.binary, "org", "set-limits", *limits, "--data", str(self.folder / "data")]
        subprocess.run(set_limits, check=True, stdout=subprocess.DEVNULL, stderr=self.log)
        self.token = (self.folder / "data" / "first-token").read_text().strip()
        self.address = (address.hostname, address.port)

    def call(self, path, body, content_type="application/json"):
        headers = {"authorization": f"Bearer {self.token}", "content-type": content_type}
        # The service closes a connection on which nothing comes for a while, and DuckDB may take longer.
        connection = http.client.HTTPConnection(*self.address, timeout=WAIT_SECONDS)
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status != 200:
            raise Refused(f"{answer.status}: {text.decode(errors='replace')[:2000]}")
        return json.loads(text)

    def ingest(self, dataset, lines):
        status = self.call(f"/v1/datasets/{dataset}/ingest", "".join(lines).encode(), "application/x-ndjson")
        if status["ingested"] != len(lines) or status["failed"]:
            raise SystemExit(f"oracle: {status} of {len(lines)} events")

    def ask(self, query):
        body = {"apl": query.apl()}
        if query.start is not None:
            body |= {"startTime": rfc3339(query.start), "endTime": rfc3339(query.end)}
        path = "/v1/query/_apl?format=tabular"
        return self.call(path, json.dumps(body))["tables"][0]

    def delete(self, apl):
        return self.call("/v2/datasets/_apl/delete", json.dumps({"apl": apl, "commit": True}))["rowsDeleted"]

    def stop(self):
        self.process.terminate()
        self.process.wait(WAIT_SECONDS)
        self.log.close()

    def restart(self):
        self.stop()
        self.start()
