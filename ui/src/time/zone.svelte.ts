// The zone that all times on the screen are written in, at once: pickers, axes, tables, tooltips.

import { preferences } from "../session/preferences.svelte.ts";

export type Zone = "utc" | "local";

class ZoneChoice {
  get current(): Zone {
    return preferences.zone;
  }

  toggle(): void {
    preferences.set("zone", this.current === "utc" ? "local" : "utc");
  }

  /** What the local zone is called: `Europe/Vienna`. */
  get localName(): string {
    return Intl.DateTimeFormat().resolvedOptions().timeZone;
  }

  get label(): string {
    return this.current === "utc" ? "UTC" : this.localName;
  }
}

export const zone = new ZoneChoice();
