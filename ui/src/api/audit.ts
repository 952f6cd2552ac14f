// The audit trail: who changed what, and what was refused.

import { call } from "./request.ts";

export interface AuditEntry {
  id: number;
  time: string;
  actor: string;
  action: string;
  resource: string;
  outcome: string;
  detail: string;
  requestId: string;
  count: number;
}

export const PAGE = 1000;

/** The newest entries, or those before one. Fewer than a page means that there are no older ones. */
export async function auditTrail(before: number | null, signal?: AbortSignal): Promise<AuditEntry[]> {
  const parameters = { limit: PAGE, before: before ?? undefined };
  return (await call<AuditEntry[]>("/v2/audit", { parameters, signal })).data;
}
