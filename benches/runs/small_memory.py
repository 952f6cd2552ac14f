"""All questions once more of a service with half a gigabyte for queries and kept columns together: all must complete,
with the same answers."""

from agreement import agree, plain
from runs.setting import COMPUTED, ask_all, say
from service import Service

MEBIBYTE = 1 << 20
QUERIES, COLUMNS = 384 * MEBIBYTE, 128 * MEBIBYTE
SETTINGS = [
    "--query-memory-bytes", str(QUERIES),
    "--max-query-memory-bytes", str(QUERIES),
    "--query-cache-bytes", str(COLUMNS),
]


def run(setting, questions, found):
    """`found` gets the seconds of each; what failed is given back with its reason, beside the most memory."""
    service, failed = Service(setting.dataset.binary, setting.dataset.folder, setting.computing(*SETTINGS)), {}
    try:
        for question, entry in zip(questions, found, strict=True):
            say(f"small memory: {question.name}")
            try:
                asks = question.asks(0)
                entry["small_memory"], given = ask_all(COMPUTED, service, asks)
            except RuntimeError as error:
                failed[question.name] = str(error)
                continue
            for ask, answer, wanted in zip(asks, given, question.reference or []):
                if not agree(plain(COMPUTED, ask, answer), wanted, ask.percent.get("ClickHouse")):
                    failed[question.name] = "another answer than with more memory"
        return {"bytes": QUERIES + COLUMNS, "failed": failed, "peak": service.peak()}
    finally:
        service.stop()
