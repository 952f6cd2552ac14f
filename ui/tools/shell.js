// Fills in the page as the service does it: who is signed in decides between the page and the way to sign in, and the
// page carries the token of the session, a nonce for styles, and the names of the routes that the service has.

import { randomBytes } from "node:crypto";

/** Paths that the interface answers; every other one is the service's. */
export const SCREENS =
  /^\/($|explore$|stream$|datasets(\/[^/]+)?$|dashboards(\/[^/]+)?$|queries$|start$|monitors(\/[^/]+)?$|notifiers(\/[^/]+)?$|endpoints(\/[^/]+)?$|tokens$|people$|settings$|traces$)/;

/** Which paths of the API document stand for which of the names that the page knows. */
const EXTRAS = [
  ["estimate", "/v1/query/estimate", "post"],
  ["tail", "/v1/query/tail", "post"],
  ["field-statistics", "/v1/query/fields", "post"],
  ["history-list", "/v1/datasets/_history", "get"],
  ["preferences", "/v2/user/preferences", "get"],
  ["capabilities", "/v2/user/capabilities", "get"],
  ["exports", "/v2/exports", "post"],
  ["answers", "/v2/answers", "post"],
  ["monitor-states", "/v2/monitors/states", "get"],
  ["demo-events", "/v2/datasets/_demo", "post"],
  ["token-usage", "/v2/tokens/usage", "get"],
  ["org-usage", "/v2/orgs/{id}/usage", "get"],
];

let extras;

/** The names of the optional routes that a service has, by its API document. */
export async function extrasOf(service) {
  extras ??= fetch(`${service}/openapi.json`)
    .then((answer) => answer.json())
    .then(({ paths }) => {
      const found = EXTRAS.filter(([, path, method]) => paths[path]?.[method]).map(([name]) => name);
      const asked = paths["/v1/query/_apl"]?.post?.parameters ?? [];
      // What changes an answer and is no route came with the parameter that asks for it.
      return asked.some(({ name }) => name === "partial") ? [...found, "done-event", "partial-answers"] : found;
    });
  return extras;
}

/** The token of the session that these cookies belong to, or null. */
export async function formTokenOf(service, cookie) {
  if (!cookie) return null;
  const answer = await fetch(`${service}/account`, { headers: { cookie }, redirect: "manual" });
  if (answer.status !== 200) return null;
  return /name="form_token" value="([^"]*)"/.exec(await answer.text())?.[1] ?? null;
}

export function policyFor(nonce) {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types svelte-trusted-html tidegauge",
  ].join("; ");
}

export function newNonce() {
  return randomBytes(16).toString("base64");
}

export function filledIn(page, { formToken, nonce, routes }) {
  return page
    .replace("{{form_token}}", formToken)
    .replace("{{style_nonce}}", nonce)
    .replace("{{routes}}", routes.join(" "));
}
