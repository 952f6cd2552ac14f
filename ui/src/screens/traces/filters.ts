// What the list of traces is narrowed to, as the address says it.

import { address } from "../../address/address.svelte.ts";
import { readDuration } from "./durations.ts";
import type { Filters } from "./queries.ts";

export function filtersOf(get: (name: string) => string | null): Filters {
  return {
    service: get("service") ?? "",
    operation: get("operation") ?? "",
    least: readDuration(get("min") ?? "") ?? 0,
    failed: get("failed") !== null,
    anySpan: get("any") !== null,
  };
}

export function currentFilters(): Filters {
  return filtersOf((name) => address.get(name));
}

export function hasFilters({ service, operation, least, failed }: Filters): boolean {
  return service !== "" || operation !== "" || least > 0 || failed;
}
