// What each service has of a trace.

import type { Stretch } from "./critical-path.ts";
import { byService } from "./critical-path.ts";
import type { Node } from "./tree.ts";

export interface ServiceShare {
  service: string;
  spans: number;
  failed: number;
  /** Nanoseconds in which its spans worked while nothing right below them did, added up. */
  own: number;
  critical: number;
}

/** The services with most of the critical path first. */
export function serviceShares(nodes: Node[], path: Map<number, Stretch[]>): ServiceShare[] {
  const critical = byService(path, nodes);
  const own = ownTimes(nodes);
  const shares = new Map<string, ServiceShare>();
  for (const [place, { span }] of nodes.entries()) {
    if (!span) continue;
    let found = shares.get(span.service);
    if (!found) {
      found = { service: span.service, spans: 0, failed: 0, own: 0, critical: critical.get(span.service) ?? 0 };
      shares.set(span.service, found);
    }
    found.spans += 1;
    found.failed += span.isFailed ? 1 : 0;
    found.own += own[place]!;
  }
  return [...shares.values()].sort((a, b) => b.critical - a.critical || b.own - a.own || b.spans - a.spans);
}

/** The own time of each node in one walk: children come in the order of their starts, as the tree has them. */
export function ownTimes(nodes: Node[]): Float64Array {
  const covered = new Float64Array(nodes.length);
  const reached = Float64Array.from(nodes, ({ at }) => at);
  for (const { parent, at, end } of nodes) {
    const above = nodes[parent];
    if (!above) continue;
    const from = Math.max(at, reached[parent]!);
    const to = Math.min(end, above.end);
    if (to <= from) continue;
    covered[parent]! += to - from;
    reached[parent] = to;
  }
  return Float64Array.from(nodes, ({ at, end, span }, place) => (span ? Math.max(0, end - at - covered[place]!) : 0));
}
