// Matters of taste: theme, zone, density and the like. What a colleague needs to see the same is in the address instead.

import { loadPreferences, localPreferences, savePreferences } from "../api/preferences.ts";

export interface Taste {
  theme: "auto" | "light" | "dark";
  zone: "utc" | "local";
  density: "compact" | "normal" | "roomy";
  wrap: boolean;
  /** How large the texts of events are. */
  text: "small" | "normal" | "large";
  /** Where an opened event is shown: below its row, or beside the table. */
  detail: "row" | "side";
  hideNulls: boolean;
  /** Whether lists show the fields that people hid. */
  hiddenFields: boolean;
  letterKeys: boolean;
  fieldsWidth: number;
  fieldsOpen: boolean;
  pinned: Record<string, string[]>;
}

const DEFAULTS: Taste = {
  theme: "auto",
  zone: "utc",
  density: "normal",
  wrap: false,
  text: "normal",
  detail: "row",
  hideNulls: true,
  hiddenFields: false,
  letterKeys: true,
  fieldsWidth: 248,
  fieldsOpen: true,
  pinned: {},
};

class Preferences {
  #taste = $state<Taste>({ ...DEFAULTS });
  #saving: ReturnType<typeof setTimeout> | undefined;

  get theme() {
    return this.#taste.theme;
  }
  get zone() {
    return this.#taste.zone;
  }
  get density() {
    return this.#taste.density;
  }
  get wrap() {
    return this.#taste.wrap;
  }
  get text() {
    return this.#taste.text;
  }
  get detail() {
    return this.#taste.detail;
  }
  get hideNulls() {
    return this.#taste.hideNulls;
  }
  get hiddenFields() {
    return this.#taste.hiddenFields;
  }
  get letterKeys() {
    return this.#taste.letterKeys;
  }
  get fieldsWidth() {
    return this.#taste.fieldsWidth;
  }
  get fieldsOpen() {
    return this.#taste.fieldsOpen;
  }
  get pinned() {
    return this.#taste.pinned;
  }

  /** Begins with what this browser knows; what the service keeps comes after. */
  begin(): void {
    this.#take(localPreferences());
    // What was chosen last is kept too when its page is left at once.
    addEventListener("pagehide", () => {
      if (this.#saving !== undefined) this.#save(true);
    });
  }

  async load(): Promise<void> {
    this.#take(await loadPreferences());
  }

  set<Name extends keyof Taste>(name: Name, value: Taste[Name]): void {
    this.#taste[name] = value;
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => this.#save(false), 400);
  }

  #save(isLast: boolean): void {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    void savePreferences({ ...$state.snapshot(this.#taste) }, isLast).catch(() => undefined);
  }

  #take(found: Record<string, unknown>): void {
    for (const name of Object.keys(DEFAULTS) as (keyof Taste)[]) {
      if (typeof found[name] === typeof DEFAULTS[name]) Object.assign(this.#taste, { [name]: found[name] });
    }
  }
}

export const preferences = new Preferences();
