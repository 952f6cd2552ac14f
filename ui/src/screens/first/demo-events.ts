// Events of a small shop over the last hours, made up here so that a newcomer sees the product work: two services, a
// daily wave, and a release that makes one of them slow and failing for a while.

const PATHS = ["/", "/search", "/product/{id}", "/cart", "/checkout", "/login", "/account"];
const CITIES = ["Vienna", "Ulm", "Lisbon", "Oslo", "Kyoto", "Austin", "Lagos"];
const HOURS = 6;

/** A part of `all` events that end at `nowMs`, the oldest first. The same part is the same each time but for its times. */
export function demoEvents(from: number, count: number, all: number, nowMs: number): Record<string, unknown>[] {
  const next = chance(from + 1);
  const word = () =>
    Math.floor(next() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  const pick = <T>(list: T[]) => list[Math.floor(next() * list.length)]!;
  return Array.from({ length: count }, (_, place) => {
    const share = (from + place) / all;
    // More events at some hours than at others, as in a shop.
    const wave = 0.014 * Math.sin(share * 6 * Math.PI);
    const ms = nowMs - HOURS * 3_600_000 * (1 - share - wave) - next() * 2000;
    // Between 60 and 72 % of the way a bad release is out.
    const isBad = share > 0.6 && share < 0.72;
    const path = pick(PATHS);
    const version = isBad ? "2.4.0" : share >= 0.72 ? "2.4.1" : "2.3.9";
    const service = path === "/checkout" || path === "/cart" ? "checkout" : "web";
    const fails = service === "checkout" && isBad ? next() < 0.45 : next() < 0.008;
    const took =
      Math.round((12 + next() * 60 + (isBad && service === "checkout" ? 400 + next() * 900 : 0)) * 1000) / 1000;
    const status = fails ? pick([500, 502, 503]) : next() < 0.03 ? 404 : 200;
    const order = 10_000 + Math.floor(next() * 90_000);
    const message = fails
      ? `payment of order ${order} failed: upstream timed out after ${Math.round(took)} ms`
      : status === 404
        ? `nothing found at ${path.replace("{id}", String(order))}`
        : `${path === "/checkout" ? "order" : "request"} ${order} answered after ${took} ms`;
    return {
      _time: new Date(ms).toISOString(),
      level: fails ? "error" : status === 404 ? "warn" : next() < 0.1 ? "debug" : "info",
      service,
      version,
      host: `${service}-${1 + Math.floor(next() * 4)}`,
      method: path === "/checkout" || path === "/login" ? "POST" : "GET",
      path,
      status,
      duration_ms: took,
      bytes: Math.floor(200 + next() * 20_000),
      geo: { city: pick(CITIES) },
      user: { id: `u${1000 + Math.floor(next() * 400)}` },
      trace_id: word() + word(),
      message,
    };
  });
}

/** Numbers between 0 and 1 that look like chance and are always the same. */
function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
