// Which organisation the settings are about: the one that calls are made in.

import { catalogue } from "../../session/catalogue.svelte.ts";
import { organisation } from "../../session/organisation.svelte.ts";

export function organisationHere(): string {
  return organisation.id ?? catalogue.organisations[0]?.id ?? "";
}
