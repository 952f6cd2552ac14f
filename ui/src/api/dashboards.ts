// Dashboards as the service keeps them: a document under a uid, with versions. The document goes in and out whole, so
// that keys which this interface does not know stay.

import type { Value } from "../values/value.ts";
import { call } from "./request.ts";

export interface Chart {
  id: string;
  type: string;
  name?: string;
  [key: string]: Value | undefined;
}

export interface Place {
  i: string;
  x: number;
  /** Null where there is room. */
  y: number | null;
  w: number;
  h: number;
  [key: string]: Value | undefined;
}

export interface Document {
  name: string;
  owner?: string | null;
  description?: string | null;
  charts: Chart[];
  layout: Place[];
  refreshTime: number;
  schemaVersion: number;
  timeWindowStart: string;
  timeWindowEnd: string;
  against?: string | null;
  [key: string]: Value | undefined | Chart[] | Place[];
}

export interface Dashboard {
  id: string;
  uid: string;
  version: number;
  dashboard: Document;
  createdAt: string;
  createdBy: string;
  updatedAt: string;
  updatedBy: string;
}

export interface DashboardVersion {
  version: number;
  message: string;
  createdAt: string;
  createdBy: string;
}

interface Written {
  status: string;
  dashboard: Dashboard;
  overwritten: boolean;
}

/** How a change stands to what is there: behind a version that was read, or over whatever there is. */
export type Basis = { version: number } | { overwrite: true };

const PATH = "/v2/dashboards";
const one = (uid: string) => `${PATH}/uid/${encodeURIComponent(uid)}`;

export async function listDashboards(signal?: AbortSignal): Promise<Dashboard[]> {
  const all: Dashboard[] = [];
  const limit = 100;
  for (let offset = 0; ; offset += limit) {
    const { data } = await call<Dashboard[]>(PATH, { parameters: { limit, offset }, signal });
    all.push(...data);
    if (data.length < limit) return all;
  }
}

export async function readDashboard(uid: string, signal?: AbortSignal): Promise<Dashboard> {
  return (await call<Dashboard>(one(uid), { signal })).data;
}

/** Keeps a new one; a uid that is taken is refused. */
export async function createDashboard(document: Document, uid?: string): Promise<Dashboard> {
  return (await call<Written>(PATH, { body: { dashboard: document, uid } })).data.dashboard;
}

export async function replaceDashboard(
  uid: string,
  document: Document,
  basis: Basis,
  message: string,
): Promise<Dashboard> {
  const body = { dashboard: document, message, ...basis };
  return (await call<Written>(one(uid), { method: "PUT", body })).data.dashboard;
}

export async function deleteDashboard(uid: string): Promise<void> {
  await call(one(uid), { method: "DELETE" });
}

export async function listVersions(uid: string): Promise<DashboardVersion[]> {
  return (await call<DashboardVersion[]>(`${one(uid)}/versions`, { parameters: { limit: 100 } })).data;
}

export async function readVersion(uid: string, version: number): Promise<Document> {
  return (await call<{ dashboard: Document }>(`${one(uid)}/versions/${version}`)).data.dashboard;
}

export async function restoreVersion(uid: string, version: number, current: number): Promise<Dashboard> {
  const { data } = await call<Written>(`${one(uid)}/versions/${version}/restore`, { body: { version: current } });
  return data.dashboard;
}
