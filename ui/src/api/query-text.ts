// Help for who writes queries: what is wrong with a text, what could be written next, and the text in order.

import type { Diagnostic } from "./errors.ts";
import { call } from "./request.ts";

export interface Checked {
  diagnostics: Diagnostic[];
  datasets?: string[];
}

export interface Completion {
  label: string;
  insert: string;
  kind: string;
  detail: string;
  doc: string;
}

export interface Completions {
  replace: { offset: number; length: number };
  items: Completion[];
}

export async function check(apl: string, signal?: AbortSignal): Promise<Checked> {
  return (await call<Checked>("/v1/query/check", { body: { apl }, signal })).data;
}

export async function complete(apl: string, position: number, signal?: AbortSignal): Promise<Completions> {
  return (await call<Completions>("/v1/query/complete", { body: { apl, position }, signal })).data;
}

export async function format(apl: string): Promise<string> {
  return (await call<{ apl: string }>("/v1/query/format", { body: { apl } })).data.apl;
}
