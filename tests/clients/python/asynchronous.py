"""The half of the client that is for asyncio, which has another HTTP library below it."""

import json
from datetime import timedelta

from axiom_py import AsyncClient, AxiomError
from axiom_py.tokens import CreateTokenRequest, TokenOrganizationCapabilities

from checks import LARGEST, START, equal


async def asynchronous():
    """The same service through the client for asyncio, which has another HTTP library below it."""
    async with AsyncClient() as client:
        made = await client.datasets.create("python-async", "Asynchronous")
        equal(await client.datasets.get("python-async"), made)
        status = await client.ingest_events(
            "python-async", [{"_time": START, "n": LARGEST}, {"_time": START, "n": 1}]
        )
        equal((status.ingested, status.failed), (2, 0))
        result = await client.query("['python-async'] | summarize count(), max(n)")
        equal(list(result.tables[0].events()), [{"count_": 2, "max_n": LARGEST}])
        equal((await client.users.current()).role.id, "owner")
        reader = TokenOrganizationCapabilities(users=["read"])
        made = await client.tokens.create(CreateTokenRequest(name="async", orgCapabilities=reader))
        equal([token.name for token in await client.tokens.list() if token.id == made.id], ["async"])
        await deleted(client.tokens.delete(made.id))
        equal([token for token in await client.tokens.list() if token.id == made.id], [])
        await client.datasets.trim("python-async", timedelta(hours=1))
        try:
            await client.datasets.create("python-async")
            raise AssertionError("a dataset was made twice")
        except AxiomError as error:
            equal((error.status, error.message), (409, "there is a dataset with this name"))
        await deleted(client.datasets.delete("python-async"))
        equal([dataset for dataset in await client.datasets.get_list() if dataset.name == "python-async"], [])


async def deleted(deletion):
    """This half of the client reads a JSON body where it deletes, and answers with 204 have none."""
    try:
        await deletion
    except json.JSONDecodeError:
        pass
