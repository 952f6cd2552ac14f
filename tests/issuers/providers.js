// Two authorisation servers, both oidc-provider: one whose access tokens are signed, one whose tokens only it can read.
// Everybody may sign in with any password; who they are, and the organisation, is in every token.

import { createServer } from "node:http";
import { once } from "node:events";
import Provider, { errors } from "oidc-provider";

// It tells what is not for use outside of tests, by this way.
console.info = () => {};

export const REDIRECT = "http://127.0.0.1:9/callback";
export const RESOURCE_CLIENT = { id: "logs-service", secret: "the secret of the service" };
export const MACHINE = { id: "shipper", secret: "the secret of the shipper" };
export const APP = "console";
// The command line: the name that it has unless the operator says another, and one that the operator says.
export const COMMAND_LINES = ["tidegauge-cli", "logs-cli"];

const SCOPES = "notifiers|read notifiers|create ingest|create query|read datasets|create *";

// What tests change while the servers run.
export const told = { org: "", people: {} };

const clients = [
  {
    client_id: APP,
    application_type: "native",
    token_endpoint_auth_method: "none",
    redirect_uris: [REDIRECT],
    response_types: ["code"],
    grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
  },
  ...COMMAND_LINES.map((client_id) => ({
    client_id,
    application_type: "native",
    token_endpoint_auth_method: "none",
    redirect_uris: ["http://127.0.0.1/callback"],
    response_types: ["code"],
    grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
  })),
  {
    client_id: MACHINE.id,
    client_secret: MACHINE.secret,
    redirect_uris: [],
    response_types: [],
    grant_types: ["client_credentials"],
  },
  {
    client_id: RESOURCE_CLIENT.id,
    client_secret: RESOURCE_CLIENT.secret,
    redirect_uris: [],
    response_types: [],
    grant_types: [],
  },
];

function configuration(format) {
  return {
    clients,
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraTokenClaims: (_, token) => ({ org: told.org, ...told.people[token.accountId] }),
    ttl: { AccessToken: 600, ClientCredentials: 600 },
    features: {
      devInteractions: { enabled: true },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
      dPoP: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => {
          if (!resource.startsWith("http://127.0.0.1:")) throw new errors.InvalidTarget();
          return { scope: SCOPES, audience: resource, accessTokenFormat: format, jwt: { sign: { alg: "RS256" } } };
        },
      },
    },
  };
}

// Starts a server on a free port.
export async function start(format) {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, configuration(format));
  server.on("request", provider.callback());
  return { issuer, stop: () => server.close() && server.closeAllConnections() };
}
