"""Tables of Markdown."""


def table(heads, rows):
    written = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    return "\n".join([*written, *("| " + " | ".join(row) + " |" for row in rows)])
