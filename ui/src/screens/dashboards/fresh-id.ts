// An id for a new chart that no other chart of the document has.

import type { Document } from "../../api/dashboards.ts";

export function freshId(document: Document, random: () => string = () => crypto.randomUUID().slice(0, 8)): string {
  const taken = new Set(document.charts.map(({ id }) => id));
  for (;;) {
    const id = `panel-${random()}`;
    if (!taken.has(id)) return id;
  }
}
