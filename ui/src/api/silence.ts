// Streams of events that stay silent. The service writes at least every ten seconds; a proxy on the way may gather an
// answer before it hands it on, and then nothing is heard of it. Whoever listens asks plainly instead, and for some
// minutes at once.

import { signIn } from "../session/sign-in.svelte.ts";
import { nowMs } from "./clock.ts";

/** Calls back after so many milliseconds, unless what it answers with is called before. */
export type Timer = (run: () => void, ms: number) => () => void;

/** For how long nothing may be heard, in milliseconds. */
export const SILENCE = 25_000;

/** For how long it is remembered that streams are held back: the next network may be another one. */
const REMEMBERED = 600_000;

/** Nothing was heard. */
export class Silence extends Error {
  /** Whether anything was heard before: then a connection broke off, and nothing is known about the way. */
  readonly cameAfterWords: boolean;

  constructor(cameAfterWords: boolean) {
    super("nothing is heard of the service");
    this.cameAfterWords = cameAfterWords;
  }
}

export interface Listening {
  signal: AbortSignal;
  /** To be called with whatever arrives. */
  heard: () => void;
}

export interface Patience {
  signal?: AbortSignal;
  /** The time, where it is not that of the browser. */
  timer?: Timer;
}

class Way {
  #until = 0;

  get holdsBack(): boolean {
    return nowMs() < this.#until;
  }

  /** To be told once the plain answer has come: where that stays away too, it was something else. */
  remember(): void {
    this.#until = nowMs() + REMEMBERED;
  }

  forget(): void {
    this.#until = 0;
  }
}

/** What is known about the way to the service. */
export const way = new Way();

const clock: Timer = (run, ms) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** Does what listens to a stream, and ends it with a `Silence` when nothing is heard of it any more. */
export async function listen<T>(
  work: (listening: Listening) => Promise<T>,
  { signal, timer = clock }: Patience,
): Promise<T> {
  const abort = new AbortController();
  const end = () => abort.abort(signal?.reason);
  if (signal?.aborted) end();
  signal?.addEventListener("abort", end);
  let silence: Silence | null = null;
  let hasHeard = false;
  let forgo = () => {};
  const wait = () => {
    forgo = timer(() => {
      // Whoever has to sign in first is waited for.
      if (signIn.ended) return wait();
      silence = new Silence(hasHeard);
      abort.abort(silence);
    }, SILENCE);
  };
  const heard = () => {
    hasHeard = true;
    forgo();
    wait();
  };
  wait();
  try {
    return await work({ signal: abort.signal, heard });
  } catch (error) {
    throw silence ?? error;
  } finally {
    forgo();
    signal?.removeEventListener("abort", end);
    // What was not read to its end is not sent on.
    abort.abort();
  }
}

/** Listens to a stream; asks plainly where nothing is heard, or where that is known already. */
export async function streamedOrPlain<T>(
  stream: (listening: Listening) => Promise<T>,
  plainly: () => Promise<T>,
  patience: Patience,
): Promise<T> {
  if (way.holdsBack) return plainly();
  try {
    return await listen(stream, patience);
  } catch (error) {
    if (!(error instanceof Silence)) throw error;
    const found = await plainly();
    if (!error.cameAfterWords) way.remember();
    return found;
  }
}
