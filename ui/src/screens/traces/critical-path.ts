// The critical path of a trace: which span everything waited for, at each moment from its end back to its start. Time
// that is saved on it makes the whole trace shorter; time that is saved elsewhere does not.

import { childrenOf, type Node } from "./tree.ts";

export interface Stretch {
  from: number;
  to: number;
}

interface Frame {
  /** -1 stands over all roots. */
  place: number;
  /** Not before it. */
  from: number;
  /** Walked back to here. */
  at: number;
  /** Children that have not been looked at, the one that ends last at the end. */
  waiting: number[];
}

/** The stretches of the path by the place of their node. */
export function criticalPath(nodes: Node[]): Map<number, Stretch[]> {
  const path = new Map<number, Stretch[]>();
  const add = (place: number, from: number, to: number) => {
    if (place < 0 || to <= from) return;
    const stretches = path.get(place);
    // The walk goes back in time, so what touches the last stretch comes right before it.
    const last = stretches?.at(-1);
    if (!stretches) path.set(place, [{ from, to }]);
    else if (last && last.from === to) last.from = from;
    else stretches.push({ from, to });
  };
  const end = nodes.reduce((most, node) => Math.max(most, extent(node).to), 0);
  const stack: Frame[] = [frame(-1, 0, end, nodes)];
  while (stack.length > 0) {
    const now = stack.at(-1)!;
    const next = now.waiting.pop();
    if (next === undefined) {
      add(now.place, now.from, now.at);
      stack.pop();
      continue;
    }
    const { from, to } = extent(nodes[next]!);
    const upper = Math.min(to, bound(now, nodes));
    const lower = Math.max(from, now.from);
    // What goes on after the moment that was walked back to was not waited for there.
    if (upper > now.at || upper <= lower) continue;
    add(now.place, upper, now.at);
    now.at = lower;
    stack.push(frame(next, lower, upper, nodes));
  }
  return path;
}

/** How long each service is on the path. */
export function byService(path: Map<number, Stretch[]>, nodes: Node[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [place, stretches] of path) {
    const service = nodes[place]?.span?.service ?? "";
    const length = stretches.reduce((sum, { from, to }) => sum + to - from, 0);
    sums.set(service, (sums.get(service) ?? 0) + length);
  }
  return sums;
}

function frame(place: number, from: number, at: number, nodes: Node[]): Frame {
  const waiting = place < 0 ? rootsOf(nodes) : childrenOf(nodes, place);
  const until = place < 0 ? Number.POSITIVE_INFINITY : extent(nodes[place]!).to;
  const ends = (child: number) => Math.min(extent(nodes[child]!).to, until);
  return {
    place,
    from,
    at,
    waiting: waiting.sort((a, b) => ends(a) - ends(b) || extent(nodes[b]!).from - extent(nodes[a]!).from),
  };
}

/** What outlives its parent counts only as long as the parent goes on. */
function bound(now: Frame, nodes: Node[]): number {
  return now.place < 0 ? Number.POSITIVE_INFINITY : extent(nodes[now.place]!).to;
}

/** A parent that is not here lasts as long as what is below it. */
function extent(node: Node): Stretch {
  return node.span ? { from: node.at, to: node.end } : { from: node.from, to: node.to };
}

function rootsOf(nodes: Node[]): number[] {
  const list: number[] = [];
  for (let at = 0; at < nodes.length; at += nodes[at]!.below + 1) list.push(at);
  return list;
}
