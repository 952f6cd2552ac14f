// Files made by the service: a link that is good once and for ten minutes, so that the browser's own download can use it.

import { has } from "../session/shell.ts";
import { call } from "./request.ts";

export type FileFormat = "csv" | "ndjson" | "parquet";

export function canExportAll(): boolean {
  return has("exports");
}

export async function exportLink(
  apl: string,
  startTime: string,
  endTime: string,
  format: FileFormat,
): Promise<{ link: string; expiresAt: string }> {
  return (await call<{ link: string; expiresAt: string }>("/v2/exports", { body: { apl, startTime, endTime, format } }))
    .data;
}
