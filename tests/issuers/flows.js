// The ways to get an access token from an authorisation server.

import { createHash, randomBytes, randomUUID } from "node:crypto";
import * as jose from "jose";
import { Browser } from "./browser.js";
import { APP, MACHINE, REDIRECT, RESOURCE_CLIENT } from "./providers.js";

const random = () => randomBytes(32).toString("base64url");
const digest = (text) => createHash("sha256").update(text).digest("base64url");

async function post(url, form, headers = {}) {
  const answer = await fetch(url, { method: "POST", body: new URLSearchParams(form), headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
  return text && JSON.parse(text);
}

const basic = ({ id, secret }) => {
  const pair = [id, secret].map((part) => encodeURIComponent(part).replaceAll("%20", "+")).join(":");
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
};

// Authorization code with PKCE, as a person signs in and consents.
export async function byCode(issuer, service, login, scope) {
  const verifier = random();
  const query = new URLSearchParams({
    client_id: APP,
    response_type: "code",
    redirect_uri: REDIRECT,
    scope: `openid ${scope}`,
    resource: service.url,
    state: random(),
    code_challenge: digest(verifier),
    code_challenge_method: "S256",
  });
  const end = await new Browser().signIn(`${issuer}/auth?${query}`, login, REDIRECT);
  const code = end.searchParams?.get("code");
  if (!code) throw new Error(`no code: ${end}`);
  const form = { grant_type: "authorization_code", code, client_id: APP, redirect_uri: REDIRECT };
  return (await post(`${issuer}/token`, { ...form, code_verifier: verifier })).access_token;
}

// Device flow (RFC 8628): a person enters the code elsewhere.
export async function byDevice(issuer, service, login, scope) {
  const asked = { client_id: APP, scope: `openid ${scope}`, resource: service.url };
  const device = await post(`${issuer}/device/auth`, asked);
  const page = await new Browser().signIn(device.verification_uri_complete, login);
  if (!/success/i.test(page)) throw new Error(`the device is not let in: ${page}`);
  const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
  return (await post(`${issuer}/token`, { grant_type, device_code: device.device_code, client_id: APP })).access_token;
}

// Client credentials: a machine acts for itself.
export async function byCredentials(issuer, service, scope, headers = {}) {
  const form = { grant_type: "client_credentials", resource: service.url, scope };
  return (await post(`${issuer}/token`, form, { ...basic(MACHINE), ...headers })).access_token;
}

export const revoke = (issuer, token) => post(`${issuer}/token/revocation`, { token }, basic(MACHINE));

export const introspect = (issuer, token) => post(`${issuer}/token/introspection`, { token }, basic(RESOURCE_CLIENT));

// A key that tokens are bound to (RFC 9449).
export class BoundKey {
  static async make() {
    const key = new BoundKey();
    ({ publicKey: key.public, privateKey: key.private } = await jose.generateKeyPair("ES256"));
    return key;
  }

  async proof(method, url, token) {
    const jwk = await jose.exportJWK(this.public);
    const claims = { htm: method, htu: url, ...(token && { ath: digest(token) }) };
    const proof = new jose.SignJWT(claims).setIssuedAt().setJti(randomUUID());
    return proof.setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk }).sign(this.private);
  }
}
