// Asks several things, a few at a time, so that one screen does not take all places for queries.

const AT_ONCE = 3;

export interface Outcome<Made> {
  name: string;
  made?: Made;
  error?: unknown;
}

/** What came of each name, in their order. One that fails does not stop the others. */
export async function forEach<Made>(names: string[], run: (name: string) => Promise<Made>): Promise<Outcome<Made>[]> {
  const outcomes: Outcome<Made>[] = names.map((name) => ({ name }));
  let next = 0;
  const worker = async () => {
    while (next < outcomes.length) {
      const outcome = outcomes[next++]!;
      try {
        outcome.made = await run(outcome.name);
      } catch (error) {
        outcome.error = error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return outcomes;
}
