"""What a disk holds while records are replayed: what a sync has made durable, and what would be lost without one. The
rules are in README.md; which of the unsynced things a power cut leaves is chosen in cut.py."""

import dataclasses
import os

from trace import Kind

PAGE = 4096
ZEROS = bytes(PAGE)

KEEP_SIZE = 1  # FALLOC_FL_KEEP_SIZE


class Content:
    """Bytes of a file, by pages; pages that are not there are zeros."""

    def __init__(self, pages=None, size=0):
        self.pages, self.size = dict(pages or {}), size

    def copy(self):
        return Content(self.pages, self.size)

    def write(self, place, data):
        view, at = memoryview(data), 0
        while at < len(view):
            page, start = divmod(place + at, PAGE)
            part = bytes(view[at:at + PAGE - start])
            if len(part) < PAGE:
                before = self.pages.get(page, ZEROS)
                part = before[:start] + part + before[start + len(part):]
            self.pages[page] = part
            at += PAGE - start
        self.size = max(self.size, place + len(data))

    def resize(self, size):
        if size < self.size:
            last, start = divmod(size, PAGE)
            self.pages = {page: data for page, data in self.pages.items() if page <= last}
            if last in self.pages:
                self.pages[last] = self.pages[last][:start] + bytes(PAGE - start)
        self.size = size

    def store(self, path):
        with open(path, "wb") as file:
            for page, data in self.pages.items():
                os.pwrite(file.fileno(), data[:max(0, self.size - page * PAGE)], page * PAGE)
            file.truncate(self.size)

    def read(self, path):
        with open(path, "rb") as file:
            for place in range(0, os.fstat(file.fileno()).st_size, PAGE):
                data = file.read(PAGE)
                if data.strip(b"\0"):
                    self.write(place, data)
                self.size = place + len(data)

    def bytes(self):
        whole = bytearray(self.size)
        for page, data in self.pages.items():
            end = min(self.size, (page + 1) * PAGE)
            whole[page * PAGE:end] = data[:end - page * PAGE]
        return bytes(whole)


@dataclasses.dataclass
class Write:
    place: int
    data: bytes

    def apply(self, content):
        content.write(self.place, self.data)

    def __str__(self):
        return f"write of {len(self.data)} bytes at {self.place}"


@dataclasses.dataclass
class Resize:
    size: int
    may_shorten: bool

    def apply(self, content):
        if self.may_shorten or self.size > content.size:
            content.resize(self.size)

    def __str__(self):
        return f"length {self.size}"


class File:
    """A file, whatever its names are."""

    def __init__(self, name):
        self.name = name
        self.durable = Content()
        self.pending = []
        # What was read when a sync failed: from then on more than what is durable and pending.
        self.shown = None

    def present(self):
        """What the running process reads."""
        content = (self.shown or self.durable).copy()
        for change in self.pending:
            change.apply(content)
        return content

    def sync(self):
        for change in self.pending:
            change.apply(self.durable)
            if self.shown:
                change.apply(self.shown)
        self.pending = []

    def fail_to_sync(self):
        """The system forgets what it could not write: it is read as before, and a later sync does not write it."""
        self.shown = self.present()
        self.pending = []


class Folder:
    def __init__(self, name):
        self.name = name
        self.present = {}
        self.durable = {}


@dataclasses.dataclass
class Naming:
    """A change of names, which happens whole or not at all: each is a folder, a name in it, and what has it then."""

    what: str
    effects: list

    def apply(self, entries):
        for folder, name, node in self.effects:
            if node is None:
                entries(folder).pop(name, None)
            else:
                entries(folder)[name] = node

    def __str__(self):
        return self.what


class Disk:
    """Replays records. `ignores` tells of a folder or a file whether its syncs are to do nothing."""

    def __init__(self, ignores=lambda node: False):
        self.ignores = ignores
        self.root = Folder("")
        # Changes of names that no sync has made durable, oldest first.
        self.namings = []
        self.open = {}
        self.syncs, self.ignored = 0, 0

    def load(self, path):
        """Begins with a folder as it is, all of it durable."""
        def fill(folder, path):
            for entry in os.scandir(path):
                name = f"{folder.name}/{entry.name}".lstrip("/")
                if entry.is_dir():
                    node = Folder(name)
                    fill(node, entry.path)
                else:
                    node = File(name)
                    node.durable.read(entry.path)
                folder.present[entry.name] = folder.durable[entry.name] = node
        fill(self.root, path)

    def find(self, path):
        """The folder that a path ends in, and the last name."""
        parts = [part for part in path.split("/") if part not in ("", ".")]
        folder = self.root
        for part in parts[:-1]:
            folder = folder.present[part]
        return folder, parts[-1] if parts else ""

    def at(self, path):
        folder, name = self.find(path)
        return folder.present.get(name) if name else folder

    def rename_things(self, what, *effects):
        naming = Naming(what, list(effects))
        naming.apply(lambda folder: folder.present)
        self.namings.append(naming)

    def replay(self, record):
        getattr(self, f"on_{record.kind.name.lower()}", lambda record: None)(record)

    def on_begin(self, record):
        self.open = {}

    def on_open(self, record):
        node = self.at(record.path)
        if node is None:
            folder, name = self.find(record.path)
            node = File(record.path)
            self.rename_things(f"new file {record.path}", (folder, name, node))
        elif record.a & os.O_TRUNC and node.present().size:
            node.pending.append(Resize(0, True))
        self.open[record.fd] = node

    def on_close(self, record):
        self.open.pop(record.fd, None)

    def on_dup(self, record):
        self.open[record.a] = self.open[record.fd]

    def on_write(self, record):
        self.open[record.fd].pending.append(Write(record.a, record.data))

    def on_truncate(self, record):
        self.open[record.fd].pending.append(Resize(record.a, True))

    def on_allocate(self, record):
        if record.a not in (0, KEEP_SIZE):
            raise ValueError(f"fallocate with mode {record.a} is not replayed")
        if record.a == 0:
            self.open[record.fd].pending.append(Resize(record.b, False))

    def on_sync(self, record):
        node = self.open[record.fd]
        self.syncs += 1
        if self.ignores(node):
            self.ignored += 1
        elif isinstance(node, File):
            node.sync()
        else:
            self.sync_names(node)

    def on_failed_sync(self, record):
        node = self.open[record.fd]
        if isinstance(node, File):
            node.fail_to_sync()

    def sync_names(self, folder):
        rest = []
        for naming in self.namings:
            if not any(where is folder for where, _, _ in naming.effects):
                rest.append(naming)
                continue
            naming.apply(lambda folder: folder.durable)
            # What came before on the same names must not come back over it.
            done = {(id(where), name) for where, name, _ in naming.effects}
            for earlier in rest:
                earlier.effects = [effect for effect in earlier.effects if (id(effect[0]), effect[1]) not in done]
        self.namings = [naming for naming in rest if naming.effects]

    def on_rename(self, record):
        if record.a not in (0, 1):  # RENAME_NOREPLACE
            raise ValueError(f"renameat2 with flags {record.a} is not replayed")
        (folder, name), (to, to_name) = self.find(record.path), self.find(record.other)
        node = folder.present[name]
        node.name = record.other
        what = f"rename of {record.path} to {record.other}"
        self.rename_things(what, (folder, name, None), (to, to_name, node))

    def on_link(self, record):
        folder, name = self.find(record.other)
        self.rename_things(f"link of {record.path} as {record.other}", (folder, name, self.at(record.path)))

    def on_unlink(self, record):
        folder, name = self.find(record.path)
        self.rename_things(f"end of {record.path}", (folder, name, None))

    def on_mkdir(self, record):
        folder, name = self.find(record.path)
        self.rename_things(f"new folder {record.path}", (folder, name, Folder(record.path)))

    on_rmdir = on_unlink

    def files(self):
        """All files and folders that the running process sees, by their paths."""
        return dict(walk(self.root, lambda folder: folder.present))


def walk(folder, entries, before=""):
    """Paths below a folder, each with its file or folder; a folder comes before what is in it."""
    for name, node in sorted(entries(folder).items()):
        path = f"{before}{name}"
        yield path, node
        if isinstance(node, Folder):
            yield from walk(node, entries, f"{path}/")
