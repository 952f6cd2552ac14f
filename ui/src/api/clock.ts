// What time it is for the service. A browser whose clock is wrong would otherwise ask for ranges that hold nothing.

const WORTH_A_CORRECTION = 3000;

let behind = 0;

/** Takes the time that an answer says it was written at. */
export function hear(date: string | null): void {
  if (!date) return;
  const told = Date.parse(date);
  if (Number.isNaN(told)) return;
  const apart = told - Date.now();
  behind = Math.abs(apart) > WORTH_A_CORRECTION ? apart : 0;
}

export function nowMs(): number {
  return Date.now() + behind;
}
