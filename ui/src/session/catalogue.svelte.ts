// What all screens share about the organisation: who is signed in, what they may do, which datasets and fields there are.

import { allFields, type Dataset, type Figures, figures, listDatasets } from "../api/datasets.ts";
import { type ApiError, asApiError } from "../api/errors.ts";
import {
  type Capabilities,
  capabilities,
  currentPerson,
  mayDataset,
  mayOrg,
  maySome,
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
  #isKnown: () => void = () => undefined;
  /** Comes to an end once it is known what the person may do. */
  readonly known = new Promise<void>((resolve) => {
    this.#isKnown = resolve;
  });
  datasets = $state.raw<Dataset[] | null>(null);
  figures = $state.raw<Map<string, Figures>>(new Map());
  fields = $state.raw<Map<string, FieldMeta[]>>(new Map());
  problem = $state.raw<ApiError | null>(null);

  async load(): Promise<void> {
    try {
      this.organisations = await organisations();
      // A person of several organisations has to name one with every further call.
      if (!organisation.id && this.organisations.length > 1) organisation.id = this.organisations[0]?.id ?? null;
      // What the person may is needed first: screens that ask for no events do not wait for datasets and fields.
      await Promise.all([
        currentPerson().then((person) => {
          this.person = person;
        }),
        capabilities().then((held) => {
          this.held = held;
          this.#isKnown();
        }),
        this.refresh(),
      ]);
      this.problem = null;
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

  /** Whether a dataset is the audit trail, of which people change nothing but the description, whatever they hold. */
  isAuditTrail(name: string): boolean {
    return this.datasets?.some((dataset) => dataset.name === name && dataset.kind === AUDIT_KIND) ?? false;
  }

  /** The datasets that a query may read, for choosers that a query follows; null until that is known. */
  get queryable(): Dataset[] | null {
    if (this.held === null) return null;
    return this.datasets?.filter(({ name }) => this.mayDataset(name, "query", "read")) ?? null;
  }

  /** Their fields, by the names of the datasets. Who may read a dataset's description sees its fields without this right. */
  get queryableFields(): Map<string, FieldMeta[]> {
    return new Map([...this.fields].filter(([name]) => this.mayDataset(name, "query", "read")));
  }

  /** Whether the person may know what the events of a dataset are like: its figures and fields. */
  mayKnow(dataset: string): boolean {
    return this.mayOrg("datasets", "read") || this.mayDataset(dataset, "query", "read");
  }

  /** The dataset that had an event last, of those that people send to and that may be queried. */
  get newest(): string | null {
    const time = (name: string) => this.figures.get(name)?.maxTime ?? "";
    const names = (this.queryable ?? []).filter(({ kind }) => kind !== AUDIT_KIND).map(({ name }) => name);
    return names.sort((a, b) => time(b).localeCompare(time(a)))[0] ?? null;
  }

  /** Whether it is sure that there is no such dataset: who may not read them all cannot tell. */
  isGone(name: string): boolean {
    if (this.datasets === null || !this.mayOrg("datasets", "read")) return false;
    return !this.datasets.some((dataset) => dataset.name === name);
  }

  /** Whether a screen that needs this has anything to show to the person. */
  maySee(needs: { area: string; of: "org" | "datasets" } | undefined): boolean {
    if (!needs) return true;
    return needs.of === "org" ? this.mayOrg(needs.area, "read") : this.maySome(needs.area, "read");
  }

  mayOrg(area: string, action: string): boolean {
    return mayOrg(this.held, area, action);
  }

  /** Whether something may be done with any dataset at all. */
  maySome(area: string, action: string): boolean {
    return maySome(this.held, area, action);
  }

  /** Whether any view may be queried, by the right on it. */
  get maySomeView(): boolean {
    return Object.values(this.held?.views ?? {}).some((areas) => areas.query?.includes("read") ?? false);
  }

  mayDataset(dataset: string, area: string, action: string): boolean {
    return mayDataset(this.held, dataset, area, action);
  }
}

export const catalogue = new Catalogue();
