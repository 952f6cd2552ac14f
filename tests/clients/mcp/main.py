"""Asks the service by the Model Context Protocol with the clients mcp and fastmcp as they are on PyPI: by the revision
that says everything with each request and by the handshake of before, with tokens of ours and with one that the embedded
authorisation server gives out.

The address, the organisation and the owner's personal token come from AXIOM_URL, AXIOM_ORG_ID and AXIOM_TOKEN, tokens with
fewer rights from TEST_API_TOKEN and TEST_INGEST_TOKEN, and a one-time link by which the owner sets a password from
TEST_PASSWORD_LINK. With `quota` or `rate-limit` as argument the service has been told to refuse more.
"""

import asyncio
import os
import sys
from urllib.parse import parse_qs, urlsplit

import fastmcp
import httpx2
import requests
from fastmcp.client.auth import BearerAuth
from fastmcp.exceptions import ToolError
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata

from pages import Browser

URL = os.environ["AXIOM_URL"]
MCP = f"{URL}/mcp"
OWNER, ORG = os.environ["AXIOM_TOKEN"], os.environ["AXIOM_ORG_ID"]
EVERYTHING, SENDER = os.environ["TEST_API_TOKEN"], os.environ["TEST_INGEST_TOKEN"]
REDIRECT = "http://127.0.0.1:5323/callback"
DATASET = "mcp-events"
EVENTS = 300

READING = [
    "listDatasets",
    "getDatasetSchema",
    "queryApl",
    "checkQuery",
    "getSavedQueries",
    "runSavedQuery",
    "checkMonitors",
    "getMonitorHistory",
    "listDashboards",
    "getDashboard",
]
CHANGING = ["saveQuery", "createMonitor"]


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"\n  got      {actual!r}\n  expected {expected!r}")


def post(path, body):
    headers = {"Authorization": f"Bearer {OWNER}", "X-Axiom-Org-Id": ORG}
    answer = requests.post(f"{URL}{path}", json=body, headers=headers, timeout=300)
    if answer.status_code not in (200, 201):
        raise AssertionError(f"{path}: {answer.status_code} {answer.text}")
    return answer.json()


def prepare():
    events = [{"number": number, "status": 500 if number % 10 == 0 else 200, "path": f"/{number % 3}"} for number in range(EVENTS)]
    equal(post(f"/v1/datasets/{DATASET}/ingest", events)["ingested"], EVENTS)


def connected(mode, token=None, **settings):
    """The client mcp with a token of ours, or with what proves who asks otherwise."""
    headers = {"X-Axiom-Org-Id": ORG}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    http = httpx2.AsyncClient(headers=headers, timeout=300, **settings)
    return Client(streamable_http_client(MCP, http_client=http), mode=mode)


async def found(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise AssertionError(f"{tool}: {result.content[0].text}")
    return result.structured_content


async def refused(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    equal((result.is_error, len(result.content)), (True, 1))
    return result.content[0].text


async def every_tool(mode, version):
    async with connected(mode, EVERYTHING) as client:
        equal(client.protocol_version, version)
        tools = (await client.list_tools()).tools
        equal(sorted(tool.name for tool in tools), sorted(READING + CHANGING))
        for tool in tools:
            equal(tool.annotations.read_only_hint, tool.name in READING)

        datasets = (await found(client, "listDatasets"))["datasets"]
        equal(DATASET in [dataset["name"] for dataset in datasets], True)
        schema = await found(client, "getDatasetSchema", dataset=DATASET)
        kinds = {field["name"]: field["type"] for field in schema["fields"]}
        equal((kinds["number"], kinds["path"], schema["events"]), ("integer", "string", EVENTS))

        query = f"['{DATASET}'] | where status == 500 | summarize count() by path | sort by path asc"
        answer = await found(client, "queryApl", apl=query, startTime="now-1h")
        [table] = answer["tables"]
        equal([field["name"] for field in table["fields"]], ["path", "count_"])
        equal(table["rows"], [["/0", 10], ["/1", 10], ["/2", 10]])
        equal((answer["status"]["rowsMatched"], answer["costGbms"] > 0), (30, True))
        answer = await found(client, "queryApl", apl=f"['{DATASET}'] | project number", limit=7)
        equal((len(answer["tables"][0]["rows"]), answer["status"]["messages"][0]["code"]), (7, "apl_rowlimitapplied_1"))

        text = await refused(client, "queryApl", apl=f"['{DATASET}'] | wher status == 500")
        equal(("line 1, column 18" in text, "where" in text), (True, True))
        checked = await found(client, "checkQuery", apl=query)
        equal((checked["isValid"], checked["datasets"]), (True, [DATASET]))
        checked = await found(client, "checkQuery", apl="print strln('a')")
        equal((checked["isValid"], checked["problems"][0]["line"]), (False, 1))

        saved = await found(client, "saveQuery", name=f"by {mode}", apl=query, dataset=DATASET)
        listed = (await found(client, "getSavedQueries", contains=f"by {mode}"))["queries"]
        equal([one["id"] for one in listed], [saved["id"]])
        again = await found(client, "runSavedQuery", id=saved["id"])
        equal(again["tables"][0]["rows"][0], ["/0", 10])

        monitor = await found(
            client, "createMonitor", name=f"by {mode}", aplQuery=query, operator="Above", threshold=5,
            intervalMinutes=5, rangeMinutes=60,
        )
        watched = (await found(client, "checkMonitors", contains=f"by {mode}"))["monitors"]
        equal([one["id"] for one in watched], [monitor["id"]])
        equal(isinstance((await found(client, "getMonitorHistory", id=monitor["id"]))["runs"], list), True)

        uid = f"mcp-{mode}".replace(".", "-")
        chart = {"id": "c", "name": "Errors", "type": "TimeSeries", "query": {"apl": query}}
        document = {
            "name": f"by {mode}", "owner": "X-AXIOM-EVERYONE", "schemaVersion": 2, "refreshTime": 60, "charts": [chart],
            "layout": [{"i": "c", "x": 0, "y": 0, "w": 6, "h": 4}], "timeWindowStart": "qr-now-1h", "timeWindowEnd": "qr-now",
        }
        post("/v2/dashboards", {"uid": uid, "dashboard": document})
        boards = (await found(client, "listDashboards"))["dashboards"]
        equal(uid in [board["uid"] for board in boards], True)
        board = await found(client, "getDashboard", uid=uid)
        equal(board["charts"][0]["query"]["apl"], query)


async def fewer_rights():
    """A token that may only send sees that there is a dataset, and no more; what it is refused leaves nothing."""
    async with connected("auto", SENDER) as client:
        equal([tool.name for tool in (await client.list_tools()).tools], READING[:3])
        text = await refused(client, "queryApl", apl=f"['{DATASET}']")
        equal(text, "token does not have access to resource: query with action: read")
        text = await refused(client, "checkMonitors")
        equal(text, "token does not have access to resource: monitors with action: read")
        text = await refused(client, "saveQuery", name="kept by nobody", apl=f"['{DATASET}']", dataset=DATASET)
        equal(text, "token does not have access to resource: starredQueries with action: create")
    async with connected("auto", EVERYTHING) as client:
        equal((await found(client, "getSavedQueries", contains="kept by nobody"))["queries"], [])


async def by_fastmcp():
    async with fastmcp.Client(MCP, auth=BearerAuth(EVERYTHING)) as client:
        names = [tool.name for tool in await client.list_tools()]
        equal(sorted(names), sorted(READING + CHANGING))
        result = await client.call_tool("queryApl", {"apl": f"['{DATASET}'] | count"})
        equal(result.structured_content["tables"][0]["rows"], [[EVENTS]])
        try:
            await client.call_tool("queryApl", {"apl": "['no-such-dataset']"})
        except ToolError as error:
            equal("not found" in str(error), True)
        else:
            raise AssertionError("a dataset that is not there has answered")


class Kept:
    """What the client keeps of a sign-in; the client is one that was set up before."""

    def __init__(self, client_id):
        self.tokens = None
        self.client = OAuthClientInformationFull(
            client_id=client_id, redirect_uris=[REDIRECT], token_endpoint_auth_method="none", issuer=URL
        )

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def by_signing_in(browser):
    """The client finds the authorisation server by the refusal, and the person allows what it asks for."""
    landed = []

    async def open_page(address):
        landed.append(await asyncio.to_thread(browser.allow, address))

    async def came_back():
        answer = parse_qs(urlsplit(landed[-1]).query)
        return AuthorizationCodeResult(code=answer["code"][0], state=answer["state"][0], iss=answer["iss"][0])

    metadata = OAuthClientMetadata(redirect_uris=[REDIRECT], client_name="mcp", token_endpoint_auth_method="none")
    kept = Kept("tidegauge-cli")
    provider = OAuthClientProvider(MCP, metadata, kept, open_page, came_back)
    async with connected("auto", auth=provider) as client:
        answer = await found(client, "queryApl", apl=f"['{DATASET}'] | count")
        equal(answer["tables"][0]["rows"], [[EVENTS]])
        equal("createMonitor" in [tool.name for tool in (await client.list_tools()).tools], True)
    equal((len(landed), kept.tokens.token_type), (1, "Bearer"))


async def limited(limit):
    """What is used up or too fast is told as a result, or refused as HTTP refuses it."""
    if limit == "quota":
        async with connected("auto", EVERYTHING) as client:
            text = await refused(client, "queryApl", apl=f"['{DATASET}'] | count")
            equal("quer" in text, True)
        return
    headers = {"Authorization": f"Bearer {EVERYTHING}"}
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    statuses = {requests.post(MCP, json=ping, headers=headers, timeout=300).status_code for _ in range(20)}
    equal(statuses, {200, 429})


async def main():
    if len(sys.argv) > 1:
        await limited(sys.argv[1])
        return
    prepare()
    await every_tool("auto", "2026-07-28")
    await every_tool("legacy", "2025-11-25")
    await fewer_rights()
    await by_fastmcp()
    browser = Browser(URL)
    browser.set_password(os.environ["TEST_PASSWORD_LINK"])
    await by_signing_in(browser)
    print("mcp: every tool by both kinds of handshake, by fastmcp and after signing in")


asyncio.run(main())
