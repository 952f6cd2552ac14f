// Figures that go on while they are looked at: asked for again every few seconds, not while the tab is hidden.

import { untrack } from "svelte";

const EVERY = 4000;

/** Calls `ask` now and again and again, until it says that there is nothing to come; to be used in an effect, which it
 *  hands its end to. */
export function again(ask: () => Promise<boolean>): () => void {
  let isAsking = false;
  const look = async () => {
    if (isAsking) return;
    isAsking = true;
    if (!(await ask())) clearInterval(timer);
    isAsking = false;
  };
  const timer = setInterval(() => {
    if (!document.hidden) void look();
  }, EVERY);
  untrack(() => void look());
  return () => clearInterval(timer);
}
