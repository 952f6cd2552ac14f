// The colours of a dashboard: a group has the same one in every panel that groups by the same fields.

import { getContext, setContext } from "svelte";
import { Palette } from "../../charts/palette.ts";

const KEY = Symbol("the colours of a dashboard");

export class Palettes {
  #byFields = new Map<string, Palette>();

  of(fields: string[]): Palette {
    const key = fields.join("\u0000");
    let palette = this.#byFields.get(key);
    if (!palette) {
      palette = new Palette();
      this.#byFields.set(key, palette);
    }
    return palette;
  }
}

export function sharePalettes(palettes: Palettes): void {
  setContext(KEY, palettes);
}

export function sharedPalettes(): Palettes {
  return getContext<Palettes | undefined>(KEY) ?? new Palettes();
}
