"""A copy of the tree that may be changed, with one folder for what is built of it, so that each change costs one compile
of what depends on it. What is the same in both is left alone: the compiler goes by the times of files."""

import os
import pathlib
import signal
import subprocess
import sys


class Scratch:
    def __init__(self, root, folder):
        self.root = pathlib.Path(root)
        self.tree = pathlib.Path(folder) / "tree"
        self.target = pathlib.Path(folder) / "target"
        self.changed = {}
        # Who is ended from outside ends what it has started, too.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    def refresh(self):
        """Makes the copy the same as the tree, as far as git knows its files or would."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=self.root, check=True, capture_output=True, text=True).stdout
        wanted = {name for name in listed.split("\0") if name and (self.root / name).is_file()}
        for name in wanted:
            self._write(name, (self.root / name).read_bytes())
        for path in self.tree.rglob("*"):
            if path.is_file() and str(path.relative_to(self.tree)) not in wanted:
                path.unlink()

    def change(self, name, text):
        """Changes one file. Whatever was changed before is as it was, so that both are one compile."""
        for before in [known for known in self.changed if known != name]:
            self._write(before, self.changed.pop(before))
        self.changed.setdefault(name, (self.root / name).read_bytes())
        self._write(name, text.encode())

    def restore(self):
        for name, content in self.changed.items():
            self._write(name, content)
        self.changed = {}

    def cargo(self, arguments, seconds, more=None):
        """Runs cargo in the copy: its code, or None if it took too long, and all that it said."""
        environment = {**os.environ, "CARGO_TARGET_DIR": str(self.target), "CARGO_TERM_COLOR": "never", **(more or {})}
        # What a change leaves unused is no reason to fail.
        for name in ["RUSTC_WORKSPACE_WRAPPER", "CLIPPY_ARGS", "CARGO_INCREMENTAL"]:
            environment.pop(name, None)
        # In a group of its own, so that all that it started can be ended with it.
        process = subprocess.Popen(
            ["cargo", *arguments], cwd=self.tree, env=environment, text=True, errors="replace", start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            said, _ = process.communicate(timeout=seconds)
            return process.returncode, said
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, process.communicate()[0]
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise

    def _write(self, name, content):
        path = self.tree / name
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if os.access(self.root / name, os.X_OK):
            path.chmod(0o755)
