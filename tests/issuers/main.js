// Access tokens of a real, independent authorisation server (oidc-provider) against the real binary: each way to get
// one, what it lets in, and what it must not. Usage: node main.js BINARY FOLDER

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { decodeJwt, decodeProtectedHeader } from "jose";
import * as flows from "./flows.js";
import { RESOURCE_CLIENT, start, told } from "./providers.js";
import { Service } from "./service.js";
import { Terminal } from "./terminal.js";

const [binary, folder] = process.argv.slice(2);
const secretFile = join(folder, "introspection-secret");
writeFileSync(secretFile, RESOURCE_CLIENT.secret);
const [signed, opaque] = [await start("jwt"), await start("opaque")];
const common = `allow_private_address = true\norg_claim = "org"\nprovision = true\nprovision_role = "user"\n`;
const service = await Service.start(
  binary,
  folder,
  `[[oauth.issuers]]\nurl = "${signed.issuer}"\nmachine_role = "user"\n${common}` +
    `[[oauth.issuers]]\nurl = "${opaque.issuer}"\nmachine_role = "read-only"\n${common}` +
    `login_client = "logs-cli"\nlogin_scope = "openid offline_access notifiers|read query|read"\n` +
    `token = "introspection"\nintrospection_client = "${RESOURCE_CLIENT.id}"\n` +
    `introspection_secret_file = "${secretFile}"\n`,
);
told.org = service.org;
told.people = { ada: { email: "ada@example.com", email_verified: true, name: "Ada" } };

let passed = 0;
async function test(name, body) {
  try {
    await body();
    passed += 1;
  } catch (error) {
    throw new Error(`${name}: ${error.message}`, { cause: error });
  }
}

const list = (authorization, headers) => service.send("GET", "/v2/notifiers", authorization, { headers });
const webhook = { name: "n", properties: { webhook: { url: "https://example.com" } } };

await test("the service says where to get a token", async () => {
  const refused = await list();
  assert.equal(refused.status, 401);
  const [, address] = refused.headers.get("www-authenticate").match(/resource_metadata="([^"]+)"/);
  const description = await (await fetch(address)).json();
  assert.deepEqual(description.authorization_servers, [signed.issuer, opaque.issuer]);
  assert.equal(description.resource, service.url);
});

await test("authorization code with PKCE", async () => {
  const token = await flows.byCode(signed.issuer, service, "ada", "notifiers|read");
  assert.equal(decodeProtectedHeader(token).typ, "at+jwt");
  assert.equal(decodeJwt(token).aud, service.url);
  assert.equal((await list(`Bearer ${token}`)).status, 200);
  const refused = await service.send("POST", "/v2/notifiers", `Bearer ${token}`, { body: webhook });
  assert.equal(refused.status, 403);
  assert.match(refused.headers.get("www-authenticate"), /error="insufficient_scope".*scope="notifiers\|create"/);
  const ada = await (await service.send("GET", "/v2/user", `Bearer ${token}`)).json();
  assert.deepEqual([ada.email, ada.name, ada.role.id], ["ada@example.com", "Ada", "user"]);
  const again = await flows.byCode(signed.issuer, service, "ada", "*");
  assert.equal((await (await service.send("GET", "/v2/user", `Bearer ${again}`)).json()).id, ada.id);
  assert.equal((await service.send("GET", "/v2/users", `Bearer ${again}`)).status, 200);
  assert.equal((await service.send("GET", "/v2/tokens", `Bearer ${again}`)).status, 403, "users see no tokens");
});

await test("device flow", async () => {
  const token = await flows.byDevice(signed.issuer, service, "grace", "notifiers|read notifiers|create");
  const made = await service.send("POST", "/v2/notifiers", `Bearer ${token}`, { body: webhook });
  assert.equal(made.status, 200);
});

await test("client credentials", async () => {
  const token = await flows.byCredentials(signed.issuer, service, "ingest|create datasets|create query|read");
  const events = [{ message: "from a machine" }];
  const sent = await service.send("POST", "/v1/datasets/machine/ingest", `Bearer ${token}`, { body: events });
  // The role of machines is user, which makes no datasets.
  assert.equal(sent.status, 404, await sent.text());
  const dataset = await service.send("POST", "/v2/datasets", `Bearer ${service.owner}`, { body: { name: "machine" } });
  assert.equal(dataset.status, 200);
  const second = await service.send("POST", "/v1/datasets/machine/ingest", `Bearer ${token}`, { body: events });
  assert.equal((await second.json()).ingested, 1);
  assert.equal((await list(`Bearer ${token}`)).status, 403);
  assert.equal((await service.send("GET", "/v2/user", `Bearer ${token}`)).status, 403, "a machine is no person");
});

await test("introspection", async () => {
  const token = await flows.byCode(opaque.issuer, service, "ada.opaque", "notifiers|read");
  assert.equal(token.split(".").length, 1);
  assert.equal((await flows.introspect(opaque.issuer, token)).active, true);
  assert.equal((await list(`Bearer ${token}`)).status, 200);
  const machine = await flows.byCredentials(opaque.issuer, service, "notifiers|read notifiers|create");
  assert.equal((await list(`Bearer ${machine}`)).status, 200);
  const refused = await service.send("POST", "/v2/notifiers", `Bearer ${machine}`, { body: webhook });
  assert.equal(refused.status, 403, "the role of these machines is read-only");
  const revoked = await flows.byCredentials(opaque.issuer, service, "notifiers|read");
  await flows.revoke(opaque.issuer, revoked);
  assert.equal((await list(`Bearer ${revoked}`)).status, 401);
  assert.equal((await list("Bearer made-up")).status, 401);
});

await test("the command line signs in by the browser", async () => {
  const terminal = new Terminal(binary, service, join(folder, "by-browser.json"));
  const { said, address } = await terminal.byBrowser("lin");
  const asked = new URL(address);
  assert.equal(asked.origin, signed.issuer);
  assert.equal(asked.searchParams.get("client_id"), "tidegauge-cli");
  assert.equal(asked.searchParams.get("scope"), "openid offline_access *");
  assert.match(said, /signed in at/);
  assert.match(await terminal.run("whoami"), /user in default/);
  assert.equal(await terminal.run("query", "print x = 1", "--format", "csv"), "x\n1\n");
  const before = terminal.kept;
  assert.equal(decodeJwt(before.accessToken).aud, service.url);
  terminal.expire();
  assert.match(await terminal.run("whoami"), /user in default/);
  const renewed = terminal.kept;
  assert.notEqual(renewed.accessToken, before.accessToken);
  assert.equal(decodeJwt(renewed.accessToken).aud, service.url);
  assert.match(await terminal.run("logout"), /signed out/);
  const form = { grant_type: "refresh_token", refresh_token: renewed.refreshToken, client_id: "tidegauge-cli" };
  const again = await fetch(`${signed.issuer}/token`, { method: "POST", body: new URLSearchParams(form) });
  assert.equal((await again.json()).error, "invalid_grant");
});

await test("the command line signs in by a code, at the issuer that is named", async () => {
  const terminal = new Terminal(binary, service, join(folder, "by-device.json"));
  await terminal.byDevice("mei", "--issuer", opaque.issuer);
  const { clientId, issuer, accessToken } = terminal.kept;
  assert.deepEqual([clientId, issuer], ["logs-cli", opaque.issuer]);
  assert.match(await terminal.run("whoami"), /user in default/);
  assert.equal((await list(`Bearer ${accessToken}`)).status, 200);
  const made = await service.send("POST", "/v2/notifiers", `Bearer ${accessToken}`, { body: webhook });
  assert.equal(made.status, 403, "the operator's scopes are narrower");
  terminal.expire();
  assert.match(await terminal.run("whoami"), /user in default/);
  const renewed = terminal.kept.accessToken;
  assert.notEqual(renewed, accessToken);
  await terminal.run("logout");
  assert.equal((await flows.introspect(opaque.issuer, renewed)).active, false);
  await assert.rejects(terminal.run("login", "--issuer", "https://evil.example"), /does not take tokens of/);
});

for (const { issuer } of [signed, opaque]) {
  await test(`tokens that are bound to a key, from ${issuer}`, async () => {
    const key = await flows.BoundKey.make();
    const DPoP = await key.proof("POST", `${issuer}/token`);
    const token = await flows.byCredentials(issuer, service, "notifiers|read", { DPoP });
    const address = `${service.url}/v2/notifiers`;
    const proof = await key.proof("GET", address, token);
    assert.equal((await list(`DPoP ${token}`, { DPoP: proof })).status, 200);
    const replayed = await list(`DPoP ${token}`, { DPoP: proof });
    assert.equal(replayed.status, 401);
    assert.match(replayed.headers.get("www-authenticate"), /^DPoP .*error="invalid_dpop_proof"/);
    assert.equal((await list(`Bearer ${token}`)).status, 401, "as one that anybody may send");
    const thief = await (await flows.BoundKey.make()).proof("GET", address, token);
    assert.equal((await list(`DPoP ${token}`, { DPoP: thief })).status, 401);
  });
}

await test("tokens that must not pass", async () => {
  const token = await flows.byCredentials(signed.issuer, service, "notifiers|read");
  const elsewhere = await flows.byCredentials(signed.issuer, { url: "http://127.0.0.1:1" }, "notifiers|read");
  const [header, claims, signature] = token.split(".");
  const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url");
  const wider = { ...decodeJwt(token), scope: "*" };
  const altered = Buffer.from(JSON.stringify(wider)).toString("base64url");
  for (const bad of [elsewhere, `${none}.${claims}.`, `${header}.${altered}.${signature}`, `${header}.${claims}.`]) {
    assert.equal((await list(`Bearer ${bad}`)).status, 401, bad);
  }
  told.org = "org_00000000000000000000000000000000";
  const foreign = await flows.byCredentials(signed.issuer, service, "notifiers|read");
  assert.equal((await list(`Bearer ${foreign}`)).status, 403, "an organisation that is not there");
});

await service.stop();
signed.stop();
opaque.stop();
console.log(`issuers: oidc-provider passed (${passed} tests)`);
