"""Talks to the service through axiom-py as it is on PyPI, and checks every value that comes back.

Usage: main.py [quota|rate-limit]. The address, the organisation and the owner's personal token come from
AXIOM_URL, AXIOM_ORG_ID and AXIOM_TOKEN, which the client reads by itself.
"""

import asyncio
import sys

from axiom_py import AsyncClient, Client

from administration import datasets, deletion, refusals, tokens, trim, user
from asynchronous import asynchronous
from checks import check_refusal, rate_limit_refuses
from events import edge, formats, ingest_options, log, values
from marks import annotations
from questions import paging, queries


def quota(client):
    """The licence has nothing left for this month."""
    client.datasets.create("python-quota")
    check_refusal(430, "gigabyte-hours", lambda: client.query("['python-quota']"), exact=False)
    check_refusal(430, "this month", lambda: client.ingest_events("python-quota", [{"n": 1}]), exact=False)


async def rate_limit(client):
    async with AsyncClient() as hasty:
        await rate_limit_refuses(hasty)
    # This half of the client waits as long as `Retry-After` says, and asks again.
    for _ in range(3):
        client.datasets.get_list()


def main():
    client = Client()
    if sys.argv[1:] == ["quota"]:
        quota(client)
        return
    if sys.argv[1:] == ["rate-limit"]:
        asyncio.run(rate_limit(client))
        return
    parts = [
        datasets,
        user,
        formats,
        ingest_options,
        values,
        queries,
        paging,
        tokens,
        annotations,
        edge,
        refusals,
        trim,
        log,
        deletion,
    ]
    for part in parts:
        part(client)
    asyncio.run(asynchronous())


main()
