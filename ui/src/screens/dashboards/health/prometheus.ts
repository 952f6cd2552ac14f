// Reads the figures of `/metrics` and makes of two readings what happened between them.

export interface Reading {
  /** Milliseconds since 1970. */
  at: number;
  values: Map<string, Sample[]>;
}

export interface Sample {
  labels: Record<string, string>;
  value: number;
}

export function readMetrics(text: string, at: number): Reading {
  const values = new Map<string, Sample[]>();
  for (const line of text.split("\n")) {
    const found = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/.exec(line);
    if (!found) continue;
    const [, name = "", inner = "", digits = ""] = found;
    const value = digits === "+Inf" ? Number.POSITIVE_INFINITY : Number(digits);
    if (Number.isNaN(value)) continue;
    const samples = values.get(name) ?? [];
    samples.push({ labels: labelsIn(inner), value });
    values.set(name, samples);
  }
  return { at, values };
}

function labelsIn(text: string): Record<string, string> {
  const labels: Record<string, string> = Object.create(null);
  for (const [, name = "", value = ""] of text.matchAll(/([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g)) {
    labels[name] = value.replaceAll(/\\(.)/g, (_, sign: string) => (sign === "n" ? "\n" : sign));
  }
  return labels;
}

/** The sum of all series of a name that fit; null where there is none. */
export function total(
  reading: Reading,
  name: string,
  fits: (labels: Sample["labels"]) => boolean = () => true,
): number | null {
  const samples = reading.values.get(name)?.filter(({ labels }) => fits(labels));
  return samples && samples.length > 0 ? samples.reduce((sum, { value }) => sum + value, 0) : null;
}

/** How much a counter grew in a second between two readings. One that began anew counts from nothing. */
export function rate(
  before: Reading,
  after: Reading,
  name: string,
  fits?: (labels: Sample["labels"]) => boolean,
): number | null {
  const now = total(after, name, fits);
  const seconds = (after.at - before.at) / 1000;
  if (now === null || seconds <= 0) return null;
  const was = total(before, name, fits) ?? 0;
  return (now < was ? now : now - was) / seconds;
}

/** The value that a share of what was measured between two readings is below, from the buckets of a histogram. */
export function quantile(
  before: Reading,
  after: Reading,
  name: string,
  share: number,
  fits: (labels: Sample["labels"]) => boolean = () => true,
): number | null {
  const sums = (reading: Reading) => {
    const found = new Map<number, number>();
    for (const { labels, value } of reading.values.get(`${name}_bucket`) ?? []) {
      if (!fits(labels)) continue;
      const end = labels.le === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels.le);
      found.set(end, (found.get(end) ?? 0) + value);
    }
    return found;
  };
  const [was, now] = [sums(before), sums(after)];
  const buckets = [...now]
    .map(([end, count]) => ({ end, count: Math.max(0, count - (was.get(end) ?? 0)) }))
    .sort((a, b) => a.end - b.end);
  const all = buckets.at(-1)?.count ?? 0;
  if (all === 0) return null;
  const wanted = share * all;
  let low = 0;
  let below = 0;
  for (const { end, count } of buckets) {
    if (count >= wanted) {
      if (!Number.isFinite(end)) return low;
      return low + ((end - low) * (wanted - below)) / Math.max(1e-12, count - below);
    }
    low = end;
    below = count;
  }
  return low;
}
