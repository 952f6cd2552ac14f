// What people define on top of events: virtual fields and views.

import { call } from "./request.ts";

export interface VirtualField {
  id: string;
  dataset: string;
  name: string;
  expression: string;
  description: string;
  type: string;
  unit: string;
}

export interface View {
  id: string;
  name: string;
  aplQuery: string;
  datasets: string[];
  description: string;
  updatedAt: string;
}

export type VirtualFieldInput = Omit<VirtualField, "id">;

export async function virtualFields(dataset: string, signal?: AbortSignal): Promise<VirtualField[]> {
  return (await call<VirtualField[]>("/v2/vfields", { parameters: { dataset }, signal })).data;
}

export async function saveVirtualField(input: VirtualFieldInput, id?: string): Promise<VirtualField> {
  const path = id ? `/v2/vfields/${encodeURIComponent(id)}` : "/v2/vfields";
  return (await call<VirtualField>(path, { method: id ? "PUT" : "POST", body: input })).data;
}

export async function deleteVirtualField(id: string): Promise<void> {
  await call(`/v2/vfields/${encodeURIComponent(id)}`, { method: "DELETE" });
}

export async function views(signal?: AbortSignal): Promise<View[]> {
  return (await call<View[]>("/v2/views", { signal })).data;
}

export async function saveView(
  input: { name: string; aplQuery: string; description: string },
  id?: string,
): Promise<View> {
  const path = id ? `/v2/views/${encodeURIComponent(id)}` : "/v2/views";
  return (await call<View>(path, { method: id ? "PUT" : "POST", body: input })).data;
}

export async function deleteView(id: string): Promise<void> {
  await call(`/v2/views/${encodeURIComponent(id)}`, { method: "DELETE" });
}
