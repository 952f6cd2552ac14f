// When a dashboard asks anew. The next time is counted from the last answer, so that slow answers never pile up, and
// shaken a little, so that many browsers do not ask at one moment. A service that asked to wait is left alone as long.

export interface Circumstances {
  /** Seconds between two refreshes; 0 for none. */
  every: number;
  isHidden: boolean;
  /** Whether the end of the range moves with the time. */
  isMoving: boolean;
  /** Seconds that the service asked to wait, beside the last answer. */
  retryAfter: number | null;
  /** Between 0 and 1. */
  chance: number;
}

/** Share of the interval by which the next refresh may be later. */
const SHAKE = 0.1;

/** Milliseconds from the last answer to the next refresh; null for none before something changes. */
export function nextRefresh({ every, isHidden, isMoving, retryAfter, chance }: Circumstances): number | null {
  if (isHidden) return null;
  const shaken = (seconds: number) => Math.round(seconds * 1000 * (1 + SHAKE * chance));
  const wait = retryAfter ?? 0;
  if (every === 0 || !isMoving) return wait > 0 ? shaken(wait) : null;
  return shaken(Math.max(every, wait));
}

/** Whether what is shown is so old that it should be seen: three refreshes, and never less than a minute. */
export function isStale(ageSeconds: number, every: number): boolean {
  return every > 0 && ageSeconds > Math.max(60, 3 * every);
}

/** What the choice of intervals is called. */
export function refreshName(seconds: number): string {
  if (seconds === 0) return "Off";
  return seconds < 60 ? `${seconds} s` : `${seconds / 60} min`;
}
