"""Has senders as they are on PyPI send to the real binary, and checks that every event is there with its values.

Usage: main.py BINARY FOLDER [--elastic | [--node PROGRAM] [--debian FOLDER] [--rust PROGRAM] [--only NAME]]. With --elastic,
Elasticsearch's client alone, whose older version has packages that stand before those of all the others."""

import sys
import time
from pathlib import Path

from elastic import elastic
from elasticsearch import __version__ as elastic_version
from service import Service

PORTS = ["otlp-grpc-listen", "syslog-udp", "syslog-tcp", "gelf-udp", "gelf-tcp", "fluent-listen"]


def main(binary, folder, *options):
    service = Service(binary, folder)
    try:
        if "--elastic" in options:
            elastic(service, elastic_version[0])
            print(f"senders: elasticsearch {'.'.join(map(str, elastic_version))} passed", flush=True)
        else:
            all_of(service, dict(zip(options[::2], options[1::2])))
    finally:
        service.stop()


def all_of(service, given):
    from crash import crash
    from daemons import daemons
    from documented import documented
    from encrypted import encrypted
    from handlers import HANDLERS
    from hostile import hostile
    from listeners import listeners
    from node import node
    from pressure import pressure
    from rust import rust
    from telemetry import telemetry
    from unacknowledged import unacknowledged

    program, debian, exporters = given.get("--node"), given.get("--debian"), given.get("--rust")
    steps = [(send.__name__, send, ()) for send in [telemetry, *HANDLERS, listeners, hostile]]
    steps.insert(0, ("elasticsearch 9", elastic, (elastic_version[0],)))
    steps.append(("encrypted", encrypted, (debian,)))
    steps += [("those of npm", node, (program,))] if program else []
    steps += [("opentelemetry for Rust", rust, (exporters,))] if exporters else []
    steps += [("daemons", daemons, (debian,))] if debian else []
    steps.append(("documented", documented, (program, debian, exporters)))
    steps += [("crash", crash, (program, debian, exporters)), ("pressure", pressure, (program, debian, exporters))]
    steps.append(("unacknowledged", unacknowledged, (debian,)))
    service.open_ports(PORTS, "listened")
    for name, send, arguments in steps:
        if given.get("--only", name) == name:
            begin = time.monotonic()
            send(service, *arguments)
            print(f"senders: {name} passed in {time.monotonic() - begin:.1f} s", flush=True)


main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
