"""Makes the disk fail under the real binary, call by call, and looks whether all that it acknowledged is there, once, and
whether it says what is wrong. Started by scripts/diskfaults.sh; see README.md."""

import pathlib
import sys
import threading

import recording
import runner
import selftest
import spilling
from control import CALLS
from faulted import STAGES, Attempt, Bench
from plan import ANY, CUT, KILL, STOP, STOP_LATE, Plan
from spilling import SpillAttempt

# The groups are as in faults.h.
PLAN = Plan(
    # A disk that is full has nothing against reading, and one that is broken refuses anything.
    errors={
        "create": ("EIO", "ENOSPC", "EROFS"), "open": ("EIO",), "read": ("EIO", "short"), "list": ("EIO",),
        "map": ("EIO",), "stat": ("EIO",), "write": ("EIO", "ENOSPC", "torn", "short"), "truncate": ("EIO",),
        "allocate": ("EIO", "ENOSPC"), "sync": ("EIO", "ENOSPC", "slow"), "rename": ("EIO", "ENOSPC"),
        "link": ("EIO",), "unlink": ("EIO",), "mkdir": ("EIO", "ENOSPC"), "rmdir": ("EIO",),
    },
    groups={
        "space": ("create", "write", "allocate", "mkdir"),
        "change": ("create", "write", "truncate", "allocate", "sync", "rename", "link", "unlink", "mkdir", "rmdir"),
        ANY: CALLS,
    },
    # A full disk, one that can only be read any more, one that is gone, and one that lost a part.
    together=(
        ("space", ANY, "ENOSPC"), ("change", ANY, "EROFS"), (ANY, ANY, "EIO"),
        *((ANY, file, "EIO") for file in ("log", "segment", "wal", "catalog", "folder", "intent")),
        (ANY, "log", "torn"), ("change", "log", "EIO"), ("change", "segment", "torn"),
    ),
    ends={STOP: 3, STOP_LATE: 2, KILL: 3, CUT: 3},
)


class DiskBench(Bench):
    def __init__(self, binary, folder, library, seed):
        super().__init__(binary, folder, library, seed)
        self.spill_lock, self.spill_folder = threading.Lock(), None

    def attempt(self, stage, fault):
        return SpillAttempt(self, stage, fault) if stage == spilling.STAGE else Attempt(self, stage, fault)

    def spill_begin(self):
        """Made when it is first needed, because it takes a while."""
        with self.spill_lock:
            self.spill_folder = self.spill_folder or spilling.prepare(self)
        return self.spill_folder


def main():
    arguments = runner.parse("diskfaults")
    library = recording.build(pathlib.Path(__file__).with_name("recorder.c"), arguments.folder)
    if not library:
        print("diskfaults: not run (there is no recorder)", file=sys.stderr)
        return 0
    bench = DiskBench(arguments.binary, arguments.folder, library, arguments.seed)
    return runner.run(runner.Run("diskfaults", arguments, bench, STAGES, PLAN), selftest.run)


if __name__ == "__main__":
    sys.exit(main())
