"""Makes a question that is answered wrongly smaller, part by part, for as long as it stays wrong."""

import dataclasses

from stages import Unfit

STEPS_MAX = 60


def smaller(query):
    """The questions that have one part less."""
    stages = query.stages
    for at, stage in enumerate(stages):
        yield dataclasses.replace(query, stages=stages[:at] + stages[at + 1:])
    if query.start is not None:
        yield dataclasses.replace(query, start=None, end=None)
    for at, stage in enumerate(stages):
        for less in stage.parts():
            yield dataclasses.replace(query, stages=stages[:at] + (less,) + stages[at + 1:])


def fits(query):
    try:
        return query.is_whole() and bool(query.table())
    except Unfit:
        return False


def smallest(query, found, difference):
    """`difference` tells what is different, none if nothing is or if it cannot be known."""
    steps, is_smaller = 0, True
    while is_smaller and steps < STEPS_MAX:
        is_smaller = False
        for less in smaller(query):
            if not fits(less):
                continue
            steps += 1
            other = difference(less)
            if other:
                query, found, is_smaller = less, other, True
                break
            if steps >= STEPS_MAX:
                break
    return query, found
