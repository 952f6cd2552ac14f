"""Turns findings into what people read: the data as JSON, a page of Markdown, and a picture."""

import json
import os
import sys

from . import page, picture


def keep(findings, folder):
    """Writes what was found so far, so that a run that is cut off has not measured for nothing."""
    if folder:
        os.makedirs(folder, exist_ok=True)
        put(folder, "findings.json", json.dumps(findings, indent=1))


def write(findings, folder):
    """Prints the page, and writes all three into the folder if there is one. Returns what is wrong, for the exit."""
    text = page.text(findings)
    print(text)
    if folder:
        keep(findings, folder)
        put(folder, "benchmark.md", text)
        put(folder, "benchmark.svg", picture.draw(findings))
        print(f"bench: written to {folder}", file=sys.stderr)
    return page.wrong(findings)


def put(folder, name, content):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(content + "\n")
