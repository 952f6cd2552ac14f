"""Has senders as they are on PyPI send to the real binary, and checks that every event is there with its values.

Usage: main.py BINARY FOLDER [--elastic | --node PROGRAM]. With --elastic, Elasticsearch's client alone, whose older
version has packages that stand before those of all the others."""

import sys
from pathlib import Path

from elastic import elastic
from elasticsearch import __version__ as elastic_version
from service import Service


def main(binary, folder, *options):
    service = Service(binary, folder)
    try:
        elastic(service, elastic_version[0])
        print(f"senders: elasticsearch {'.'.join(map(str, elastic_version))} passed", flush=True)
        if "--elastic" not in options:
            others(service, options)
    finally:
        service.stop()


def others(service, options):
    from crash import crash
    from handlers import HANDLERS
    from node import node
    from telemetry import telemetry

    for send in [telemetry, *HANDLERS, crash]:
        send(service)
        print(f"senders: {send.__name__} passed", flush=True)
    if "--node" in options:
        node(service, options[1])
        print("senders: those of npm passed", flush=True)


main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
