"""A disk as it may be after a power cut: all that was synced, and of the rest nothing, all of one kind, or what chance
leaves of it."""

import enum
import os

from disk import PAGE, File, Resize, Write, walk

# Disks write sectors; a write that was cut off ends anywhere in them only for a disk that says so, which is worse.
SECTOR = 512

SHARES = (0.0, 0.2, 0.5, 0.8, 1.0)

# Shared memory of SQLite's readers. It is mapped, so that it cannot be recorded, and SQLite makes it anew.
NOT_KEPT = "-shm"


class Manner(enum.StrEnum):
    """What stays of that which was not synced."""

    NOTHING = "nothing"
    NAMES = "names"
    DATA = "data"
    SOME = "some"


class Cut:
    """The image that a cut leaves, and what it dropped."""

    def __init__(self, disk, manner, chance):
        self.manner, self.chance = manner, chance
        self.lines, self.dropped, self.torn = [], 0, 0
        entries = self.names(disk)
        self.image = []
        contents = {}
        for path, node in walk(disk.root, lambda folder: entries.get(id(folder), folder.durable)):
            if isinstance(node, File) and not path.endswith(NOT_KEPT):
                content = contents.get(id(node)) or self.content(node, path)
                contents[id(node)] = content
                self.image.append((path, content))
            elif not isinstance(node, File):
                self.image.append((path, None))

    def note(self, what, is_kept):
        self.dropped += not is_kept
        self.lines.append(f"{'kept' if is_kept else 'dropped'}: {what}")

    def names(self, disk):
        """The names in those folders in which more is kept than what was synced."""
        entries = {}

        def own(folder):
            return entries.setdefault(id(folder), dict(folder.durable))

        if self.manner == Manner.SOME and self.chance.random() < 0.5:
            # As a file system with a journal: what came first is there first.
            count = self.chance.randint(0, len(disk.namings))
            kept = [at < count for at in range(len(disk.namings))]
        else:
            share = {Manner.NAMES: 1.0, Manner.SOME: self.chance.choice(SHARES)}.get(self.manner, 0.0)
            kept = [self.chance.random() < share for _ in disk.namings]
        for naming, is_kept in zip(disk.namings, kept):
            if is_kept:
                naming.apply(own)
            if not all(name.endswith(NOT_KEPT) for _, name, _ in naming.effects):
                self.note(naming, is_kept)
        return entries

    def content(self, file, path):
        content = file.durable.copy()
        if self.manner == Manner.DATA:
            content = file.present()
        elif self.manner == Manner.SOME:
            self.keep_some(content, file.pending)
        share = {Manner.DATA: "kept", Manner.SOME: "kept in part"}.get(self.manner, "dropped")
        self.lines += [f"{share}: {path}: {change}" for change in file.pending]
        self.dropped += len(file.pending) if self.manner != Manner.DATA else 0
        return content

    def keep_some(self, content, pending):
        share = self.chance.choice(SHARES)
        writes = [at for at, change in enumerate(pending) if isinstance(change, Write)]
        torn = self.chance.choice(writes[-3:]) if writes else -1
        for at, change in enumerate(pending):
            if isinstance(change, Resize):
                if self.chance.random() < share:
                    change.apply(content)
            elif at == torn:
                self.tear(content, change)
            else:
                self.keep_pages(content, change, share)

    def keep_pages(self, content, write, share):
        end = write.place + len(write.data)
        for page in range(write.place // PAGE, (end - 1) // PAGE + 1):
            first, last = max(write.place, page * PAGE), min(end, (page + 1) * PAGE)
            if self.chance.random() < share:
                content.write(first, write.data[first - write.place:last - write.place])
        if end > content.size and self.chance.random() < 0.3:
            # The length is there and the bytes are not.
            content.resize(end)

    def tear(self, content, write):
        """Keeps the beginning or the end of a write, by sectors or to the byte."""
        self.torn += 1
        border = self.chance.randint(0, len(write.data))
        if self.chance.random() < 0.5:
            border -= (write.place + border) % SECTOR
        border = max(0, border)
        if self.chance.random() < 0.7:
            content.write(write.place, write.data[:border])
        else:
            content.write(write.place + border, write.data[border:])

    def store(self, folder):
        """Writes the image."""
        os.makedirs(folder)
        for path, content in self.image:
            target = os.path.join(folder, path)
            if content is None:
                os.makedirs(target, exist_ok=True)
            else:
                content.store(target)
