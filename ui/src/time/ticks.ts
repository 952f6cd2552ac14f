// Where an axis of time has its marks: at round times of the zone that is shown.

import { partsOf } from "./write.ts";
import type { Zone } from "./zone.svelte.ts";

const SECOND = 1_000_000_000n;
const STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
  1_209_600, 2_592_000, 7_776_000, 31_536_000,
].map((seconds) => BigInt(seconds) * SECOND);
const DAY = 86_400n * SECOND;

/** At most `most` moments between the two, at a step that people count in; fewer than a second apart, just even ones. */
export function ticks(start: bigint, end: bigint, most: number, zone: Zone): bigint[] {
  const span = end - start;
  if (span <= 0n || most < 1) return [];
  const wanted = span / BigInt(most);
  const step = wanted < SECOND ? wanted || 1n : (STEPS.find((size) => size >= wanted) ?? wanted);
  const found: bigint[] = [];
  for (let at = floor(start, step, zone); at <= end && found.length <= most * 2; at = next(at, step, zone)) {
    if (at >= start) found.push(at);
  }
  return found;
}

/** The next one; steps of hours and days stay at round times of the clock where it is put forward or back. */
function next(at: bigint, step: bigint, zone: Zone): bigint {
  const plain = at + step;
  if (step < 3600n * SECOND) return plain;
  const shift = offset(at, zone) - offset(plain, zone);
  // An hour that comes twice has two marks.
  if (shift % step === 0n) return plain;
  return plain + shift > at ? plain + shift : plain;
}

function floor(at: bigint, step: bigint, zone: Zone): bigint {
  const by = offset(at, zone);
  const local = at + by;
  // Steps of several days begin at a midnight.
  const size = step > DAY ? DAY : step;
  return local - (((local % size) + size) % size) - by;
}

function offset(at: bigint, zone: Zone): bigint {
  if (zone === "utc") return 0n;
  const { year, month, day, hour, minute, second } = partsOf(at, zone);
  const wall = BigInt(Date.UTC(year, month, day, hour, minute, second)) * 1_000_000n;
  return wall - (at - (((at % SECOND) + SECOND) % SECOND));
}
