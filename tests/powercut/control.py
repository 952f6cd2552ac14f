"""Faults of the disk, and the page of memory by which recorder.c is told of them and tells what it saw."""

import dataclasses
import mmap
import struct

# All three as in faults.h.
CALLS = ("create", "open", "read", "list", "map", "stat", "write", "truncate", "allocate", "sync", "rename", "link",
         "unlink", "mkdir", "rmdir")
CLASSES = ("log", "segment", "catalog", "wal", "shm", "intent", "partials", "spill", "quarantine", "key", "folder", "other")
HEAD = struct.Struct("=IIII")
IS_ARMED, IS_LIFTED, STRUCK = 0, 1, 2

PATH_BYTES = 256
PAGE_BYTES = HEAD.size + 4 * len(CALLS) * len(CLASSES) + PATH_BYTES

# How often a fault strikes that lasts until it is lifted.
LASTING = 0


@dataclasses.dataclass(frozen=True, order=True)
class Fault:
    """Which calls fail, when, and how the service ends after that."""

    stage: str
    call: str
    file: str
    nth: int
    error: str
    times: int
    end: str

    def __str__(self):
        return f"{self.stage}/{self.strike()}/{self.end}"

    def strike(self):
        """As the recorder reads it."""
        return f"{self.call}:{self.file}:{self.nth}:{self.error}:{self.times}"

    @staticmethod
    def parse(text):
        stage, strike, end = text.split("/")
        call, file, nth, error, times = strike.split(":")
        return Fault(stage, call, file, int(nth), error, int(times), end)


class Control:
    """A page that is shared with a service."""

    def __init__(self, path):
        self.path = path
        path.write_bytes(bytes(PAGE_BYTES))
        with open(path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), PAGE_BYTES)

    def environment(self, fault=None):
        variables = {"RECORDER_CONTROL": str(self.path)}
        return variables | ({"RECORDER_FAULT": fault.strike()} if fault else {})

    def arm(self):
        """From now on calls are counted, and fail."""
        self.set(IS_ARMED)

    def lift(self):
        self.set(IS_LIFTED)

    def set(self, place):
        self.page[4 * place:4 * place + 4] = struct.pack("=I", 1)

    def struck(self):
        """How many calls failed."""
        return HEAD.unpack_from(self.page)[STRUCK]

    def struck_path(self):
        """The file of the first of them."""
        return self.page[PAGE_BYTES - PATH_BYTES:].split(b"\0")[0].decode(errors="replace")

    def counts(self):
        """How often each call was made on each class of files."""
        numbers = struct.unpack_from(f"={len(CALLS) * len(CLASSES)}I", self.page, HEAD.size)
        pairs = [(call, file) for call in CALLS for file in CLASSES]
        return {pair: number for pair, number in zip(pairs, numbers) if number}

    def close(self):
        self.page.close()
        self.path.unlink()
