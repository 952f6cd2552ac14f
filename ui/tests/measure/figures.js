// Times as figures: what half of them and nearly all stayed below.

/** The value that a share of the values does not exceed. */
export function quantile(values, share) {
  const ordered = [...values].sort((a, b) => a - b);
  return ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * share))] ?? Number.NaN;
}

export const ms = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;

export function spread(values) {
  return `p50 ${ms(quantile(values, 0.5))}, max ${ms(Math.max(...values))} (${values.map((value) => Math.round(value)).join(" ")})`;
}
