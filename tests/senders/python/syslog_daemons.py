"""rsyslog and syslog-ng, each with one file of lines that it sends in every way it has: syslog over TCP and UDP to the ports
that main.py has opened, bulk requests as to Elasticsearch, and GELF."""

from service import equal

# So few that the system does not drop datagrams before they are read.
LINES = [f"line {number} of a file, with ü and \"quotes\"" for number in range(100)]


def all_lines(service, dataset, where, field="message", times=1):
    """Of those that a condition is true for: every line so often, and nothing else."""
    apl = f"['{dataset}'] | where {where}"
    service.await_rows(f"{apl} | summarize count()", [(times * len(LINES),)])
    equal((dataset, service.values(dataset, field, where)), (dataset, sorted(times * LINES)))


def rsyslog(service, found):
    tcp, udp = service.ports["syslog-tcp"], service.ports["syslog-udp"]
    actions = f"""
action(type="omfwd" target="127.0.0.1" port="{udp}" protocol="udp" template="RSYSLOG_SyslogProtocol23Format"
       queue.type="LinkedList")
template(name="document" type="list" option.jsonf="on") {{
  property(outname="@timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")
  property(outname="host" name="hostname" format="jsonf")
  property(outname="severity" name="syslogseverity-text" format="jsonf")
  property(outname="message" name="msg" format="jsonf")
}}
module(load="omelasticsearch")
action(type="omelasticsearch" server="127.0.0.1" serverport="{service.port}" usehttps="off" bulkmode="on"
       uid="any" pwd="{service.token}" searchIndex="rsyslog-elastic" searchType="" template="document"
       queue.type="LinkedList" action.resumeRetryCount="-1")
"""
    _, command = rsyslog_command(found, tcp, "".join(f"{line}\n" for line in LINES), actions)
    with found.running(command):
        all_lines(service, "listened-syslog", "appname == 'rsyslog'", times=2)
        all_lines(service, "rsyslog-elastic", "severity == 'warning'")
    fields = "| where appname == 'rsyslog' | distinct severity, facility, via, ['source.ip']"
    equal(service.rows(f"['listened-syslog'] {fields}"), [("warning", "local3", "syslog", "127.0.0.1")])


def rsyslog_command(found, port, text, more="", stream="", first=""):
    """A file that it reads, with this text, and how it is started; `stream` says how its connection is made, and `first` what
    that needs."""
    lines = found.make("rsyslog/lines", text)
    work = lines.parent
    config = found.make(
        "rsyslog/conf",
        f"""global(workDirectory="{work}")
{first}
module(load="imfile" mode="polling" pollingInterval="1")
input(type="imfile" file="{lines}" tag="rsyslog:" severity="warning" facility="local3")
action(type="omfwd" target="127.0.0.1" port="{port}" protocol="tcp" TCP_Framing="octet-counted" {stream}
       template="RSYSLOG_SyslogProtocol23Format" queue.type="LinkedList" action.resumeRetryCount="-1")
{more}""",
    )
    modules = found.path("usr/lib/x86_64-linux-gnu/rsyslog")
    return lines, [found.path("usr/sbin/rsyslogd"), "-n", "-f", str(config), "-i", str(work / "pid"), "-M", modules]


def syslog_ng(service, found):
    """By syslog, as to Elasticsearch and as to Graylog."""
    ports = service.ports
    _, command = syslog_ng_command(
        found,
        "syslog-ng",
        "".join(f"{line}\n" for line in LINES),
        f"""
destination tcp {{ syslog("127.0.0.1" port({ports["syslog-tcp"]}) transport("tcp")); }};
destination udp {{ syslog("127.0.0.1" port({ports["syslog-udp"]}) transport("udp")); }};
destination elastic {{
  elasticsearch-http(url("{service.url}/_bulk") index("syslog-ng-elastic") type("") user("any") password("{service.token}"));
}};
destination graylog {{ graylog2(host("127.0.0.1") port({ports["gelf-tcp"]})); }};
log {{ source(lines); destination(tcp); destination(udp); destination(elastic); destination(graylog); }};
""",
    )
    with found.running(command):
        all_lines(service, "listened-syslog", "appname == 'syslog-ng'", times=2)
        all_lines(service, "syslog-ng-elastic", "PROGRAM == 'syslog-ng'", "MESSAGE")
        all_lines(service, "listened-gelf", "program == 'syslog-ng'")


def syslog_ng_command(found, name, text, more):
    """A file that it reads, with this text, and how it is started, in a folder of this name; `more` says where the lines go.
    Its destinations for Elasticsearch and Graylog are blocks of its library of configuration."""
    lines = found.make(f"{name}/lines", text)
    work, blocks = lines.parent, found.path("usr/share/syslog-ng/include/scl")
    config = found.make(
        f"{name}/conf",
        f"""@version: 3.38
@include "{blocks}/elasticsearch/*.conf"
@include "{blocks}/graylog2/*.conf"
source lines {{ file("{lines}" flags(no-parse) program-override("syslog-ng") follow-freq(1)); }};
{more}""",
    )
    command = [found.path("usr/sbin/syslog-ng"), "--foreground", "--no-caps", "--cfgfile", str(config)]
    command += ["--module-path", found.path("usr/lib/syslog-ng/3.38"), "--persist-file", str(work / "persist")]
    return lines, [*command, "--pidfile", str(work / "pid"), "--control", str(work / "control")]
