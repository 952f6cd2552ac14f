// Fields that people of the organisation hid from lists. Who wants to see them all the same says so by taste.

import { catalogue } from "./catalogue.svelte.ts";
import { preferences } from "./preferences.svelte.ts";

const NONE: ReadonlySet<string> = new Set();

/** The names of those of a dataset, whoever wants to see them. */
export function hiddenOf(dataset: string | null): ReadonlySet<string> {
  const names = (dataset ? catalogue.fields.get(dataset) : undefined)?.filter(({ hidden }) => hidden) ?? [];
  return names.length === 0 ? NONE : new Set(names.map(({ name }) => name));
}

/** The names of those that lists leave out. */
export function leftOut(dataset: string | null): ReadonlySet<string> {
  return preferences.hiddenFields ? NONE : hiddenOf(dataset);
}
