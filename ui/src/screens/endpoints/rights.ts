// Who may make and change endpoints: an address hands out the right to send to its dataset, so that one must be held.

import { ANY } from "../../capabilities/areas.ts";
import { catalogue } from "../../session/catalogue.svelte.ts";

/** The datasets that an endpoint of this person can send to. */
export function sendable(): string[] {
  const names = (catalogue.own ?? []).map(({ name }) => name);
  return names.filter((name) => catalogue.mayDataset(name, "ingest", "create"));
}

/** Whether this person can make a dataset on the way, and send to it. */
export function mayMakeDataset(): boolean {
  return catalogue.mayOrg("datasets", "create") && catalogue.mayDataset(ANY, "ingest", "create");
}

const maySend = () => sendable().length > 0 || mayMakeDataset();

export const mayMake = (): boolean => catalogue.mayOrg("endpoints", "create") && maySend();
export const mayChange = (): boolean => catalogue.mayOrg("endpoints", "update") && maySend();
