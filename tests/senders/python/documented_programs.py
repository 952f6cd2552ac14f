"""Programs of Debian with the configurations that the pages in docs/reference/senders show. What a machine has anyway is put
around a block: what is read, and for programs that are told all by their arguments where they may write."""

import os
from contextlib import ExitStack

from daemons import ENTRIES, add_entries, scrape_config
from service import free_port
from unpacked import Unpacked

SYSLOG = ["syslog/rsyslog", "elasticsearch/rsyslog"]
SYSLOG_NG = ["syslog/syslog-ng", "elasticsearch/syslog-ng"]
PROGRAMS = [*SYSLOG, *SYSLOG_NG, "journald/systemd-journal-upload", "remote-write/prometheus", "remote-write/vmagent"]
LINE = "as the page shows"


def run(shown, debian, blocks):
    """All of them at once, until what each sent is there."""
    found = Unpacked(debian, shown.folder)
    token_file = found.make("token", shown.token)
    texts = {name: block.filled(shown, token_file) for name, block in blocks.items()}
    with ExitStack() as running:
        for start in [rsyslog, syslog_ng, prometheus, vmagent]:
            running.enter_context(found.running(start(found, texts)))
        journal_upload(found, texts)
        shown.await_rows(f"['shown-syslog'] | where message == 'rsyslog {LINE}' | project appname", [("rsyslog",)])
        shown.await_rows(f"['shown-syslog'] | where message == 'syslog-ng {LINE}' | project appname", [("syslog-ng",)])
        shown.await_rows(f"web | where message == 'rsyslog {LINE}' | project severity", [("warning",)])
        shown.await_rows(f"web | where MESSAGE == 'syslog-ng {LINE}' | project PROGRAM", [("syslog-ng",)])
        shown.await_rows("journal | summarize dcount(SHOP_NUMBER)", [(ENTRIES,)])
        for job in ["prometheus", "vmagent"]:
            up = f"metrics | where metric == 'up' and ['labels.job'] == '{job}'"
            shown.await_rows(f"{up} | distinct value", [(1.0,)])


def rsyslog(found, texts):
    lines = found.make("rsyslog/lines", f"rsyslog {LINE}\n")
    config = found.make(
        "rsyslog/conf",
        f"""global(workDirectory="{lines.parent}")
module(load="imfile" mode="polling" pollingInterval="1")
input(type="imfile" file="{lines}" tag="rsyslog:" severity="warning" facility="local3")
{"".join(texts[name] for name in SYSLOG)}""",
    )
    modules = found.path("usr/lib/x86_64-linux-gnu/rsyslog")
    return [found.path("usr/sbin/rsyslogd"), "-n", "-f", str(config), "-i", str(lines.parent / "pid"), "-M", modules]


def syslog_ng(found, texts):
    """`s_src` is what Debian calls what the machine logs."""
    lines = found.make("syslog-ng/lines", f"syslog-ng {LINE}\n")
    config = found.make(
        "syslog-ng/conf",
        f"""@version: 3.38
@include "{found.path("usr/share/syslog-ng/include/scl")}/elasticsearch/*.conf"
source s_src {{ file("{lines}" flags(no-parse) program-override("syslog-ng") follow-freq(1)); }};
{"".join(texts[name] for name in SYSLOG_NG)}""",
    )
    command = [found.path("usr/sbin/syslog-ng"), "--foreground", "--no-caps", "--cfgfile", str(config)]
    command += ["--module-path", found.path("usr/lib/syslog-ng/3.38"), "--persist-file", str(lines.parent / "persist")]
    return command + ["--pidfile", str(lines.parent / "pid"), "--control", str(lines.parent / "control")]


def prometheus(found, texts):
    port = free_port()
    scraped = scrape_config(port).replace("itself", "prometheus")
    config = found.make("prometheus/prometheus.yml", f"{texts['remote-write/prometheus']}{scraped}")
    command = [found.path("usr/bin/prometheus"), f"--config.file={config}", f"--storage.tsdb.path={config.parent}/data"]
    return command + [f"--web.listen-address=127.0.0.1:{port}"]


def vmagent(found, texts):
    port = free_port()
    folder = found.make("vmagent/scrape.yml", scrape_config(port).replace("itself", "vmagent")).parent
    more = f"-httpListenAddr=127.0.0.1:{port} -remoteWrite.tmpDataPath={folder}/waiting"
    return in_shell(found, folder, "usr/bin/vmagent", more, texts["remote-write/vmagent"])


def journal_upload(found, texts):
    """It would read the machine's own journal, and stay."""
    journal = found.make("journal/remote") / "remote-shop.journal"
    add_entries(found, journal, range(ENTRIES))
    more = f"--file={journal} --save-state={journal.parent}/state --follow=no"
    program = "lib/systemd/systemd-journal-upload"
    found.run(in_shell(found, journal.parent, program, more, texts["journald/systemd-journal-upload"]))


def in_shell(found, folder, program, more, text):
    """A shell in a folder, with the token in its environment as it runs there, to which the program's name means this one with
    more arguments. One command alone is what the shell becomes."""
    name = os.path.basename(program)
    wrapper = found.make(f"{folder.name}-bin/{name}", f'#!/bin/sh\nexec "{found.path(program)}" "$@" {more}\n')
    wrapper.chmod(0o755)
    return ["bash", "-euc", f'cd "{folder}"\nPATH="{wrapper.parent}:$PATH"\nexec {text.strip()}']
