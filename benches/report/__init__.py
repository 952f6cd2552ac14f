"""Turns findings into what people read: the data as JSON, a page of Markdown, and a picture."""

import json
import os
import sys

from . import page, picture


def write(findings, folder):
    """Prints the page, and writes all three into the folder if there is one. Returns what is wrong, for the exit."""
    text = page.text(findings)
    print(text)
    if folder:
        os.makedirs(folder, exist_ok=True)
        files = {
            "findings.json": json.dumps(findings, indent=1),
            "benchmark.md": text,
            "benchmark.svg": picture.draw(findings),
        }
        for name, content in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content if content.endswith("\n") else content + "\n")
        print(f"bench: written to {folder}", file=sys.stderr)
    return page.wrong(findings)
