"""Bodies that nobody would send, to every endpoint and port for senders (hostile_bodies.py). Each is refused or taken within a
measured bound, whether they come alone or all at once, and whoever sends as one should is served afterwards."""

import re
import shutil
import socket
import struct
import subprocess
from concurrent.futures import ThreadPoolExecutor

from hostile_bodies import BODY, COMPRESSED, ENDLESS_PARTS, GZIP, MIB, OTLP, PLAIN, PORTS, datagrams, requests, zstd
from service import WAIT_SECONDS, Service, equal

INGEST, BUFFER, FLUSH = 32 * MIB, 32 * MIB, 16 * MIB
SETTINGS = {
    "ingest-memory-bytes": INGEST,
    "buffer-bytes": BUFFER,
    "flush-bytes": FLUSH,
    "max-ingest-body-bytes": BODY,
    "max-ingest-uncompressed-bytes": PLAIN,
    "max-event-bytes": 2 * MIB,
}
# What is freed goes back to the system at once. The allocator would keep it for a second and longer, which is up to 230 MiB
# of what was sent one by one, and hides what the service holds.
ENVIRONMENT = {"MIMALLOC_PURGE_DELAY": "0"}
# By how much what is held may grow while one is sent, or all of them at once: about a quarter more than was measured.
MOST_BY_ONE, MOST_AT_ONCE = 110 * MIB, 190 * MIB
# What may be held beyond an idle process, whatever came before. The buffer and a segment that is being written are in it.
MOST = MOST_BY_ONE + MOST_AT_ONCE
# How much of a body without end is sent before it is given up.
ENDLESS = 2 * BODY
AT_ONCE = 8
# What may be answered: taken, refused for what it is, and with many at once that there is no room. Nothing is a fault of ours,
# and nothing is waited for in vain.
ANSWERS = {200, 202, 204, 400, 413, 422}
# Where many come at once, some are told to come back.
COME_BACK = {429, 503}
ANSWERS_AT_ONCE = ANSWERS | COME_BACK
# Of a body without end: too large, or something that cannot be read comes before that. A journal has no end by itself: what
# is too long of a field is cut, and nothing is answered before the sender is silent for as long as a request may take.
ENDLESS_ANSWERS = {400, 413}
JOURNAL, JOURNAL_ANSWERS, JOURNAL_SECONDS = "application/vnd.fdo.journal", {None}, 1
# Each opens an endpoint of its own.
KINDS = ["ingest", "otlp", "elastic", "loki", "remoteWrite"]


class Watched:
    def __init__(self, service):
        self.service = service
        self.idle = self.before = self.held("VmRSS")
        self.answers, self.peaks = {}, {}

    def held(self, name):
        with open(f"/proc/{self.service.process.pid}/status", encoding="utf-8") as file:
            line = next(line for line in file if line.startswith(name))
        return int(line.split()[1]) * 1024

    def measure(self, phase, what=None, most=MOST_BY_ONE):
        """The most that was held since the last time, beyond an idle process and beyond what was held then."""
        peak = self.held("VmHWM")
        beyond_idle, grown = peak - self.idle, peak - self.before
        # From now on anew.
        with open(f"/proc/{self.service.process.pid}/clear_refs", "w", encoding="utf-8") as file:
            file.write("5")
        self.before = self.held("VmRSS")
        until_now = self.peaks.get(phase, (0, 0))
        self.peaks[phase] = (max(until_now[0], beyond_idle), max(until_now[1], grown))
        if beyond_idle > MOST or grown > most:
            allowed = f"{MOST // MIB} and {most // MIB} are allowed"
            raise AssertionError(f"{phase}, {what}: {beyond_idle // MIB} MiB were held, {grown // MIB} of them new; {allowed}")

    def connect(self, port=None):
        connection = socket.create_connection((self.service.host, port or self.service.port), timeout=WAIT_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def head(self, path, kind, encoding, length):
        token = self.service.owner if path == "/mcp" else self.service.token
        encoding = f"content-encoding: {encoding}\r\n" if encoding else ""
        return (
            f"POST {path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {token}\r\nx-tidegauge-dataset: hostile\r\n"
            f"content-type: {kind}\r\n{encoding}{length}\r\nconnection: close\r\n\r\n"
        ).encode()

    def send(self, request, allowed=ANSWERS):
        path, kind, encoding, what, body = request
        with self.connect() as connection:
            try:
                connection.sendall(self.head(path, kind, encoding, f"content-length: {len(body)}"))
                connection.sendall(body)
            except OSError:
                pass  # It was answered before all of it was there.
            self.note(path, what, status(connection), allowed)

    def send_endless(self, path, kind, allowed=ENDLESS_ANSWERS):
        begin, more = ENDLESS_PARTS[kind]
        sent = 0
        with self.connect() as connection:
            try:
                connection.sendall(self.head(path, kind, None, "transfer-encoding: chunked"))
                connection.sendall(chunk(begin) if begin else b"")
                while sent < ENDLESS:
                    connection.sendall(chunk(more))
                    sent += len(more)
            except OSError:
                pass
            if kind == JOURNAL:
                connection.settimeout(JOURNAL_SECONDS)
            answers = JOURNAL_ANSWERS | (allowed & COME_BACK) if kind == JOURNAL else allowed
            self.note(path, "no end", status(connection), answers)

    def note(self, path, what, answered, allowed):
        self.answers[answered] = self.answers.get(answered, 0) + 1
        if answered not in allowed:
            raise AssertionError(f"{path}, {what}: answered with {answered}")

    def send_to_port(self, port, body):
        with self.connect(port) as connection:
            try:
                connection.sendall(body)
                connection.settimeout(0.05)
                connection.recv(1)
            except OSError:
                pass


def chunk(part):
    return f"{len(part):x}\r\n".encode() + part + b"\r\n"


def status(connection):
    """Of the answer; nothing where the connection ends without one."""
    try:
        line = connection.recv(65_536).split(b"\r\n")[0].split()
        return int(line[1]) if len(line) > 1 else None
    except OSError:
        return None


def hostile(service):
    folder = service.folder / "hostile"
    folder.mkdir()
    settings = [word for name, value in SETTINGS.items() for word in (f"--{name}", str(value))]
    attacked = Service(service.binary, folder, settings, environment=ENVIRONMENT)
    try:
        addresses = {kind: attacked.make_endpoint(kind, f"hostile-{kind}") for kind in KINDS}
        attacked.make_dataset("hostile")
        attacked.open_ports([*PORTS, "syslog-udp", "gelf-udp"], "hostile")
        attack(attacked, addresses)
    finally:
        attacked.stop()


def attack(service, addresses):
    # First, so that what the first event of a process takes is not counted: its code is read, threads begin.
    take_normal(service, 0)
    watched, all_requests = Watched(service), list(requests(addresses))
    for request in all_requests:
        watched.send(request)
        watched.measure("alone", request[:4])
    for path, kind in COMPRESSED:
        watched.send_endless(path, kind)
        watched.measure("without end", path)
    for name, bodies in PORTS.items():
        for body in bodies:
            watched.send_to_port(service.ports[name], body)
        watched.measure("to ports", name)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for name, datagram in datagrams():
            sender.sendto(datagram, (service.host, service.ports[name]))
    watched.measure("to ports", "datagrams")
    if has_http2():
        for what, body, headers, expected in calls():
            equal((what, call(service, body, headers)), (what, expected))
            watched.measure("by gRPC", what)
    else:
        print("senders: hostile calls of gRPC not run (curl with HTTP/2 is needed)", flush=True)
    take_normal(service, 1)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda request: watched.send(request, ANSWERS_AT_ONCE), all_requests))
        list(pool.map(lambda place: watched.send_endless(*place, ENDLESS_ANSWERS | ANSWERS_AT_ONCE), COMPRESSED))
    watched.measure("all at once", most=MOST_AT_ONCE)
    take_normal(service, 2)
    peaks = ", ".join(f"{phase} {held // MIB} (by {grown // MIB})" for phase, (held, grown) in watched.peaks.items())
    print(f"senders: hostile bodies, MiB held beyond an idle process: {peaks}; answers {watched.answers}", flush=True)


def take_normal(service, number):
    """Also by the port that was flooded, whose messages are read in their order."""
    service.call("/v1/ingest/normal", [{"n": number}])
    equal(service.values("normal"), list(range(number + 1)))
    if number:
        text = f"<12>1 - - normal - - - event {number}\n".encode()
        with socket.create_connection((service.host, service.ports["syslog-tcp"])) as connection:
            connection.sendall(text)
        service.await_rows(f"['hostile-syslog'] | where message == 'event {number}' | summarize count()", [(1,)])
    equal(service.process.poll(), None)


def calls():
    """Messages of gRPC with what their frame says of them, and the status: INVALID_ARGUMENT, none where it is taken, because
    that stands behind the message, and RESOURCE_EXHAUSTED."""
    deep = OTLP["values in values"]
    yield "a frame of 4 GiB", b"\0\xff\xff\xff\xffx", [], "3"
    yield "values in values", b"\0" + struct.pack(">I", len(deep)) + deep, [], None
    for name, bomb in [("gzip", GZIP["unpacks to numbers"]), ("zstd", zstd(32_768))]:
        yield f"a bomb of {name}", b"\1" + struct.pack(">I", len(bomb)) + bomb, ["-H", f"grpc-encoding: {name}"], "8"
    # Nobody says how long the body is; its frame is within the limit of one.
    for what, length in [("a message without end", PLAIN - MIB), ("messages without end", 2)]:
        yield what, b"\0" + struct.pack(">I", length) + b"\x0a\x00" * (ENDLESS // 2), ENDLESS_CALL, "8"


# For curl: what it reads is sent as it comes, without a length.
ENDLESS_CALL = ["-X", "POST", "-T", "-"]


def has_http2():
    if not shutil.which("curl"):
        return False
    return "HTTP2" in subprocess.run(["curl", "-V"], capture_output=True, text=True).stdout


def call(service, body, headers):
    """The status that the headers say."""
    address = f"{service.url}/opentelemetry.proto.collector.logs.v1.LogsService/Export"
    command = ["curl", "-s", "-D", "-", "-o", "/dev/null", "--http2-prior-knowledge", "--max-time", str(WAIT_SECONDS)]
    command += [] if headers == ENDLESS_CALL else ["--data-binary", "@-"]
    command += [*headers, "-H", "content-type: application/grpc", "-H", "te: trailers"]
    command += ["-H", "x-tidegauge-dataset: hostile", "-H", f"authorization: Bearer {service.token}", address]
    answered = subprocess.run(command, input=body, capture_output=True, timeout=2 * WAIT_SECONDS).stdout.decode()
    found = re.findall(r"^grpc-status: *(\d+)", answered, re.MULTILINE | re.IGNORECASE)
    return found[-1] if found else None
