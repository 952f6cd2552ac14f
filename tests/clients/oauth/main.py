"""Drives the embedded authorisation server with authlib as it is on PyPI: every grant, revocation and introspection.

The address, the organisation and the owner's personal token come from AXIOM_URL, AXIOM_ORG_ID and AXIOM_TOKEN, and a
one-time link by which the owner sets a password from TEST_PASSWORD_LINK. The pages are used as a browser does, with
requests and the forms that stand in them.
"""

import os
import time

from authlib.common.errors import AuthlibBaseError
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata

from pages import Browser

URL = os.environ["AXIOM_URL"]
ORG = {"X-Axiom-Org-Id": os.environ["AXIOM_ORG_ID"]}
REDIRECT = "http://127.0.0.1:5321/callback"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"\n  got      {actual!r}\n  expected {expected!r}")


def refused(error, call):
    """The call is refused with this error of the protocol."""
    try:
        result = call()
    except AuthlibBaseError as raised:
        equal(raised.error, error)
        return
    raise AssertionError(f"expected {error}, got {result!r}")


def metadata(browser):
    """The metadata is what RFC 8414 asks for, by authlib's own reading of it."""
    document = browser.session.get(f"{URL}/.well-known/oauth-authorization-server").json()
    AuthorizationServerMetadata(document).validate()
    equal(document["issuer"], URL)
    return document


def owner_call(browser, method, path, body=None):
    headers = {**ORG, "Authorization": f"Bearer {os.environ['AXIOM_TOKEN']}"}
    answer = browser.session.request(method, f"{URL}{path}", json=body, headers=headers, cookies={})
    equal(answer.status_code, 200)
    return answer.json()


def works(client, expected=200):
    """What the API answers to the token that the client has."""
    equal(client.get(f"{URL}/v2/datasets", headers=ORG, withhold_token=False).status_code, expected)


def code_and_refresh(server, browser):
    verifier = generate_token(64)
    client = OAuth2Session(
        "tidegauge-cli",
        redirect_uri=REDIRECT,
        scope="*",
        code_challenge_method="S256",
        token_endpoint_auth_method="none",
    )
    address, state = client.create_authorization_url(server["authorization_endpoint"], code_verifier=verifier)
    answer = browser.allow(address)
    if not answer.startswith(f"{REDIRECT}?"):
        raise AssertionError(answer)
    token = client.fetch_token(
        server["token_endpoint"],
        authorization_response=answer,
        code_verifier=verifier,
        state=state,
    )
    equal((token["token_type"], token["expires_in"]), ("Bearer", 600))
    works(client)
    user = client.get(f"{URL}/v2/user").json()
    equal(user["email"], browser.email)

    first = token["refresh_token"]
    client.refresh_token(server["token_endpoint"], refresh_token=first)
    works(client)
    if client.token["refresh_token"] == first:
        raise AssertionError("the refresh token was not followed by another")
    # The first one again: everything ends.
    latest = dict(client.token)
    refused("invalid_grant", lambda: client.refresh_token(server["token_endpoint"], refresh_token=first))
    client.token = latest
    works(client, 401)


def confidential(server, browser):
    body = {
        "name": "authlib",
        "redirectUris": [REDIRECT],
        "grants": ["authorization_code", "refresh_token", "client_credentials"],
        "orgCapabilities": {"datasets": ["read"]},
    }
    made = owner_call(browser, "POST", "/v2/oauth/clients", body)
    for method in ["client_secret_basic", "client_secret_post"]:
        client = OAuth2Session(made["id"], made["clientSecret"], token_endpoint_auth_method=method)
        token = client.fetch_token(server["token_endpoint"], grant_type="client_credentials")
        equal("refresh_token" in token, False)
        works(client)
        equal(client.get(f"{URL}/v2/users", headers=ORG).status_code, 403)
        found = client.introspect_token(server["introspection_endpoint"], token=token["access_token"])
        equal((found.json()["active"], found.json()["client_id"]), (True, made["id"]))
        answer = client.revoke_token(server["revocation_endpoint"], token=token["access_token"])
        equal(answer.status_code, 200)
        found = client.introspect_token(server["introspection_endpoint"], token=token["access_token"])
        equal(found.json(), {"active": False})
        works(client, 401)
    return made


def code_of_confidential(server, browser, made):
    verifier = generate_token(64)
    client = OAuth2Session(
        made["id"],
        made["clientSecret"],
        redirect_uri=REDIRECT,
        scope="datasets|read",
        code_challenge_method="S256",
    )
    address, state = client.create_authorization_url(server["authorization_endpoint"], code_verifier=verifier)
    answer = browser.allow(address)
    token = client.fetch_token(
        server["token_endpoint"], authorization_response=answer, code_verifier=verifier, state=state
    )
    equal(token["scope"], "datasets|read")
    works(client)
    # Once is enough for a client that has a secret.
    address, _ = client.create_authorization_url(server["authorization_endpoint"], code_verifier=verifier)
    equal("code=" in browser.follow(address), True)
    # A code is redeemed once, and without its verifier never.
    again = browser.follow(client.create_authorization_url(server["authorization_endpoint"], code_verifier=verifier)[0])
    refused(
        "invalid_grant",
        lambda: client.fetch_token(
            server["token_endpoint"], authorization_response=again, code_verifier=generate_token(64)
        ),
    )
    client.token = token
    client.revoke_token(server["revocation_endpoint"], token=token["refresh_token"])
    works(client, 401)


def asked_too_soon(ask):
    """Asks until the answer is that this was too soon; who stands still between two questions was not."""
    for _ in range(100):
        try:
            ask()
        except AuthlibBaseError as raised:
            if raised.error == "slow_down":
                return
            equal(raised.error, "authorization_pending")
    raise AssertionError("never too soon")


def device(server, browser):
    client = OAuth2Session("tidegauge-cli", token_endpoint_auth_method="none")
    begun = client.request(
        "POST",
        server["device_authorization_endpoint"],
        withhold_token=True,
        data={"client_id": "tidegauge-cli", "scope": "datasets|read"},
    ).json()

    def ask():
        return client.fetch_token(server["token_endpoint"], grant_type=DEVICE, device_code=begun["device_code"])

    refused("authorization_pending", ask)
    asked_too_soon(ask)
    browser.allow(begun["verification_uri_complete"])
    time.sleep(begun["interval"] + 5)
    equal(ask()["scope"], "datasets|read")
    works(client)


def main():
    browser = Browser(URL)
    browser.set_password(os.environ["TEST_PASSWORD_LINK"])
    browser = Browser(URL, browser.email, browser.password)
    server = metadata(browser)
    code_and_refresh(server, browser)
    made = confidential(server, browser)
    code_of_confidential(server, browser, made)
    device(server, browser)


if __name__ == "__main__":
    main()
