"""The questions, asked of all engines in turn: hot, and cold after the page cache was dropped, which needs root."""

import contextlib
import os

from agreement import difference, plain
from runs.setting import COMPUTED, KEPT, ask_all, say

# The bit of the service's status that tells of groups that were kept.
FROM_KEPT = 2


def hot(setting, engines, questions):
    """Each question goes round the engines, so that a slow minute of the machine does not hit one of them alone."""
    found = [{"name": question.name, "times": {name: [] for name in engines}} for question in questions]
    for round_ in range(setting.rounds):
        say(f"round {round_ + 1} of {setting.rounds}")
        for question, entry in zip(questions, found, strict=True):
            asks, answers = question.asks(round_), {}
            for name, engine in engines.items():
                try:
                    seconds, answers[name] = ask_all(name, engine, asks)
                    entry["times"][name].append(seconds)
                except RuntimeError as error:
                    entry.setdefault("failed", {})[name] = str(error)
            note_answers(entry, asks, answers)
            if round_ == 0 and COMPUTED in answers:
                given = zip(asks, answers[COMPUTED], strict=True)
                question.reference = [plain(COMPUTED, ask, answer) for ask, answer in given]
    return found


def note_answers(entry, asks, answers):
    """Keeps the first difference of any round, and whether groups were kept in the last one."""
    first = next(iter(answers), None)
    for other in answers:
        if other == first or entry.get("difference"):
            continue
        entry["difference"] = difference(asks, first, answers[first], other, answers[other])
    for name in (COMPUTED, KEPT):
        if name in answers:
            states = [answer["status"]["cacheStatus"] for answer in answers[name]]
            entry.setdefault("from_kept", {})[name] = any(state & FROM_KEPT for state in states)


def cold(setting, names, questions, found):
    """The first answer of a fresh process. Adds to what was found hot."""
    if not drop_page_cache():
        say("cold: not run (dropping the page cache needs root)")
        return
    for place, (question, entry) in enumerate(zip(questions, found, strict=True)):
        say(f"cold: {place + 1} of {len(questions)}")
        entry["cold"] = {}
        for name in names:
            with setting.engines([name]) as engines:
                drop_page_cache()
                with contextlib.suppress(RuntimeError):
                    entry["cold"][name], _ = ask_all(name, engines[name], question.asks(0))


def drop_page_cache():
    try:
        os.sync()
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
            file.write("3")
        return True
    except OSError:
        return False
