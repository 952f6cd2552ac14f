// Puts the spans of a trace into a tree by their parents' ids, whatever was sent: parents that are not here, several
// roots, cycles, spans that came twice, ids that several spans share, clocks that differ. Nothing is dropped in silence
// and nothing is moved in time; what is odd about a span is said of it.

export interface Span {
  dataset: string;
  /** The row id, by which the whole event is found. */
  cursor: string | null;
  id: string;
  /** Empty for a root. */
  parent: string;
  service: string;
  name: string;
  kind: string;
  /** Nanoseconds since 1970. */
  start: bigint;
  /** Nanoseconds as they were sent; null where none were. */
  duration: number | bigint | null;
  isFailed: boolean;
}

/** What is odd about a span. */
export type Oddity = "no-parent" | "cycle" | "early" | "shared-id" | "no-duration" | "negative";

export interface Node {
  /** The same for the same span after the trace was read again. */
  key: string;
  /** Null for a parent that others name and that is not here. */
  span: Span | null;
  id: string;
  /** Place of the parent in the list of nodes, -1 for a root. */
  parent: number;
  depth: number;
  /** How many nodes are below it; they follow it in the list. */
  below: number;
  /** Nanoseconds since the start of the trace. */
  at: number;
  end: number;
  /** From when to when there is anything of it or below it. */
  from: number;
  to: number;
  failedBelow: number;
  /** How often the span came. */
  copies: number;
  oddities: Oddity[];
  /** By how many nanoseconds it begins before its parent. */
  early: number;
}

export interface Tree {
  /** Each parent before what is below it. */
  nodes: Node[];
  start: bigint;
  length: number;
  roots: number;
  failed: number;
  copies: number;
  missing: number;
  early: number;
  cycles: number;
}

/** A node while the tree is built. */
interface Seed {
  span: Span | null;
  id: string;
  start: bigint;
  /** Place among the seeds; -1 for a root. */
  parent: number;
  copies: number;
  oddities: Oddity[];
}

/** Who has an id: the first few, because strangers may give one to all of their spans. */
interface Sharers {
  places: number[];
  caller: number;
}

const SHARERS = 50;

export function buildTree(spans: Span[]): Tree {
  const seeds = withoutCopies(spans);
  const byId = new Map<string, Sharers>();
  for (const [place, { id, span }] of seeds.entries()) {
    if (id === "") continue;
    const sharers = byId.get(id) ?? { places: [], caller: -1 };
    byId.set(id, sharers);
    if (sharers.places.length < SHARERS) sharers.places.push(place);
    if (sharers.caller < 0 && span?.kind === "client") sharers.caller = place;
  }
  findParents(seeds, byId);
  addMissing(seeds);
  breakCycles(seeds);
  return laidOut(seeds);
}

/** One seed for each span; the same one sent again only counts. */
function withoutCopies(spans: Span[]): Seed[] {
  const seeds: Seed[] = [];
  const seen = new Map<string, Seed>();
  for (const span of spans) {
    const same = [span.id, span.parent, span.service, span.name, span.kind, span.start, span.duration].join("\u0000");
    const before = span.id === "" ? undefined : seen.get(same);
    if (before) {
      before.copies += 1;
      continue;
    }
    const seed: Seed = { span, id: span.id, start: span.start, parent: -1, copies: 1, oddities: [] };
    if (span.duration === null) seed.oddities.push("no-duration");
    else if (span.duration < 0) seed.oddities.push("negative");
    seen.set(same, seed);
    seeds.push(seed);
  }
  return seeds;
}

function findParents(seeds: Seed[], byId: Map<string, Sharers>): void {
  for (const [place, seed] of seeds.entries()) {
    const span = seed.span!;
    const sharers = byId.get(seed.id);
    if (sharers && sharers.places.length > 1) {
      seed.oddities.push("shared-id");
      // Some senders give the caller's and the callee's side of a call one id.
      if (span.kind === "server" && sharers.caller >= 0) {
        seed.parent = sharers.caller;
        continue;
      }
    }
    if (span.parent === "") continue;
    const candidates = byId.get(span.parent)?.places.filter((other) => other !== place) ?? [];
    if (candidates.length > 0) seed.parent = likeliest(candidates, span, seeds);
    else seed.oddities.push(span.parent === span.id ? "cycle" : "no-parent");
  }
}

/** Of several spans with the id of a parent: that of the same service, else one that goes on at the time. */
function likeliest(candidates: number[], child: Span, seeds: Seed[]): number {
  if (candidates.length === 1) return candidates[0]!;
  const sameService = candidates.find((place) => seeds[place]!.span!.service === child.service);
  const around = candidates.find((place) => {
    const { start, duration } = seeds[place]!.span!;
    return start <= child.start && child.start <= start + BigInt(Math.round(Number(duration ?? 0)));
  });
  return sameService ?? around ?? candidates[0]!;
}

/** A place in the tree for each parent that is not here and that several spans name. */
function addMissing(seeds: Seed[]): void {
  const orphans = new Map<string, number[]>();
  for (const [place, { span, oddities }] of seeds.entries()) {
    if (!span || !oddities.includes("no-parent")) continue;
    const others = orphans.get(span.parent);
    if (others) others.push(place);
    else orphans.set(span.parent, [place]);
  }
  for (const [id, children] of orphans) {
    if (children.length < 2) continue;
    const start = children.reduce(
      (least, place) => (seeds[place]!.start < least ? seeds[place]!.start : least),
      seeds[children[0]!]!.start,
    );
    for (const place of children) seeds[place]!.parent = seeds.length;
    seeds.push({ span: null, id, start, parent: -1, copies: 1, oddities: [] });
  }
}

/** Makes the earliest span of each circle of parents a root. */
function breakCycles(seeds: Seed[]): void {
  const walkOf = new Int32Array(seeds.length).fill(-1);
  for (let first = 0; first < seeds.length; first++) {
    let place = first;
    while (place >= 0 && walkOf[place] === -1) {
      walkOf[place] = first;
      place = seeds[place]!.parent;
    }
    if (place < 0 || walkOf[place] !== first) continue;
    let earliest = place;
    for (let at = seeds[place]!.parent; at !== place; at = seeds[at]!.parent) {
      if (seeds[at]!.start < seeds[earliest]!.start) earliest = at;
    }
    seeds[earliest]!.parent = -1;
    seeds[earliest]!.oddities.push("cycle");
  }
}

function laidOut(seeds: Seed[]): Tree {
  const order = seeds.map((_, place) => place).sort((a, b) => compare(seeds[a]!, seeds[b]!) || a - b);
  const children = new Map<number, number[]>();
  // Latest first, because a stack gives back the last.
  for (const place of order.toReversed()) {
    const parent = seeds[place]!.parent;
    const siblings = children.get(parent);
    if (siblings) siblings.push(place);
    else children.set(parent, [place]);
  }
  const start = order.length > 0 ? seeds[order[0]!]!.start : 0n;
  const nodes: Node[] = [];
  const placed = new Map<number, number>();
  const stack = [...(children.get(-1) ?? [])];
  const roots = stack.length;
  while (stack.length > 0) {
    const place = stack.pop()!;
    placed.set(place, nodes.length);
    nodes.push(nodeOf(seeds[place]!, placed.get(seeds[place]!.parent) ?? -1, nodes, start));
    for (const child of children.get(place) ?? []) stack.push(child);
  }
  sumUp(nodes);
  const count = (test: (node: Node) => boolean) => nodes.reduce((sum, node) => sum + (test(node) ? 1 : 0), 0);
  return {
    nodes,
    start,
    length: nodes.reduce((most, { to }) => Math.max(most, to), 0),
    roots,
    failed: count(({ span }) => span?.isFailed ?? false),
    copies: nodes.reduce((sum, { copies }) => sum + copies - 1, 0),
    missing: new Set(nodes.filter(({ oddities }) => oddities.includes("no-parent")).map(({ span }) => span!.parent))
      .size,
    early: count(({ early }) => early > 0),
    cycles: count(({ oddities }) => oddities.includes("cycle")),
  };
}

function nodeOf(seed: Seed, parent: number, nodes: Node[], start: bigint): Node {
  const at = Number(seed.start - start);
  const end = at + Math.max(0, Number(seed.span?.duration ?? 0));
  const above = parent >= 0 ? nodes[parent]! : null;
  const early = seed.span && above?.span ? Math.max(0, Number(above.span.start - seed.span.start)) : 0;
  return {
    key: seed.span ? `${seed.span.dataset}/${seed.span.cursor ?? `${seed.id}/${seed.start}`}` : `missing/${seed.id}`,
    span: seed.span,
    id: seed.id,
    parent,
    depth: above ? above.depth + 1 : 0,
    below: 0,
    at,
    end,
    from: at,
    to: end,
    failedBelow: 0,
    copies: seed.copies,
    oddities: early > 0 ? [...seed.oddities, "early"] : seed.oddities,
    early,
  };
}

/** Hands up what each parent has to know of what is below it. */
function sumUp(nodes: Node[]): void {
  for (let place = nodes.length - 1; place >= 0; place--) {
    const node = nodes[place]!;
    const above = nodes[node.parent];
    if (!above) continue;
    above.below += node.below + 1;
    above.failedBelow += node.failedBelow + (node.span?.isFailed ? 1 : 0);
    above.from = Math.min(above.from, node.from);
    above.to = Math.max(above.to, node.to);
  }
}

function compare(a: Seed, b: Seed): number {
  return a.start < b.start ? -1 : a.start > b.start ? 1 : 0;
}

/** The nodes that are seen while some are closed, in the order of the tree. */
export function openRows(nodes: Node[], closed: ReadonlySet<string>): number[] {
  const rows: number[] = [];
  for (let place = 0; place < nodes.length; place++) {
    const node = nodes[place]!;
    rows.push(place);
    if (closed.has(node.key)) place += node.below;
  }
  return rows;
}

/** The places of the nodes right below one. */
export function childrenOf(nodes: Node[], place: number): number[] {
  const list: number[] = [];
  const end = place + nodes[place]!.below;
  for (let at = place + 1; at <= end; at += nodes[at]!.below + 1) list.push(at);
  return list;
}
