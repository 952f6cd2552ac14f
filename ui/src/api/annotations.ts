// Annotations: releases and other moments that are drawn on charts.

import { call } from "./request.ts";

export interface Annotation {
  id: string;
  datasets: string[];
  type: string;
  time: string;
  endTime: string | null;
  title: string;
  description: string;
  url?: string;
}

/** Of one dataset, or of all. */
export async function annotations(
  dataset: string | null,
  start: string,
  end: string,
  signal?: AbortSignal,
): Promise<Annotation[]> {
  const parameters = { datasets: dataset ?? undefined, start, end };
  return (await call<Annotation[]>("/v2/annotations", { parameters, signal })).data;
}

export async function annotate(input: {
  datasets: string[];
  type: string;
  time: string;
  title: string;
  description: string;
}): Promise<Annotation> {
  return (await call<Annotation>("/v2/annotations", { body: input })).data;
}
