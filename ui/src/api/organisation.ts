// The organisation itself: its name, its licence, and what it uses by day and dataset.

import { has } from "../session/shell.ts";
import { call } from "./request.ts";

export interface Licence {
  tier: string;
  issuedTo: string;
  expiresAt: string | null;
  apiRateLimitPerSecond: number;
  maxAuditWindowSeconds: number;
  maxDatasets: number;
  maxFields: number;
  maxMonitors: number;
  maxQueryWindowSeconds: number;
  maxUsers: number;
  monthlyIngestGb: number;
  monthlyQueryGbHours: number;
  storageAllowanceGB: number;
}

export interface OneOrganisation {
  id: string;
  name: string;
  primaryEmail: string;
  plan: string;
  paymentStatus: string;
  metaCreated: string;
  role: string;
  license: Licence;
}

/** What was used on a day; a dataset of null is all that belongs to none that is named. */
export interface DayOfDataset {
  day: string;
  dataset: string | null;
  ingestedBytes: number;
  queryCost: number;
}

export interface Measure {
  used: number;
  limit: number;
  remaining: number;
}

export interface Usage {
  from: string;
  to: string;
  days: DayOfDataset[];
  datasets: { dataset: string; storedBytes: number; inputBytes: number; events: number }[];
  month: { month: string; resetsAt: string; ingestedBytes: Measure; queryCost: Measure; storedBytes: Measure };
}

const path = (id: string) => `/v2/orgs/${encodeURIComponent(id)}`;

export async function organisationOf(id: string): Promise<OneOrganisation> {
  return (await call<OneOrganisation>(path(id))).data;
}

export async function renameOrganisation(id: string, name: string): Promise<OneOrganisation> {
  return (await call<OneOrganisation>(path(id), { method: "PUT", body: { name } })).data;
}

export const hasUsage = (): boolean => has("org-usage");

export async function usageOf(id: string, from: string, to: string): Promise<Usage> {
  return (await call<Usage>(`${path(id)}/usage`, { parameters: { from, to } })).data;
}
