"""Runs the work with the recorder, and proves that the trace tells all that was done to the data folder."""

import os
import shutil
import subprocess
import sys
import time

import trace
from disk import Disk, File
from ledger import Ledger
from service import TOKEN_FILE, DidNotStart, Service
from work import CLIENTS, Client, work

# How the service ends after each part of the work. The last end is where the power goes at the latest.
ENDS = ("stop", "kill", "stop", "kill")

# Nothing is from the future, however fast the numbers of events grow.
BASE_AGE_SECONDS = 600

TOKEN = "xapt-7d1f4c1e-90a3-4b5e-8c55-0f2c6a1e9b34"


class Recording:
    """A recorded run: the records, and what was promised meanwhile."""

    def __init__(self, folder):
        self.folder = folder
        self.begin, self.trace, self.ledger_path = folder / "begin", folder / "trace", folder / "ledger.json"

    def load_records(self):
        self.records = trace.read(self.trace)
        return self.records

    def load(self):
        self.load_records()
        self.ledger = Ledger.load(self.ledger_path)
        self.answers = self.ledger.place(self.records)
        return self

    def disk(self, ignores=lambda node: False):
        disk = Disk(ignores)
        disk.load(self.begin)
        return disk

    def copy_to(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.copytree(self.begin, folder / "begin")
        for path in (self.trace, self.ledger_path):
            shutil.copy(path, folder)
        return Recording(folder)


def build(source, folder):
    """The recorder, or nothing where it cannot be had or the kernel does not allow it."""
    library = folder / "recorder.so"
    command = ["cc", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", str(library), str(source)]
    if subprocess.run(command, check=False).returncode != 0:
        return None
    tried = {"LD_PRELOAD": str(library), "RECORDER_FOLDER": str(folder / "tried"), "RECORDER_TRACE": "/dev/null"}
    works = subprocess.run([sys.executable, "-c", ""], env=os.environ | tried, check=False).returncode == 0
    return library if works else None


def record(binary, library, folder, seed, requests):
    """Makes a run of so many requests. What goes wrong in it is no matter of power."""
    recording = Recording(folder)
    root = folder / "root"
    root.mkdir()
    if seed % 2:
        # A token that was there before: writing one would make names durable beside its own.
        (root / TOKEN_FILE).write_text(TOKEN + "\n")
    shutil.copytree(root, recording.begin)
    ledger = Ledger(int(time.time()) - BASE_AGE_SECONDS)
    recording.trace.touch()
    clients = [Client(number, seed, recording.trace, ledger) for number in range(CLIENTS)]
    for end in ENDS:
        service = Service(binary, root, folder / "log", (library, recording.trace))
        try:
            work(clients, service, max(1, requests // (len(ENDS) * CLIENTS)))
        except BaseException:
            service.kill()
            raise
        getattr(service, end)()
    ledger.save(recording.ledger_path)
    recording.load()
    compare(recording, root)
    return recording


def recover(binary, library, root, recording):
    """Records how the service starts on what a cut left. What is wrong with that, if anything."""
    recording.folder.mkdir()
    shutil.copytree(root, recording.begin)
    try:
        service = Service(binary, root, recording.folder / "log", (library, recording.trace))
    except DidNotStart as reason:
        return f"the service did not start: {reason}"
    service.kill()
    return None


def compare(recording, root):
    """All that is in the folder is in the trace, byte for byte; only memory that SQLite shares is not."""
    disk = recording.disk()
    for entry in recording.records:
        disk.replay(entry)
    replayed = {path: node for path, node in disk.files().items() if not path.endswith("-shm")}
    real = {}
    for where, folders, files in os.walk(root):
        for name in [*folders, *files]:
            path = os.path.relpath(os.path.join(where, name), root)
            if not path.endswith("-shm"):
                real[path] = os.path.join(where, name)
    different = set(replayed) ^ set(real)
    for path, node in replayed.items():
        if path in real and isinstance(node, File):
            with open(real[path], "rb") as file:
                if file.read() != node.present().bytes():
                    different.add(path)
    if different:
        raise SystemExit(f"powercut: the trace does not tell all that was done to {sorted(different)}")
