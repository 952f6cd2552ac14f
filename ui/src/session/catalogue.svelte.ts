// What all screens share about the organisation: who is signed in, what they may do, which datasets and fields there are.

import { allFields, type Dataset, type Figures, figures, listDatasets } from "../api/datasets.ts";
import { type ApiError, asApiError } from "../api/errors.ts";
import {
  type Capabilities,
  capabilities,
  currentPerson,
  mayDataset,
  mayOrg,
  type Organisation,
  organisations,
  type Person,
} from "../api/people.ts";
import type { FieldMeta } from "../api/query.ts";
import { organisation } from "./organisation.svelte.ts";

/** The kind of the dataset that the service makes of the audit trail. */
const AUDIT_KIND = "tidegauge:audit:v1";

class Catalogue {
  person = $state.raw<Person | null>(null);
  organisations = $state.raw<Organisation[]>([]);
  held = $state.raw<Capabilities | null>(null);
  datasets = $state.raw<Dataset[] | null>(null);
  figures = $state.raw<Map<string, Figures>>(new Map());
  fields = $state.raw<Map<string, FieldMeta[]>>(new Map());
  problem = $state.raw<ApiError | null>(null);

  async load(): Promise<void> {
    this.problem = null;
    try {
      this.organisations = await organisations();
      // A person of several organisations has to name one with every further call.
      if (!organisation.id && this.organisations.length > 1) organisation.id = this.organisations[0]?.id ?? null;
      const [person, held] = await Promise.all([currentPerson(), capabilities(), this.refresh()]);
      this.person = person;
      this.held = held;
    } catch (error) {
      this.problem = asApiError(error);
    }
  }

  /** Looks again at datasets, their figures and their fields. */
  async refresh(): Promise<void> {
    const [datasets, found, fields] = await Promise.all([listDatasets(), figures(), allFields()]);
    this.figures = new Map(found.map((entry) => [entry.name, entry]));
    this.fields = fields;
    this.datasets = datasets.sort((a, b) => a.name.localeCompare(b.name));
  }

  /** The datasets that people send events to: nobody comes upon the audit trail who does not ask for it. */
  get own(): Dataset[] | null {
    return this.datasets?.filter((dataset) => dataset.kind !== AUDIT_KIND) ?? null;
  }

  /** Whether it is sure that there is no such dataset: who may not read them all cannot tell. */
  isGone(name: string): boolean {
    if (this.datasets === null || !this.mayOrg("datasets", "read")) return false;
    return !this.datasets.some((dataset) => dataset.name === name);
  }

  mayOrg(area: string, action: string): boolean {
    return mayOrg(this.held, area, action);
  }

  mayDataset(dataset: string, area: string, action: string): boolean {
    return mayDataset(this.held, dataset, area, action);
  }
}

export const catalogue = new Catalogue();
