"""Sends the same events by the protocols of other senders and as our own NDJSON, and prints how many were taken in a second.

The bodies are made before, and every protocol has its turn in each round, with a dataset of its own, so that a slow minute of
the machine does not hit one of them alone. What counts is the ratio to NDJSON, of the rounds' medians, by the clock and by the
service's own processor time. scripts/bench-senders.sh starts this file with what it needs.
"""

import argparse
import json
import os
import random
import socket
import statistics
import struct
import tempfile
import threading
import time

from service import Service

BODIES, EVENTS_OF_BODY, CONNECTIONS = 16, 2_000, 2
BEGIN = 1_790_000_000_000_000_000
ROUTES = ["/", "/items", "/items/{id}", "/basket", "/checkout", "/orders/{id}", "/search", "/login"]
WORDS = "the item is out of stock order was paid shelf empty user went away basket kept price changed".split()
# Numbers of severity in OTLP.
SEVERITIES = {"debug": 5, "info": 9, "warn": 13, "error": 17}
# What each is to reach beside NDJSON.
GOALS = {"OTLP": 1.0, "bulk": 0.8, "Loki": 0.8}


def events(number):
    chance = random.Random(number)
    for index in range(EVENTS_OF_BODY):
        yield {
            "time": BEGIN + (number * EVENTS_OF_BODY + index) * 1_000_000,
            "message": f"{' '.join(chance.choices(WORDS, k=8))} {chance.randrange(100_000)}",
            "severity": chance.choices(list(SEVERITIES), [1, 8, 2, 1])[0],
            "route": chance.choice(ROUTES),
            "status": chance.choice([200, 200, 200, 304, 404, 500]),
            "trace": chance.randbytes(16),
        }


def flat(event, time_field):
    """As our own formats and documents of Elasticsearch have it: what OTLP is laid out as."""
    seconds, nanos = divmod(event["time"], 1_000_000_000)
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{nanos // 1_000_000:03}Z"
    return json.dumps(
        {
            time_field: moment,
            "body": event["message"],
            "severity": event["severity"],
            "service.name": "shop",
            "attributes.http.route": event["route"],
            "attributes.http.response.status_code": event["status"],
            "trace_id": event["trace"].hex(),
        },
        separators=(",", ":"),
    ).encode()


def ndjson(made):
    return b"".join(flat(event, "_time") + b"\n" for event in made)


def bulk(made):
    return b"".join(b'{"create":{}}\n' + flat(event, "@timestamp") + b"\n" for event in made)


def varint(number):
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def text_pair(key, text):
    return field(1, key) + field(2, field(1, text.encode()))


def otlp(made):
    records = bytearray()
    for event in made:
        status = field(1, b"http.response.status_code") + field(2, b"\x18" + varint(event["status"]))
        moment = struct.pack("<Q", event["time"])
        record = b"\x09" + moment + b"\x10" + varint(SEVERITIES[event["severity"]])
        record += field(5, field(1, event["message"].encode()))
        record += field(6, text_pair(b"http.route", event["route"])) + field(6, status)
        records += field(2, record + field(9, event["trace"]) + b"\x59" + moment)
    resource = field(1, field(1, text_pair(b"service.name", "shop")))
    return field(1, resource + field(2, field(1, field(1, b"shop")) + bytes(records)))


def loki(made):
    """A stream for each severity, as agents make it, with the rest as metadata of each line."""
    streams = {}
    for event in made:
        metadata = [("route", event["route"]), ("status", str(event["status"])), ("trace_id", event["trace"].hex())]
        moment = b"\x08" + varint(event["time"] // 1_000_000_000) + b"\x10" + varint(event["time"] % 1_000_000_000)
        entry = field(1, moment) + field(2, event["message"].encode())
        entry += b"".join(field(3, field(1, name.encode()) + field(2, value.encode())) for name, value in metadata)
        streams.setdefault(event["severity"], []).append(field(2, entry))
    labels = '{{service_name="shop",severity="{}"}}'.format
    plain = b"".join(field(1, field(1, labels(name).encode()) + b"".join(entries)) for name, entries in streams.items())
    return snappy(plain)


def snappy(plain):
    """A block, in pieces of 64 KiB that are compressed each by itself, as libraries do it."""
    out = bytearray(varint(len(plain)))
    for begin in range(0, len(plain), 1 << 16):
        compress(plain[begin : begin + (1 << 16)], out)
    return bytes(out)


def compress(piece, out):
    seen, place, unwritten = {}, 0, 0
    while place + 4 <= len(piece):
        known = seen.get(piece[place : place + 4])
        seen[piece[place : place + 4]] = place
        if known is None:
            place += 1
            continue
        length = 4
        while length < 64 and place + length < len(piece) and piece[known + length] == piece[place + length]:
            length += 1
        literal(piece[unwritten:place], out)
        out += bytes([(length - 1) << 2 | 2]) + struct.pack("<H", place - known)
        place += length
        unwritten = place
    literal(piece[unwritten:], out)


def literal(bytes_, out):
    if not bytes_:
        return
    length = len(bytes_) - 1
    if length < 60:
        out.append(length << 2)
    else:
        size = (length.bit_length() + 7) // 8
        out.append((59 + size) << 2)
        out += length.to_bytes(size, "little")
    out += bytes_


# The name, the path for a dataset, the type, the status of success, and what makes a body.
PROTOCOLS = [
    ("NDJSON", "/v1/ingest/{}", "application/x-ndjson", 200, ndjson),
    ("OTLP", "/v1/logs", "application/x-protobuf", 200, otlp),
    ("bulk", "/v1/ingest/{}/elastic/_bulk", "application/x-ndjson", 200, bulk),
    ("Loki", "/loki/api/v1/push?dataset={}", "application/x-protobuf", 204, loki),
]


def send(service, requests, status):
    """Sends over one kept connection, the next when the one before is acknowledged."""
    with socket.create_connection((service.host, service.port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for request in requests:
            connection.sendall(request)
            receive(connection, status)


def receive(connection, status):
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += more(connection)
    head, _, body = answer.partition(b"\r\n\r\n")
    if int(head.split()[1]) != status:
        raise RuntimeError(answer[:500])
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    if lengths:
        missing = int(lengths[0].split(b":")[1]) - len(body)
        while missing > 0:
            missing -= len(more(connection))
    elif status != 204:
        while not body.endswith(b"0\r\n\r\n"):
            body += more(connection)


def more(connection):
    block = connection.recv(1 << 20)
    if not block:
        raise RuntimeError("the connection ended")
    return block


def measure(service, protocol, bodies, repeats, dataset):
    """Events in a second, and in a second of the service's processor time."""
    _, path, kind, status, _ = protocol
    service.make_dataset(dataset)
    head = f"POST {path.format(dataset)} HTTP/1.1\r\nhost: {service.host}\r\nauthorization: Bearer {service.token}\r\n"
    head += f"x-tidegauge-dataset: {dataset}\r\ncontent-type: {kind}\r\ncontent-length: "
    requests = [f"{head}{len(body)}\r\n\r\n".encode() + body for body in bodies]
    shares = [requests[number::CONNECTIONS] * repeats for number in range(CONNECTIONS)]
    failures = []

    def run(share):
        try:
            send(service, share, status)
        except (OSError, RuntimeError) as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(share,)) for share in shares]
    cpu, begun = service.cpu(), time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds, cpu = time.perf_counter() - begun, service.cpu() - cpu
    if failures:
        raise failures[0]
    count = len(bodies) * EVENTS_OF_BODY * repeats
    check(service, dataset, count)
    return count / seconds, count / max(cpu, 0.01)


def check(service, dataset, count):
    answer = service.call("POST", "/v1/query/_apl?format=tabular", {"apl": f"['{dataset}'] | summarize count()"})
    stored = answer["tables"][0]["columns"][0][0]
    if stored != count:
        raise RuntimeError(f"{dataset} has {stored} events instead of {count}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, help="the optimised tidegauge")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--repeats", type=int, default=4, help="how often each body is sent in a round")
    parser.add_argument("--check", action="store_true", help="fail where a ratio is below its goal")
    arguments = parser.parse_args()
    bodies = {name: [make(list(events(number))) for number in range(BODIES)] for name, _, _, _, make in PROTOCOLS}
    count = BODIES * EVENTS_OF_BODY * arguments.repeats
    print(f"{count:,} events a turn, {EVENTS_OF_BODY} in a request, {CONNECTIONS} connections, {arguments.rounds} rounds, "
          f"commit {arguments.commit}, {os.cpu_count()} cores, load before {os.getloadavg()[0]:.2f}")
    results = {name: [] for name in bodies}
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
        service = Service(arguments.binary, folder)
        try:
            # The first round only warms up.
            for number in range(arguments.rounds + 1):
                for protocol in PROTOCOLS:
                    name = protocol[0]
                    measured = measure(service, protocol, bodies[name], arguments.repeats, f"{name.lower()}-{number}")
                    if number > 0:
                        results[name].append(measured)
        finally:
            service.stop()
    missed = report(results, bodies)
    if missed and arguments.check:
        raise SystemExit(f"below the goal: {', '.join(missed)}")


def report(results, bodies):
    median = {name: [statistics.median(column) for column in zip(*runs)] for name, runs in results.items()}
    own, missed = median["NDJSON"], []
    print("| | bytes of an event | events/s | to NDJSON | events/s of processor time | to NDJSON | goal |")
    print("|---|---|---|---|---|---|---|")
    for name, (rate, of_cpu) in median.items():
        size = sum(map(len, bodies[name])) / (BODIES * EVENTS_OF_BODY)
        goal = GOALS.get(name)
        if goal and rate / own[0] < goal:
            missed.append(name)
        print(f"| {name} | {size:.0f} | {rate:,.0f} | {rate / own[0]:.2f} | {of_cpu:,.0f} | {of_cpu / own[1]:.2f} | {goal or ''} |")
    return missed


if __name__ == "__main__":
    main()
