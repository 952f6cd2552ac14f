// Round values for axes of numbers.

/** A number at the nearest multiple, without the digits that floats put behind it. */
export function rounded(value: number, by: number): number {
  const digits = Math.max(0, Math.ceil(-Math.log10(by)));
  return Number((Math.round(value / by) * by).toFixed(Math.min(12, digits)));
}

/** Three to six round values between the ends. */
export function ticks({ from, to }: { from: number; to: number }): number[] {
  const size = 10 ** Math.floor(Math.log10((to - from) / 4));
  const by = [1, 2, 5, 10].map((factor) => size * factor).find((wanted) => (to - from) / wanted <= 6) ?? size * 10;
  const found: number[] = [];
  for (let tick = Math.ceil(from / by) * by; tick <= to + by / 1000; tick += by) found.push(rounded(tick, by));
  return found;
}
