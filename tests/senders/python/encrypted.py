"""Senders over TLS, with a certificate of an authority that was made for this: OpenTelemetry's exporters, Elasticsearch's
client, and syslog, where senders must have a certificate too."""

import shutil
import socket
import ssl
import subprocess
from pathlib import Path

from elasticsearch import Elasticsearch, helpers

from service import Service, equal
from syslog_daemons import LINES, all_lines, rsyslog_command
from telemetry import check_logs, check_spans, over_grpc, over_grpc_alone, over_http, send_logs, send_spans
from unpacked import Unpacked


def encrypted(service, debian=None):
    if not shutil.which("openssl"):
        print("senders: TLS not run (openssl is needed)", flush=True)
        return
    folder = service.folder / "encrypted"
    folder.mkdir()
    authority, certificate, key = make_certificates(folder)
    settings = ["--tls-cert", certificate, "--tls-key", key, "--syslog-client-ca", authority]
    behind = Service(service.binary, folder, settings, authority)
    try:
        # Whoever has a certificate may send syslog, from any network.
        behind.open_ports(["otlp-grpc-listen", "syslog-tls"], "encrypted", networks="")
        for name, exporters in [("http", over_http), ("grpc", over_grpc), ("grpc-alone", over_grpc_alone)]:
            logs, spans, _ = exporters(behind, f"otlp-{name}")
            send_logs(logs)
            send_spans(spans)
            check_logs(behind, f"otlp-{name}")
            check_spans(behind, f"otlp-{name}")
        with Elasticsearch(behind.url, api_key=behind.token, ca_certs=authority) as client:
            equal(helpers.bulk(client, ({"_index": "elastic", "n": n} for n in range(100))), (100, []))
        equal(behind.values("elastic"), list(range(100)))
        syslog(behind, authority, certificate, key)
        if debian:
            rsyslog(behind, Unpacked(Path(debian), folder), authority, certificate, key)
    finally:
        behind.stop()


def make_certificates(folder):
    """An authority, and a certificate with its key that serves on both sides."""
    paths = {name: str(folder / name) for name in ["authority.pem", "authority.key", "shop.pem", "shop.key", "shop.csr", "more"]}
    Path(paths["more"]).write_text("subjectAltName=DNS:shop,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
    new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    for command in [
        ["req", "-x509", *new_key, "-subj", "/CN=authority", "-keyout", paths["authority.key"], "-out", paths["authority.pem"]],
        ["req", *new_key, "-subj", "/CN=shop", "-keyout", paths["shop.key"], "-out", paths["shop.csr"]],
        ["x509", "-req", "-in", paths["shop.csr"], "-CA", paths["authority.pem"], "-CAkey", paths["authority.key"]]
        + ["-CAcreateserial", "-extfile", paths["more"], "-out", paths["shop.pem"]],
    ]:
        subprocess.run(["openssl", *command], check=True, capture_output=True)
    return paths["authority.pem"], paths["shop.pem"], paths["shop.key"]


def syslog(service, authority, certificate, key):
    """Who has no certificate is not read; who has one is, in the same words."""
    for has_certificate in [False, True]:
        context = ssl.create_default_context(cafile=authority)
        if has_certificate:
            context.load_cert_chain(certificate, key)
        try:
            with socket.create_connection((service.host, service.ports["syslog-tls"])) as plain:
                with context.wrap_socket(plain, server_hostname="shop") as connection:
                    connection.sendall(f"<12>1 - - by-hand - - - {str(has_certificate).lower()}\n".encode())
                    connection.unwrap()
        except OSError:
            equal(has_certificate, False)
    service.await_rows("['encrypted-syslog'] | where appname == 'by-hand' | project message", [("true",)])


def rsyslog(service, found, authority, certificate, key):
    first = f"""global(defaultNetstreamDriverCAFile="{authority}" defaultNetstreamDriverCertFile="{certificate}"
       defaultNetstreamDriverKeyFile="{key}")"""
    stream = """StreamDriver="gtls" StreamDriverMode="1" StreamDriverAuthMode="x509/name" StreamDriverPermittedPeers="shop" """
    text = "".join(f"{line}\n" for line in LINES)
    _, command = rsyslog_command(found, service.ports["syslog-tls"], text, stream=stream, first=first)
    with found.running(command):
        all_lines(service, "encrypted-syslog", "appname == 'rsyslog'")
