// Events to try the product with, made by the service's own generator.

import { has } from "../session/shell.ts";
import { call } from "./request.ts";

/** Where they go. */
export const DEMO = "demo";

export function canLoadDemo(): boolean {
  return has("demo-events");
}

/** Loads them and tells how many there are. */
export async function loadDemoEvents(): Promise<number> {
  const { data } = await call<{ dataset: string; ingested: number }>("/v2/datasets/_demo", { method: "POST" });
  return data.ingested;
}
