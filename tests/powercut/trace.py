"""The records that recorder.c writes, in the order in which things happened."""

import dataclasses
import enum
import re
import struct

HEAD = struct.Struct("=IIqqqII")

REQUEST_ID = re.compile(rb"\r\nx-request-id: ([^\r]*)\r\n")


class Kind(enum.IntEnum):
    """As in recorder.c."""

    BEGIN = 1
    OPEN = 2
    CLOSE = 3
    DUP = 4
    WRITE = 5
    TRUNCATE = 6
    ALLOCATE = 7
    SYNC = 8
    RENAME = 9
    LINK = 10
    UNLINK = 11
    MKDIR = 12
    RMDIR = 13
    ANSWER = 14
    FAILED_SYNC = 15


@dataclasses.dataclass
class Record:
    kind: Kind
    fd: int
    a: int
    b: int
    path: str
    other: str
    data: bytes
    # Where it ends in the trace, by which it is told what happened before a request was sent.
    end: int

    def answered(self):
        """The id of the request and the status, if this is the beginning of an answer."""
        found = REQUEST_ID.search(self.data) if self.data.startswith(b"HTTP/1.1 ") else None
        return (found[1].decode(), int(self.data[9:12])) if found else None


def read(path):
    """All records. One that a killed process did not finish ends the trace."""
    trace, at, records = path.read_bytes(), 0, []
    while at + HEAD.size <= len(trace):
        size, kind, fd, a, b, path_size, other_size = HEAD.unpack_from(trace, at)
        if at + size > len(trace):
            break
        first = at + HEAD.size
        second, third = first + path_size, first + path_size + other_size
        at += size
        name, other = trace[first:second].decode(), trace[second:third].decode()
        records.append(Record(Kind(kind), fd, a, b, name, other, trace[third:at], at))
    return records
