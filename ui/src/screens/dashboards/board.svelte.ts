// One dashboard that is looked at or changed: what the service has, the steps of a change that can be undone, and saving,
// which never goes over what somebody else saved in between without asking.

import {
  type Dashboard,
  type Document,
  readDashboard,
  replaceDashboard,
  restoreVersion,
} from "../../api/dashboards.ts";
import { type ApiError, asApiError } from "../../api/errors.ts";
import { parseExact, stringifyExact } from "../../values/exact-json.ts";
import type { Value } from "../../values/value.ts";

/** Steps that can be undone. */
const STEPS_MOST = 100;

interface Draft {
  version: number;
  document: Document;
}

export class Board {
  readonly uid: string;
  saved = $state.raw<Dashboard | null>(null);
  document = $state.raw<Document | null>(null);
  error = $state.raw<ApiError | null>(null);
  isSaving = $state(false);
  /** What somebody else saved since this was read. */
  theirs = $state.raw<Dashboard | null>(null);
  /** Changes of an earlier visit that were never saved. */
  found = $state.raw<Draft | null>(null);
  #past = $state.raw<Document[]>([]);
  #future = $state.raw<Document[]>([]);

  constructor(uid: string) {
    this.uid = uid;
  }

  get isChanged(): boolean {
    return this.saved !== null && this.document !== this.saved.dashboard;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  async load(): Promise<void> {
    try {
      this.#begin(await readDashboard(this.uid));
      this.error = null;
      this.found = this.#draft();
    } catch (reason) {
      this.error = asApiError(reason);
    }
  }

  change(next: Document): void {
    if (!this.document || next === this.document) return;
    this.#past = [...this.#past, this.document].slice(-STEPS_MOST);
    this.#future = [];
    this.#show(next);
  }

  undo(): void {
    const before = this.#past.at(-1);
    if (!before || !this.document) return;
    this.#past = this.#past.slice(0, -1);
    this.#future = [this.document, ...this.#future];
    this.#show(before);
  }

  redo(): void {
    const [next, ...rest] = this.#future;
    if (!next || !this.document) return;
    this.#past = [...this.#past, this.document];
    this.#future = rest;
    this.#show(next);
  }

  discard(): void {
    if (this.saved) this.#begin(this.saved);
    this.#keepDraft(null);
  }

  takeDraft(): void {
    if (this.found) this.change(this.found.document);
    this.found = null;
  }

  dropDraft(): void {
    this.found = null;
    this.#keepDraft(null);
  }

  /** True once it is saved. A clash is told in `theirs`. */
  async save(message: string, overwrites = false): Promise<boolean> {
    if (!this.document || !this.saved) return false;
    this.isSaving = true;
    const basis = overwrites ? { overwrite: true as const } : { version: this.saved.version };
    try {
      this.#begin(await replaceDashboard(this.uid, this.document, basis, message));
      this.#keepDraft(null);
      return true;
    } catch (reason) {
      const error = asApiError(reason);
      if (error.status !== 412 && error.status !== 409) throw error;
      this.theirs = await readDashboard(this.uid);
      return false;
    } finally {
      this.isSaving = false;
    }
  }

  /** Gives up what was changed here for what the other one saved. */
  takeTheirs(): void {
    if (this.theirs) this.#begin(this.theirs);
    this.#keepDraft(null);
  }

  async restore(version: number): Promise<void> {
    if (this.saved) this.#begin(await restoreVersion(this.uid, version, this.saved.version));
    this.#keepDraft(null);
  }

  #begin(dashboard: Dashboard): void {
    this.saved = dashboard;
    this.theirs = null;
    this.#past = [];
    this.#future = [];
    this.document = dashboard.dashboard;
  }

  #show(document: Document): void {
    this.document = document;
    this.#keepDraft(this.isChanged ? { version: this.saved?.version ?? 0, document } : null);
  }

  get #place(): string {
    return `tidegauge.dashboard.${this.uid}`;
  }

  /** What is not saved survives a reload of the tab. */
  #keepDraft(draft: Draft | null): void {
    try {
      if (draft) sessionStorage.setItem(this.#place, stringifyExact(draft as unknown as Value));
      else sessionStorage.removeItem(this.#place);
    } catch {
      // A full storage loses the draft, not the work on the screen.
    }
  }

  #draft(): Draft | null {
    const text = sessionStorage.getItem(this.#place);
    if (text === null) return null;
    try {
      return parseExact(text) as unknown as Draft;
    } catch {
      return null;
    }
  }
}
