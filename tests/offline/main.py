"""Runs the service where no network is, uses it for a while, and looks whether it tried to reach anything: the system
counts what it could not send. scripts/offline.sh starts this file in a network of its own, which has nothing but the
machine itself.
"""

import http.client
import json
import os
import subprocess
import sys
import time
import urllib.parse

# Long enough for whatever is done at the start, and for the jobs that are done each minute.
SECONDS = 65
REQUESTS = [
    ("GET", "/healthz", None),
    ("GET", "/readyz", None),
    ("GET", "/version", None),
    ("GET", "/metrics", None),
    ("GET", "/docs", None),
    ("GET", "/openapi.json", None),
    ("GET", "/login", None),
    ("GET", "/.well-known/oauth-authorization-server", None),
    ("GET", "/v2/user", None),
    ("POST", "/v2/datasets", {"name": "web"}),
    ("POST", "/v1/datasets/web/ingest", [{"status": 500, "path": "/a", "ip": "203.0.113.7"}] * 100),
    ("POST", "/v1/query/_apl?format=tabular", {"apl": "['web'] | summarize count() by path"}),
    ("POST", "/v1/query/_apl?format=tabular", {"apl": "['web'] | extend geo_info_from_ip_address(ip) | take 1"}),
    (
        "POST",
        "/v2/monitors",
        {
            "name": "errors",
            "type": "Threshold",
            "aplQuery": "['web'] | where status == 500 | summarize count()",
            "operator": "Above",
            "threshold": 1,
            "intervalMinutes": 1,
            "rangeMinutes": 10,
        },
    ),
]


def figures():
    """What the system could not send, or had to send to a port where nobody listens: a name server, for example."""
    found = {}
    with open("/proc/net/snmp", encoding="ascii") as file:
        lines = [line.split() for line in file]
    for names, values in zip(lines[::2], lines[1::2]):
        found.update({names[0] + name: int(value) for name, value in zip(names[1:], values[1:])})
    with open("/proc/net/snmp6", encoding="ascii") as file:
        found.update({name: int(value) for name, value in (line.split() for line in file)})
    wanted = ("Ip:OutNoRoutes", "Ip:OutDiscards", "Udp:OutDatagrams", "Udp:NoPorts", "Ip6OutNoRoutes", "Udp6OutDatagrams")
    return {name: found[name] for name in wanted if name in found}


def tried():
    """One attempt each, to see that it is counted."""
    import socket

    before = figures()
    for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            try:
                with socket.socket(family, kind) as attempt:
                    attempt.settimeout(1)
                    attempt.connect((address, 53))
                    attempt.send(b"x")
            except OSError:
                pass
    after = figures()
    return {name: after[name] - before[name] for name in after if after[name] != before[name]}


def main():
    binary, data = sys.argv[1:3]
    if not tried():
        raise SystemExit("offline: this system does not count what could not be sent")
    before = figures()
    command = [binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--log-level", "warn"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        line = next((line for line in process.stdout if "listens on " in line), None)
        if line is None:
            raise SystemExit("offline: the service did not start")
        url = urllib.parse.urlsplit(line.split("listens on ")[1].strip())
        with open(os.path.join(data, "first-token"), encoding="utf-8") as file:
            token = file.read().strip()
        for method, path, body in REQUESTS:
            status = ask(url, token, method, path, body)
            if status >= 400:
                raise SystemExit(f"offline: {method} {path} was answered with {status}")
        time.sleep(SECONDS)
        if process.poll() is not None:
            raise SystemExit("offline: the service has ended")
    finally:
        process.terminate()
        process.wait()
    after = figures()
    reached = {name: after[name] - before[name] for name in after if after[name] != before[name]}
    if reached:
        raise SystemExit(f"offline: the service tried to reach something: {reached}")
    print(f"offline: {len(REQUESTS)} requests and {SECONDS} s, nothing was reached for")


def ask(url, token, method, path, body):
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    try:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


if __name__ == "__main__":
    main()
