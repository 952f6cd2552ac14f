"""What all runs share: which engines, on which data, and how they are started.

The service stands there twice. `Tidegauge` computes every answer anew from columns that it may have in memory, as the
peers do; `Tidegauge kept` is the service by its default settings, which keeps groups of blocks that were asked for.
ClickHouse keeps by default which parts of a table a condition has failed on: it is asked without and with it. DuckDB
keeps nothing of the kind.
"""

import contextlib
import os
import shutil
import signal
import sys
import tempfile

import dataset as datasets
from peers.process import PEERS, Peer
from service import Service, knows_setting

COMPUTED, KEPT = "Tidegauge", "Tidegauge kept"
CLICKHOUSE_KEPT = "ClickHouse kept"
# The settings without which a service keeps no groups, in memory and on the disk.
KEEPING = ["--query-partials-bytes", "--query-partials-disk-bytes"]
# Where a service keeps groups on the disk, in its data folder.
KEPT_GROUPS_FOLDER = "partials"


class Setting:
    # How many fresh processes are asked everything once.
    first_runs = 3

    def __init__(self, dataset, peers, rounds, more=()):
        """More settings are for a service that computes."""
        self.dataset, self.peers, self.rounds, self.more = dataset, peers, rounds, more
        self.keeping = [flag for flag in KEEPING if knows_setting(dataset.binary, flag)]
        if not self.keeping:
            say(f"{dataset.binary} has no {KEEPING[0]}: what is called computed may come from cached partial aggregates")

    def computing(self, *more):
        """The settings of a service that keeps no groups."""
        return [*(word for flag in self.keeping for word in (flag, "0")), *more]

    def start(self, name, folder=None):
        folder = folder or self.dataset.folder
        if name in PEERS:
            return Peer(name, folder)
        settings = self.computing(*self.more) if name == COMPUTED else ()
        return Service(self.dataset.binary, folder, settings)

    @contextlib.contextmanager
    def engines(self, names, folders=None):
        """Engines that are stopped at the end, whatever happens."""
        started = {}
        try:
            for name in names:
                started[name] = self.start(name, (folders or {}).get(name))
            yield started
        finally:
            for engine in started.values():
                engine.stop()

    @contextlib.contextmanager
    def scratch(self):
        """A folder for copies that a run may change, on the same disk as what they are copies of."""
        above = os.path.join(os.path.dirname(os.path.abspath(self.dataset.folder)), "scratch")
        os.makedirs(above, exist_ok=True)
        folder = tempfile.mkdtemp(dir=above)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            with contextlib.suppress(OSError):
                os.rmdir(above)

    def copy(self, name, scratch):
        """A folder with a copy of what the engine has loaded."""
        folder = os.path.join(scratch, name.replace(" ", "-"))
        os.makedirs(folder)
        datasets.copy_loaded(self.dataset.folder, folder, name if name in PEERS else "Tidegauge")
        return folder


    def copy_without_kept(self, scratch):
        """A copy of the service in which nobody has asked anything."""
        folder = self.copy(KEPT, scratch)
        shutil.rmtree(os.path.join(folder, "data", KEPT_GROUPS_FOLDER), ignore_errors=True)
        return folder

    def warm_page_cache(self, *more):
        """Reads every file of what was loaded once, and of other folders."""
        for folder in (self.dataset.folder, *more):
            for root, _, files in os.walk(folder):
                for file in files:
                    read_through(os.path.join(root, file))


def read_through(path):
    """A file that an engine has removed meanwhile is no matter."""
    with contextlib.suppress(FileNotFoundError), open(path, "rb", buffering=0) as file:
        while file.read(1 << 22):
            pass


class ClickHouseKept:
    """The same process as ClickHouse's, with what it keeps switched on for each question."""

    def __init__(self, peer):
        self.peer = peer

    def ask(self, statement):
        self.peer.call("keep", True)
        try:
            return self.peer.ask(statement)
        finally:
            self.peer.call("keep", False)


def with_kept_clickhouse(engines):
    """The engines, and ClickHouse once more."""
    if "ClickHouse" not in engines:
        return engines
    engines["ClickHouse"].call("keep", False)
    return {**engines, CLICKHOUSE_KEPT: ClickHouseKept(engines["ClickHouse"])}


def body_for(name, ask):
    peer = peer_of(name)
    return ask.statements[peer] if peer else ask.body


def peer_of(name):
    """The peer that an engine is, or None for the service."""
    return next((peer for peer in PEERS if name.startswith(peer)), None)


def ask_all(name, engine, asks):
    """Seconds of all asks together, and their raw answers."""
    given = [engine.ask(body_for(name, ask)) for ask in asks]
    return sum(seconds for seconds, _ in given), [answer for _, answer in given]


def clean_up_when_ended():
    """Engines are stopped and copies removed also when this process is told to end, and once is enough."""
    def end(*_):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.exit(143)

    signal.signal(signal.SIGTERM, end)


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)
