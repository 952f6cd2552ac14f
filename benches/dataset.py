"""The events that are asked about: how many, over which time, where they come from, and how each engine gets them.

Ten million events are a day, whatever their number, so that a window of 15 minutes holds the same number in all of
them. Events come from a file where there is one; else they are made again for each engine and never stand on the disk
as a whole: the service takes them from a pipe, the peers in pieces. What was loaded is kept in a folder.
"""

import os
import shutil
import subprocess
import tempfile
from datetime import UTC, datetime, timedelta

from families import WEB
from peers.process import PEERS, Peer
from service import Service

EVENTS_IN_A_DAY = 10_000_000
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
PIECE_LINES = 2_000_000


class NoSpace(Exception):
    """The disk is too full for what is to be written."""


class Dataset:
    def __init__(self, count, binary, folder, file=None, family=WEB):
        self.count, self.binary, self.folder, self.file, self.family = count, binary, folder, file, family
        self.seconds = 86_400 * count // EVENTS_IN_A_DAY
        self.begin, self.end = BEGIN, BEGIN + timedelta(seconds=self.seconds)

    def generate_command(self):
        options = ["--events", str(self.count), "--span", f"{self.seconds}s", *self.family.options]
        return [self.binary, "bench", "generate", *options]

    def pieces(self):
        """Files that together hold all events, in the order of time. A piece is gone when the next is asked for."""
        if self.file:
            yield self.file
            return
        folder = tempfile.mkdtemp(dir=self.folder, prefix="piece-")
        piece = os.path.join(folder, "events.ndjson")
        maker = subprocess.Popen(self.generate_command(), stdout=subprocess.PIPE)
        try:
            while write_lines(maker.stdout, piece, PIECE_LINES):
                yield piece
        finally:
            maker.stdout.close()
            maker.wait()
            shutil.rmtree(folder)

    def load(self, names):
        """Loads the engines of these names into the folder, unless they were."""
        os.makedirs(self.folder, exist_ok=True)
        missing = [name for name in names if not os.path.exists(self.mark(name))]
        check_space(self.folder, sum(self.family.loading_bytes[name] for name in missing) * self.count)
        for name in missing:
            if name in PEERS:
                self.load_peer(name)
            else:
                self.load_service()
            open(self.mark(name), "w").close()

    def mark(self, name):
        short = {"Tidegauge": "own", "ClickHouse": "clickhouse", "DuckDB": "duckdb"}[name]
        return os.path.join(self.folder, f"{short}-loaded")

    def load_peer(self, name):
        leftover(self.folder, name)
        peer = Peer(name, self.folder)
        try:
            peer.load(self.family.kind, self.pieces())
        finally:
            peer.stop()

    def load_service(self):
        leftover(self.folder, "Tidegauge")
        # Merged segments are removed soon, because nobody asks meanwhile and the disk may be small.
        service = Service(self.binary, self.folder, ["--segment-grace-seconds", "60"])
        try:
            service.make_dataset()
            if self.file:
                service.ingest(self.file)
            else:
                with subprocess.Popen(self.generate_command(), stdout=subprocess.PIPE) as maker:
                    service.ingest("-", stdin=maker.stdout)
            service.settle()
        finally:
            service.stop()


def leftover(folder, name):
    """Removes what a load that was cut off has left."""
    path = os.path.join(folder, {"Tidegauge": "data", "ClickHouse": "clickhouse", "DuckDB": "bench.duckdb"}[name])
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.remove(path)


def write_lines(stream, path, lines):
    """Writes the next lines of a stream into a file; false when there are none."""
    written = 0
    with open(path, "wb") as out:
        while written < lines:
            # A block of lines at a time: about as many bytes as hint, and whole lines.
            block = stream.readlines(1 << 22) if lines - written > 50_000 else [stream.readline()]
            if not block or not block[0]:
                break
            out.writelines(block)
            written += len(block)
    return written > 0


def check_space(folder, needed):
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise NoSpace(
            f"about {needed / 1e9:.0f} GB are needed in {folder}, and {free / 1e9:.0f} GB are free; "
            "make room, take fewer EVENTS, or leave engines out with --without"
        )


def copy_loaded(folder, scratch, name):
    """A copy of what an engine has loaded, for a run that changes it. Files that an engine never changes once they are
    written, which are nearly all bytes of the service and of ClickHouse, are linked and not copied."""
    def link_or_copy(source, target):
        if source.endswith((".parquet", ".bin")):
            os.link(source, target)
        else:
            shutil.copy2(source, target)

    if name == "DuckDB":
        path = os.path.join(folder, "bench.duckdb")
        check_space(scratch, os.path.getsize(path))
        shutil.copy2(path, os.path.join(scratch, "bench.duckdb"))
        return
    part = "data" if name == "Tidegauge" else "clickhouse"
    shutil.copytree(os.path.join(folder, part), os.path.join(scratch, part), symlinks=True, copy_function=link_or_copy)


def bytes_on_disk(folder, name):
    path = os.path.join(folder, {"ClickHouse": "clickhouse/store", "DuckDB": "bench.duckdb"}[name])
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(root, file)) for root, _, files in os.walk(path) for file in files)
