// The one range of time that all screens look at. It lives in the address, so that links and the back button know it.

import { address } from "../address/address.svelte.ts";
import { DEFAULT_RANGE, type Range } from "../time/range.ts";

class ChosenRange {
  get current(): Range {
    const start = address.get("from");
    const end = address.get("to");
    return start ? { start, end: end ?? "now" } : DEFAULT_RANGE;
  }

  choose({ start, end }: Range): void {
    address.change({ from: start, to: end });
  }
}

export const range = new ChosenRange();
