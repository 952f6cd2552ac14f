// The moments that somebody marked, for drawings of a stretch of time: asked for once for each stretch, and not at all
// without the right to read them. A drawing is whole without them, so what goes wrong leaves those that were there.

import { type Annotation, annotations } from "../api/annotations.ts";
import { catalogue } from "../session/catalogue.svelte.ts";
import { writeTime } from "../time/nanoseconds.ts";
import type { Moments } from "../time/range.ts";

export class Marked {
  list = $state.raw<Annotation[]>([]);

  /** Of one dataset or of all. What comes back ends what is under way. */
  load(moments: Moments | null, dataset: string | null): () => void {
    const abort = new AbortController();
    if (moments) void this.#ask(moments, dataset, abort.signal);
    return () => abort.abort();
  }

  async #ask({ start, end }: Moments, dataset: string | null, signal: AbortSignal): Promise<void> {
    await catalogue.known;
    if (signal.aborted || !catalogue.mayOrg("annotations", "read")) return;
    const found = await annotations(dataset, writeTime(start), writeTime(end), signal).catch(() => null);
    if (found && !signal.aborted) this.list = found;
  }
}

/** Those that are about one of these datasets. */
export function markedOn(list: Annotation[], datasets: Iterable<string>): Annotation[] {
  const names = new Set(datasets);
  return list.filter((annotation) => annotation.datasets.some((name) => names.has(name)));
}
