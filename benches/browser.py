"""A browser in a process of its own, which ui/tests/measure/end.js drives: one call on each line, one line as the answer."""

import json
import os
import subprocess

END = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "ui/tests/measure/end.js")


class Browser:
    """Signed in at a service, with pages that live at a moment in milliseconds."""

    def __init__(self, link, moment):
        self.process = subprocess.Popen(["node", END], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            self.version = self.call("start", link=link, moment=moment)
        except BaseException:
            self.stop()
            raise

    def call(self, name, /, **argument):
        self.process.stdin.write(json.dumps([name, argument]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process of the browser ended during {name}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["given"]

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
