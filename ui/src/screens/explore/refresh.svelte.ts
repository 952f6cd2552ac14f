// Asks again by itself: some time after the last answer, while the page is seen, and not while somebody reads.

import { address } from "../../address/address.svelte.ts";
import { range } from "../../session/range.svelte.ts";
import { isRelative } from "../../time/range.ts";
import type { Exploration } from "./exploration.svelte.ts";

/** Seconds to choose from, and their words. */
export const PACES: [number, string][] = [
  [0, "No refresh"],
  [15, "Every 15 s"],
  [60, "Every minute"],
  [300, "Every 5 min"],
];

export function pace(): number {
  const wanted = Number(address.get("refresh"));
  return PACES.some(([seconds]) => seconds === wanted) ? wanted : 0;
}

/** Whether there is something that could be asked again. */
export function canRefresh(): boolean {
  return isRelative(range.current);
}

/** Waits for the next time; the answer ends the waiting. To be called in an effect, which begins anew with each answer. */
export function waitAndAsk(explore: Exploration): (() => void) | undefined {
  const seconds = pace();
  if (seconds === 0 || !canRefresh() || explore.run.isRunning || explore.isRead || explore.frozen) return undefined;
  // So that many pages that were opened together do not ask together.
  const [chance = 0] = crypto.getRandomValues(new Uint16Array(1));
  const waited = seconds * 1000 * (1 + (chance / 65_536) * 0.1);
  const ask = () => {
    if (document.visibilityState === "hidden") document.addEventListener("visibilitychange", ask, { once: true });
    else void explore.again();
  };
  const timer = setTimeout(ask, waited);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", ask);
  };
}
