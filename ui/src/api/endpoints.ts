// Endpoints: addresses of their own for some senders, and what came in by each.

import type { Value } from "../values/value.ts";
import { call } from "./request.ts";

/** Plain values that every event gets. */
export type Labels = Record<string, Value>;

export interface Endpoint {
  id: string;
  name: string;
  /** What its senders speak. */
  kind: string;
  dataset: string;
  labels: Labels;
  createdAt: string;
  createdBy: string;
  updatedAt: string;
  events: number;
  bytes: number;
  failures: number;
  lastEventAt: string | null;
  lastError: { time: string; message: string } | null;
}

export interface EndpointRequest {
  name: string;
  kind: string;
  dataset: string;
  labels: Labels;
}

/** An endpoint that was just made, with its address, which is told this once. */
export interface NewEndpoint extends Endpoint {
  url: string;
}

const PATH = "/v2/endpoints";
const at = (id: string) => `${PATH}/${encodeURIComponent(id)}`;

export async function listEndpoints(): Promise<Endpoint[]> {
  return (await call<Endpoint[]>(PATH)).data;
}

export async function readEndpoint(id: string): Promise<Endpoint> {
  return (await call<Endpoint>(at(id))).data;
}

export async function createEndpoint(request: EndpointRequest): Promise<NewEndpoint> {
  return (await call<NewEndpoint>(PATH, { body: request })).data;
}

/** Its address and its figures stay. */
export async function replaceEndpoint(id: string, request: EndpointRequest): Promise<Endpoint> {
  return (await call<Endpoint>(at(id), { method: "PUT", body: request })).data;
}

export async function deleteEndpoint(id: string): Promise<void> {
  await call(at(id), { method: "DELETE" });
}

/** Makes an endpoint and tells its id, which belongs into the settings of a listener. */
export async function makeEndpoint(name: string, kind: string, dataset: string): Promise<string> {
  return (await createEndpoint({ name, kind, dataset, labels: {} })).id;
}
