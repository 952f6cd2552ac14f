"""The questions, asked of all engines in turn: hot, once each of fresh processes with the files in the page cache, and
cold after the page cache was dropped, which needs root."""

import os
import random
import time

from agreement import difference, plain
from runs.setting import COMPUTED, KEPT, ask_all, say

# The bit of the service's status that tells of groups that were kept.
FROM_KEPT = 2
# What a process does after its start is over by then.
CALM_SECONDS = 5


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
    note_difference(entry, asks, answers)
    for name in (COMPUTED, KEPT):
        if name in answers:
            entry.setdefault("from_kept", {})[name] = is_from_kept(answers[name])


def note_difference(entry, asks, answers, when=""):
    """Keeps the first difference of any round and run."""
    first = next(iter(answers), None)
    for other in answers:
        if other == first or entry.get("difference"):
            continue
        told = difference(asks, first, answers[first], other, answers[other])
        entry["difference"] = told and when + told


def is_from_kept(answers):
    return any(answer["status"]["cacheStatus"] & FROM_KEPT for answer in answers)


def first(setting, peers, questions, found, seed):
    """For each run fresh processes by their default settings, of which each is asked each question once, in an order of
    the run. The service has a copy of what was loaded, which has kept no groups of anybody's questions. Adds to what
    was found hot, and gives back what each run did."""
    runs = []
    for entry in found:
        entry["first"] = {name: [] for name in [KEPT, *peers]}
    for run in range(setting.first_runs):
        order = list(range(len(questions)))
        random.Random(f"{seed} {run}").shuffle(order)
        runs.append({"order": [questions[place].name for place in order]})
        with setting.scratch() as scratch:
            folders = {KEPT: setting.copy_without_kept(scratch)}
            with setting.engines([KEPT, *peers], folders) as engines:
                setting.warm_page_cache(folders[KEPT])
                time.sleep(CALM_SECONDS)
                for number, place in enumerate(order):
                    say(f"first ask: run {run + 1} of {setting.first_runs}, {number + 1} of {len(order)}")
                    ask_once(turned(engines, number), questions[place].asks(run), found[place])
                runs[-1]["peaks"] = {name: engine.peak() for name, engine in engines.items()}
    return {"seed": seed, "runs": runs}


def turned(engines, number):
    """The engines, another one first each time: who comes later finds the processor warmer."""
    names = list(engines)
    begin = number % len(names)
    return {name: engines[name] for name in names[begin:] + names[:begin]}


def ask_once(engines, asks, entry):
    answers = {}
    for name, engine in engines.items():
        try:
            seconds, answers[name] = ask_all(name, engine, asks)
            entry["first"][name].append(seconds)
        except RuntimeError as error:
            entry.setdefault("failed", {})[name] = f"first ask: {error}"
    # The others are compared with the service, whoever was asked first.
    note_difference(entry, asks, dict(sorted(answers.items(), key=lambda item: item[0] != KEPT)), "first ask: ")
    if KEPT in answers and is_from_kept(answers[KEPT]):
        entry["first_from_kept"] = True


def cold(setting, names, questions, found):
    """The first answer of a fresh process. Adds to what was found hot."""
    if not drop_page_cache():
        say("cold: not run (dropping the page cache needs root)")
        return
    for place, (question, entry) in enumerate(zip(questions, found, strict=True)):
        say(f"cold: {place + 1} of {len(questions)}")
        entry["cold"], answers, asks = {}, {}, question.asks(0)
        for name in names:
            with setting.engines([name]) as engines:
                drop_page_cache()
                try:
                    entry["cold"][name], answers[name] = ask_all(name, engines[name], asks)
                except RuntimeError as error:
                    entry.setdefault("failed", {})[name] = f"cold: {error}"
        note_difference(entry, asks, answers, "cold: ")


def drop_page_cache():
    try:
        os.sync()
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
            file.write("3")
        return True
    except OSError:
        return False
