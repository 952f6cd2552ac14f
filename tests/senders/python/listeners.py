"""Senders that do not speak HTTP: `logger`, a handler of Python's logging for syslog, pygelf and graypy over UDP and TCP, and
fluent-logger. Those of a protocol share a port and an endpoint, and say in a field who they are."""

import shutil
import socket
import subprocess

from fluent.sender import FluentSender
from graypy import GELFTCPHandler, GELFUDPHandler
from graypy.handler import GELFWarningChunker
from handlers import MESSAGES, logger_with
from pygelf import GelfTcpHandler, GelfUdpHandler
from rfc5424logging import Rfc5424SysLogHandler
from service import equal

# Few, so that the system does not drop datagrams before they are read.
FEW = MESSAGES[:50]


def listeners(service):
    syslog(service, service.ports)
    gelf(service, service.ports)
    graypy(service, service.ports)
    fluent(service, service.ports)


def syslog(service, ports):
    expected = []
    for (name, kind) in [("syslog-udp", socket.SOCK_DGRAM), ("syslog-tcp", socket.SOCK_STREAM)]:
        handler = Rfc5424SysLogHandler(address=("127.0.0.1", ports[name]), socktype=kind, appname="shop")
        logger = logger_with(handler)
        for message in FEW:
            logger.warning(message, extra={"structured_data": {"shelf@1": {"row": "5"}}})
        handler.close()
        expected += FEW
    if shutil.which("logger"):
        expected += program(ports)
    else:
        print("senders: logger of util-linux not run (it is not installed)", flush=True)
    sent = "appname == 'shop' or appname == 'prog'"
    service.await_rows(f"['listened-syslog'] | where {sent} | summarize count()", [(len(expected),)])
    equal(service.values("listened-syslog", "message", sent), sorted(expected))
    by_handler = "['listened-syslog'] | where appname == 'shop' | distinct severity, via, ['sd.shelf@1.row']"
    equal(service.rows(by_handler), [("warning", "syslog", "5")])


def program(ports):
    """The program `logger`, in both forms and with both framings."""
    forms = [
        ("counted", "--tcp", "--rfc5424", "--octet-count"),
        ("by line", "--tcp", "--rfc3164"),
        ("new datagram", "--udp", "--rfc5424"),
        ("old datagram", "--udp", "--rfc3164"),
    ]
    for message, transport, *form in forms:
        port = ports["syslog-tcp" if transport == "--tcp" else "syslog-udp"]
        command = ["logger", "--server", "127.0.0.1", "--port", str(port), transport, *form, "--tag", "prog"]
        subprocess.run([*command, f"from logger, {message}"], check=True)
    return [f"from logger, {form[0]}" for form in forms]


def gelf(service, ports):
    # Chunks of a few bytes, so that every message has several.
    udp = GelfUdpHandler(host="127.0.0.1", port=ports["gelf-udp"], chunk_size=60, _by="pygelf")
    tcp = GelfTcpHandler(host="127.0.0.1", port=ports["gelf-tcp"], _by="pygelf")
    for handler in [udp, tcp]:
        logger = logger_with(handler)
        for message in FEW:
            logger.warning(message)
        handler.close()
    gelf_messages(service, "pygelf")


def graypy(service, ports):
    """In chunks as it makes them, which it does whenever a message is longer than so many bytes, and one by one."""
    udp = GELFUDPHandler("127.0.0.1", ports["gelf-udp"], gelf_chunker=GELFWarningChunker(chunk_size=60))
    tcp = GELFTCPHandler("127.0.0.1", ports["gelf-tcp"])
    for handler in [udp, tcp]:
        logger = logger_with(handler)
        for message in FEW:
            logger.warning(message, extra={"by": "graypy"})
        handler.close()
    gelf_messages(service, "graypy")


def gelf_messages(service, by):
    sent = f"by == '{by}'"
    service.await_rows(f"['listened-gelf'] | where {sent} | summarize count()", [(2 * len(FEW),)])
    equal(service.values("listened-gelf", "message", sent), sorted(FEW + FEW))
    equal(service.rows(f"['listened-gelf'] | where {sent} | distinct severity, via"), [("warning", "gelf")])


def fluent(service, ports):
    sender = FluentSender("shop", host="127.0.0.1", port=ports["fluent-listen"], nanosecond_precision=True)
    for number, message in enumerate(MESSAGES):
        if not sender.emit("door", {"message": message, "n": number}):
            raise AssertionError(f"{message!r} was not sent: {sender.last_error}")
    sender.close()
    service.await_count("listened-fluent", len(MESSAGES))
    equal(service.values("listened-fluent"), list(range(len(MESSAGES))))
    equal(service.rows("['listened-fluent'] | distinct tag, via"), [("shop.door", "fluent")])
