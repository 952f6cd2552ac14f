// Notifiers, and what became of their messages.

import { call } from "./request.ts";

/** The fields of a channel, as the service keeps them: texts, flags, lists of addresses, headers. */
export type Fields = Record<string, unknown>;

export interface Notifier {
  id: string;
  name: string;
  /** One key, which says the channel. */
  properties: Record<string, Fields>;
  disabledUntil: string | null;
  createdAt: string;
  createdBy: string;
  updatedAt: string;
}

export interface NotifierRequest {
  name: string;
  properties: Record<string, Fields>;
  disabledUntil: string | null;
}

export interface Attempt {
  time: string;
  latencyMs: number;
  status: number | null;
  error: string | null;
}

export interface Delivery {
  id: string;
  state: "waiting" | "sent" | "dead" | "withdrawn";
  action: "open" | "closed";
  monitorId: string;
  title: string;
  test: boolean;
  createdAt: string;
  nextAttemptAt: string | null;
  finishedAt: string | null;
  attempts: Attempt[];
}

const PATH = "/v2/notifiers";
const at = (id: string) => `${PATH}/${encodeURIComponent(id)}`;

export async function listNotifiers(): Promise<Notifier[]> {
  return (await call<Notifier[]>(PATH)).data;
}

export async function notifier(id: string): Promise<Notifier> {
  return (await call<Notifier>(at(id))).data;
}

export async function saveNotifier(request: NotifierRequest, id?: string): Promise<Notifier> {
  return (await call<Notifier>(id ? at(id) : PATH, { method: id ? "PUT" : "POST", body: request })).data;
}

export async function deleteNotifier(id: string): Promise<void> {
  await call(at(id), { method: "DELETE" });
}

/** Sends a test message at once and tells how that went. */
export async function testNotifier(id: string): Promise<Delivery> {
  return (await call<Delivery>(`${at(id)}/test`, { method: "POST" })).data;
}

/** The newest messages. */
export async function deliveries(id: string, limit: number, offset = 0): Promise<Delivery[]> {
  return (await call<Delivery[]>(`${at(id)}/deliveries`, { parameters: { limit, offset } })).data;
}

export async function replay(id: string, delivery: string): Promise<void> {
  await call(`${at(id)}/deliveries/${encodeURIComponent(delivery)}/replay`, { method: "POST" });
}

export async function signingSecret(id: string): Promise<string> {
  return (await call<{ secret: string }>(`${at(id)}/signing-secret`)).data.secret;
}
