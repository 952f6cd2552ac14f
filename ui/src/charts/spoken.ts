// What is said of a bucket to who cannot see the chart.

/** Names that are read out; nobody listens to more. */
const MOST = 10;

/** `12:00: web 12, api 3 and 4 more`. What has no value is named last, by its number alone. */
export function spoken(time: string, values: { name: string; value: string | null }[]): string {
  const known = values.filter(({ value }) => value !== null);
  if (known.length === 0) return `${time}: no value`;
  const named = known.slice(0, MOST).map(({ name, value }) => `${name} ${value}`);
  const more = known.length - named.length;
  const without = values.length - known.length;
  return `${time}: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}${without > 0 ? `; ${without} without a value` : ""}`;
}

/** When a chosen stretch begins and ends. */
export function spokenStretch(from: string, to: string): string {
  return `chosen from ${from} to ${to}`;
}
