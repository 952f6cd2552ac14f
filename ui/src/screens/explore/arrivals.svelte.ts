// How many events are newer than those that are shown: counted while asking again by itself is held because somebody
// reads. Only what lies behind the range that was asked is looked at, so each look is cheap.

import { untrack } from "svelte";
import { nowMs } from "../../api/clock.ts";
import { ask } from "../../api/query.ts";
import { fromMs, writeTime } from "../../time/nanoseconds.ts";
import type { Asked, Exploration } from "./exploration.svelte.ts";
import { canRefresh, pace } from "./refresh.svelte.ts";

export class Arrivals {
  count = $state(0);
  #of: Asked | null = null;

  /** To be called in an effect, which begins anew when somebody begins or ends to read. */
  follow(explore: Exploration): (() => void) | undefined {
    const { asked } = explore;
    if (asked !== this.#of) {
      this.#of = asked;
      untrack(() => {
        this.count = 0;
      });
    }
    const seconds = canRefresh() ? pace() : 0;
    if (!asked?.isEvents || seconds === 0 || !explore.isRead || explore.run.isRunning || explore.frozen)
      return undefined;
    const abort = new AbortController();
    const look = async () => {
      if (document.visibilityState !== "hidden") await this.#look(asked, abort.signal);
      if (!abort.signal.aborted) timer = setTimeout(look, seconds * 1000);
    };
    let timer = setTimeout(look, seconds * 1000);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }

  async #look(asked: Asked, signal: AbortSignal): Promise<void> {
    const now = fromMs(nowMs());
    // The clock may have been put back since.
    if (now <= asked.moments.end) return;
    const request = { apl: `${asked.base}\n| count`, startTime: asked.endTime, endTime: writeTime(now) };
    try {
      const { answer } = await ask(request, { signal });
      if (!signal.aborted) this.count = Number(answer.tables[0]?.columns[0]?.[0] ?? 0);
    } catch {
      // A mark that is missing is no trouble worth a word; the next look may find more.
    }
  }
}
