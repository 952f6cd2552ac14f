"""The configurations to copy that the pages in docs/reference/senders show, as a person would take them: nothing is changed
but addresses, the token and the id of an endpoint. A block says on its first line who it is for, such as ```sh logger."""

import re
import tomllib
from pathlib import Path

PAGES = Path(__file__).resolve().parents[3] / "docs/reference/senders"
# Blocks of another kind, which are scenarios of tests/http.
SCENARIOS = "http"
# Who cannot be had from a registry, or not on a machine: their blocks are read by people alone.
NOT_HAD = {
    "datadog/agent",
    "elasticsearch/filebeat",
    "elasticsearch/fluent-bit",
    "elasticsearch/logstash",
    "elasticsearch/vector",
    "firehose",
    "fluent/fluent-bit",
    "fluent/fluentd",
    "heroku/heroku",
    "logpush/logpush",
    "loki/alloy",
    "loki/fluent-bit",
    "msgpack/fluent-bit",
    "otlp/collector",
    "splunk/vector",
}
ENDPOINT = re.compile(r"endpoint_[0-9a-f]{32}")
# Ports that the pages name, with the listener behind each.
LISTENERS = {"5514": "syslog-udp", "5601": "syslog-tcp", "24224": "fluent-listen", "12201": "gelf-tcp"}


class Block:
    def __init__(self, page, language, sender, text):
        self.name, self.page, self.language, self.sender, self.text = f"{page}/{sender}", page, language, sender, text

    def filled(self, service, token_file=None):
        """With the addresses of a service and its token. Programs, which read an environment, have the token from there."""
        text = re.sub(r"\b8080\b", str(service.port), self.text)
        for written, listener in LISTENERS.items():
            if listener in service.ports:
                text = re.sub(rf"\b{written}\b", str(service.ports[listener]), text)
        if self.language not in ("sh", "python", "js"):
            text = text.replace("${TOKEN}", service.token)
        return re.sub(r"/etc/(prometheus/)?tidegauge-token", str(token_file), text) if token_file else text


def all_blocks():
    """Those of every page; a block for the service itself has `tidegauge` for its sender. Of several for one, the second is
    `name-2`. A page without any is a sender that has none to show."""
    blocks = {}
    for path in sorted(PAGES.glob("*.md")):
        found = [block for block in blocks_of(path) if block.language != SCENARIOS]
        for block in found:
            while block.name in blocks:
                number = re.search(r"-(\d)$", block.name)
                block.name = f"{block.name[:-2]}-{int(number[1]) + 1}" if number else f"{block.name}-2"
            blocks[block.name] = block
        if not found:
            blocks[path.stem] = Block(path.stem, "", "", "")
    return blocks


def blocks_of(path):
    inside, lines = None, []
    for line in path.read_text().splitlines():
        if inside is None and line.startswith("```"):
            language, _, sender = line[3:].partition(" ")
            if language != SCENARIOS and not (language and sender):
                raise AssertionError(f"{path.name}: a block begins with {line}, and does not say what it is and who it is for")
            inside = (language, sender)
        elif inside is not None and line == "```":
            yield Block(path.stem, *inside, "\n".join(lines) + "\n")
            inside, lines = None, []
        elif inside is not None:
            lines.append(line)
    if inside is not None:
        raise AssertionError(f"{path.name}: a block does not end")


def listeners_of(blocks, service, ids):
    """The file of settings that opens the ports of all pages; `ids` are of the endpoints, by the page that wants one."""
    settings = {}
    for block in blocks:
        table = tomllib.loads(ENDPOINT.sub(ids[block.page], block.filled(service)))
        if table.keys() != {"listeners"} or settings.keys() & table["listeners"].keys():
            raise AssertionError(f"{block.name} has other settings than those of its listener")
        settings |= table["listeners"]
    return "[listeners]\n" + "".join(f'{key} = "{value}"\n' for key, value in settings.items())
