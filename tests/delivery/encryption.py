"""Mails by STARTTLS and by TLS to a real mail server, whose certificate an authority of its own signed; and servers that
must get neither the password nor the mail: without STARTTLS, with a certificate for another name, an expired one, or one
of an authority that nobody trusts."""

import logging
import queue
import ssl
import subprocess

from receivers import MailServer
from service import WAIT_SECONDS, Service

HERE = "IP:127.0.0.1,DNS:localhost"

AUTHORITY = """
[ca]
default_ca = here
[here]
dir = {folder}
database = $dir/index
new_certs_dir = $dir
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
"""


class Authority:
    """Signs certificates with the program openssl."""

    def __init__(self, folder):
        self.folder = folder
        self.certificate = folder / "authority.pem"
        (folder / "index").touch()
        (folder / "config").write_text(AUTHORITY.format(folder=folder))
        self.openssl("req", "-x509", *self.key("authority"), "-out", self.certificate, "-days", "2", "-subj", "/CN=Tests")

    def openssl(self, *arguments):
        command = ["openssl", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_SECONDS)
        assert done.returncode == 0, (command, done.stderr)

    def key(self, name):
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        return [*curve, "-keyout", self.folder / f"{name}.key"]

    def context(self, name, names=HERE, until="20991231235959Z"):
        """What a server needs that has a certificate for these names."""
        request, certificate = self.folder / f"{name}.request", self.folder / f"{name}.pem"
        names = ["-addext", f"subjectAltName={names}"]
        self.openssl("req", *self.key(name), "-out", request, "-subj", f"/CN={name}", *names)
        times = ["-startdate", "20200101000000Z", "-enddate", until]
        signer = ["-cert", self.certificate, "-keyfile", self.folder / "authority.key"]
        where = ["-config", self.folder / "config", "-in", request, "-out", certificate]
        self.openssl("ca", "-batch", "-notext", *where, *signer, *times)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, self.folder / f"{name}.key")
        return context


def offering(encryption, context):
    """A mail server that takes logins and mails by this encryption alone."""
    if encryption == "starttls":
        return MailServer(queue.Queue(), tls_context=context, require_starttls=True)
    # The mail server does not know that the connection is encrypted already, so it must not ask for that.
    return MailServer(queue.Queue(), ssl_context=context, auth_require_tls=False)


def tried(binary, folder, receivers, server, settings):
    """What becomes of a mail to this server."""
    folder.mkdir()
    settings = {"smtp-port": str(server.port), **settings}
    service = Service(binary, folder, receivers, settings)
    try:
        _, delivery = service.test("mail", {"email": {"emails": ["ops@example.com"]}})
    finally:
        service.stop()
        server.stop()
    return delivery


def check_arrives(binary, folder, receivers, authority, encryption, host):
    server = offering(encryption, authority.context(f"good-{encryption}"))
    settings = {"smtp-encryption": encryption, "smtp-host": host, "smtp-ca-file": str(authority.certificate)}
    delivery = tried(binary, folder / f"mail-{encryption}", receivers, server, settings)
    assert delivery["state"] == "sent", delivery
    assert server.logins == [b"alerts"], server.logins
    envelope = server.mails.get(timeout=WAIT_SECONDS)
    assert envelope.rcpt_tos == ["ops@example.com"] and b"Subject: Test of mail" in envelope.content


def check_refused(binary, folder, receivers, server, settings, advice):
    delivery = tried(binary, folder, receivers, server, settings)
    attempt = delivery["attempts"][0]
    assert delivery["state"] == "dead" and advice in attempt["error"], (advice, delivery)
    assert server.logins == [] and server.mails.empty(), (advice, server.logins)


def check_encryption(binary, folder, receivers):
    (folder / "authority").mkdir()
    authority = Authority(folder / "authority")
    check_arrives(binary, folder, receivers, authority, "starttls", "localhost")
    check_arrives(binary, folder, receivers, authority, "tls", "127.0.0.1")

    # The mail servers tell of each connection that is given up, which is what is asked for here.
    logging.disable(logging.CRITICAL)
    trusted = {"smtp-ca-file": str(authority.certificate)}
    plain = MailServer(queue.Queue(), auth_require_tls=False)
    settings = {**trusted, "smtp-encryption": "starttls"}
    check_refused(binary, folder / "mail-plain", receivers, plain, settings, "offers no STARTTLS")
    for encryption in ["starttls", "tls"]:
        wrong = [
            ("another-name", {"names": "DNS:mail.example.com"}, trusted, "is for another name: set smtp_host"),
            ("expired", {"until": "20210101000000Z"}, trusted, "has expired: renew it"),
            ("not-trusted", {}, {}, "name who did in smtp_ca_file"),
        ]
        for name, certificate, settings, advice in wrong:
            name = f"{name}-{encryption}"
            server = offering(encryption, authority.context(name, **certificate))
            settings = {**settings, "smtp-encryption": encryption}
            check_refused(binary, folder / f"mail-{name}", receivers, server, settings, advice)
    logging.disable(logging.WARNING)
