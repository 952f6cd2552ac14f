// Matters of taste: theme, zone, density and the like. What a colleague needs to see the same is in the address instead.

import { loadPreferences, localPreferences, savePreferences } from "../api/preferences.ts";

export interface Taste {
  theme: "auto" | "light" | "dark";
  zone: "utc" | "local";
  density: "compact" | "normal" | "roomy";
  wrap: boolean;
  hideNulls: boolean;
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
  hideNulls: true,
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
  get hideNulls() {
    return this.#taste.hideNulls;
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
  }

  async load(): Promise<void> {
    this.#take(await loadPreferences());
  }

  set<Name extends keyof Taste>(name: Name, value: Taste[Name]): void {
    this.#taste[name] = value;
    clearTimeout(this.#saving);
    this.#saving = setTimeout(
      () => void savePreferences({ ...$state.snapshot(this.#taste) }).catch(() => undefined),
      400,
    );
  }

  #take(found: Record<string, unknown>): void {
    for (const name of Object.keys(DEFAULTS) as (keyof Taste)[]) {
      if (typeof found[name] === typeof DEFAULTS[name]) Object.assign(this.#taste, { [name]: found[name] });
    }
  }
}

export const preferences = new Preferences();
