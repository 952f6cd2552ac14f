// Datasets: the list, their figures, their fields, and what people do to them.

import type { FieldMeta } from "./query.ts";
import { call } from "./request.ts";

export interface Dataset {
  id: string;
  name: string;
  description: string;
  who: string;
  created: string;
  updatedAt: string;
  kind: string;
  canWrite: boolean;
  useRetentionPeriod: boolean;
  retentionDays: number;
  mapFields: string[];
}

export interface Figures {
  name: string;
  numBlocks: number;
  numEvents: number;
  numFields: number;
  inputBytes: number;
  compressedBytes: number;
  minTime: string | null;
  maxTime: string | null;
  created: string;
}

export interface Info extends Figures {
  fields: FieldMeta[];
}

export interface DryRun {
  dryRun: boolean;
  rowsMatched: number;
  rowsDeleted: number;
  firstMatchedEvent?: string | null;
  lastMatchedEvent?: string | null;
}

const at = (name: string) => `/v2/datasets/${encodeURIComponent(name)}`;

export async function listDatasets(signal?: AbortSignal): Promise<Dataset[]> {
  return (await call<Dataset[]>("/v2/datasets", { signal })).data;
}

export async function figures(signal?: AbortSignal): Promise<Figures[]> {
  return (await call<{ datasets: Figures[] }>("/v1/datasets/_stats", { signal })).data.datasets;
}

export async function info(name: string, signal?: AbortSignal): Promise<Info> {
  return (await call<Info>(`/v1/datasets/${encodeURIComponent(name)}/info`, { signal })).data;
}

/** The fields of every dataset that the caller may query, by its name. */
export async function allFields(signal?: AbortSignal): Promise<Map<string, FieldMeta[]>> {
  const { data } = await call<{ datasetName: string; fields: FieldMeta[] }[]>("/v1/datasets/_fields", { signal });
  return new Map(data.map((entry) => [entry.datasetName, entry.fields]));
}

export async function createDataset(name: string, description: string): Promise<Dataset> {
  return (await call<Dataset>("/v2/datasets", { body: { name, description } })).data;
}

export async function changeDataset(
  name: string,
  change: { description: string; useRetentionPeriod?: boolean; retentionDays?: number },
): Promise<Dataset> {
  return (await call<Dataset>(at(name), { method: "PUT", body: change })).data;
}

export async function deleteDataset(name: string): Promise<void> {
  await call(at(name), { method: "DELETE" });
}

export async function describeField(
  dataset: string,
  field: string,
  change: { description: string; unit: string; hidden: boolean },
): Promise<FieldMeta> {
  const path = `${at(dataset)}/fields/${encodeURIComponent(field)}`;
  return (await call<FieldMeta>(path, { method: "PUT", body: change })).data;
}

export async function mapFields(dataset: string, signal?: AbortSignal): Promise<string[]> {
  return (await call<string[]>(`${at(dataset)}/mapfields`, { signal })).data;
}

export async function setMapFields(dataset: string, names: string[]): Promise<string[]> {
  return (await call<string[]>(`${at(dataset)}/mapfields`, { method: "PUT", body: names })).data;
}

/** Drops segments whose events are all older than so many hours. */
export async function trim(dataset: string, hours: number): Promise<number> {
  const path = `/v1/datasets/${encodeURIComponent(dataset)}/trim`;
  return (await call<{ numDeleted: number }>(path, { body: { maxDuration: `${hours}h` } })).data.numDeleted;
}

/** Forgets fields that no stored event has, at most once a day. */
export async function vacuum(dataset: string): Promise<void> {
  await call(`${at(dataset)}/vacuum`, { method: "POST" });
}

/** Deletes what a query finds, or only tells what would go. */
export async function deleteEvents(
  apl: string,
  range: { startTime: string; endTime: string },
  commit: boolean,
): Promise<DryRun> {
  return (await call<DryRun>("/v2/datasets/_apl/delete", { body: { apl, ...range, commit } })).data;
}

/** Sends events as JSON. */
export async function ingest(dataset: string, events: unknown[]): Promise<{ ingested: number; failed: number }> {
  const path = `/v1/datasets/${encodeURIComponent(dataset)}/ingest`;
  return (await call<{ ingested: number; failed: number }>(path, { body: events })).data;
}
