// The one place that calls the service: adds what proves the page's own calls, waits for a session that ended, reads
// answers exactly and turns refusals into errors.

import { organisation } from "../session/organisation.svelte.ts";
import { shell } from "../session/shell.ts";
import { signIn } from "../session/sign-in.svelte.ts";
import { stringifyExact } from "../values/exact-json.ts";
import { parseAnswer } from "../values/parse.ts";
import type { Value } from "../values/value.ts";
import { hear } from "./clock.ts";
import { ApiError, type ErrorBody } from "./errors.ts";

export interface Call {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  body?: unknown;
  parameters?: Record<string, string | number | boolean | undefined>;
  accept?: string;
  contentType?: string;
  signal?: AbortSignal;
  /** For the last call of a page that is being left. */
  keepalive?: boolean;
}

export interface Answer<T> {
  data: T;
  headers: Headers;
}

/** Calls the service and gives its answer as it comes, once it is a good one. */
export async function send(path: string, call: Call = {}): Promise<Response> {
  const method = call.method ?? (call.body === undefined ? "GET" : "POST");
  for (;;) {
    const headers: Record<string, string> = { "x-tidegauge-form-token": shell.formToken };
    if (organisation.id) headers["x-tidegauge-org-id"] = organisation.id;
    if (call.accept) headers.accept = call.accept;
    let body: string | undefined;
    if (call.body !== undefined) {
      headers["content-type"] = call.contentType ?? "application/json";
      body = typeof call.body === "string" ? call.body : stringifyExact(call.body as Value);
    }
    const response = await fetch(withParameters(path, call.parameters), {
      method,
      headers,
      body,
      signal: call.signal,
      keepalive: call.keepalive,
      credentials: "same-origin",
    });
    hear(response.headers.get("date"));
    if (response.ok) return response;
    if (response.status === 401 && !call.signal?.aborted) {
      if (method !== "GET" && (await stillSignedIn())) throw otherAddress();
      if (await signIn.back()) continue;
    }
    throw await refusal(response);
  }
}

export async function call<T>(path: string, options: Call = {}): Promise<Answer<T>> {
  const response = await send(path, options);
  const text = await response.text();
  const data = text === "" ? null : await parseAnswer(text);
  return { data: data as T, headers: response.headers };
}

/** Whether reading still works: then the session counts, and it is the address that the service does not know. */
async function stillSignedIn(): Promise<boolean> {
  const headers = { "x-tidegauge-form-token": shell.formToken };
  return fetch("/v2/user", { headers }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function otherAddress(): ApiError {
  return new ApiError(401, {
    message: `the service does not expect browsers at ${location.origin}`,
    hint: `start it with --public-url ${location.origin}, or open the address that public_url names`,
  });
}

async function refusal(response: Response): Promise<ApiError> {
  const after = Number(response.headers.get("retry-after"));
  const retryAfter = response.headers.has("retry-after") && Number.isFinite(after) ? after : null;
  let body: ErrorBody = {};
  try {
    body = JSON.parse(await response.text()) as ErrorBody;
  } catch {
    // A proxy's page, say: the status has to be enough.
  }
  return new ApiError(response.status, body, retryAfter);
}

function withParameters(path: string, parameters: Call["parameters"]): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters ?? {})) {
    if (value !== undefined) search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}
