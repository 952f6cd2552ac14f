// Where services stand on the map: in layers from those that are called by none to those that call none, in each layer
// near those that they talk to, so that few lines cross. Calls that go round in circles make no circle of layers.

export interface Arrow {
  from: string;
  to: string;
}

export interface Spot {
  name: string;
  layer: number;
  x: number;
  y: number;
}

export interface MapLayout {
  spots: Map<string, Spot>;
  width: number;
  height: number;
}

export const SPOT_WIDTH = 168;
export const SPOT_HEIGHT = 62;
const GAP_X = 124;
const GAP_Y = 22;
const MARGIN = 20;
const SWEEPS = 8;
/** Room for the head of an arrow. */
const HEAD = 7;

export function layoutOf(names: string[], arrows: Arrow[]): MapLayout {
  const known = new Set(names);
  const wanted = arrows.filter(({ from, to }) => from !== to && known.has(from) && known.has(to));
  const { forward, circles } = withoutCircles(names, wanted);
  const layers = circles === 0 ? inLayers(names, forward) : byDistance(names, wanted);
  untangle(layers, wanted);
  return placed(layers);
}

/** The arrows without those that lead back to where a walk came from, and how many those are. */
function withoutCircles(names: string[], arrows: Arrow[]): { forward: Arrow[]; circles: number } {
  const leaving = new Map<string, string[]>(names.map((name) => [name, []]));
  const entered = new Set(arrows.map(({ to }) => to));
  for (const { from, to } of arrows) leaving.get(from)!.push(to);
  const state = new Map<string, "open" | "done">();
  const back = new Set<string>();
  // From those that nobody calls first.
  const order = [...names.filter((name) => !entered.has(name)), ...names.filter((name) => entered.has(name))];
  for (const first of order) {
    if (state.has(first)) continue;
    const stack = [{ name: first, next: 0 }];
    state.set(first, "open");
    while (stack.length > 0) {
      const now = stack.at(-1)!;
      const to = leaving.get(now.name)![now.next++];
      if (to === undefined) {
        state.set(now.name, "done");
        stack.pop();
      } else if (state.get(to) === "open") back.add(JSON.stringify([now.name, to]));
      else if (!state.has(to)) {
        state.set(to, "open");
        stack.push({ name: to, next: 0 });
      }
    }
  }
  return { forward: arrows.filter(({ from, to }) => !back.has(JSON.stringify([from, to]))), circles: back.size };
}

/** Where calls go in circles: each service by the fewest calls that lead to it, which keeps the drawing short. */
function byDistance(names: string[], arrows: Arrow[]): string[][] {
  const entered = new Set(arrows.map(({ to }) => to));
  const entries = names.filter((name) => !entered.has(name));
  const layerOf = new Map<string, number>();
  // A circle that nothing leads into begins with its first, which does most.
  for (const first of [...entries, ...names]) {
    if (layerOf.has(first)) continue;
    layerOf.set(first, 0);
    const next = [first];
    for (const name of next) {
      for (const { from, to } of arrows) {
        if (from !== name || layerOf.has(to)) continue;
        layerOf.set(to, layerOf.get(name)! + 1);
        next.push(to);
      }
    }
  }
  return grouped(names, layerOf);
}

/** Each service one layer behind the last of those that call it. */
function inLayers(names: string[], arrows: Arrow[]): string[][] {
  const entering = new Map<string, number>(names.map((name) => [name, 0]));
  const leaving = new Map<string, string[]>(names.map((name) => [name, []]));
  for (const { from, to } of arrows) {
    entering.set(to, entering.get(to)! + 1);
    leaving.get(from)!.push(to);
  }
  const layerOf = new Map<string, number>();
  const ready = names.filter((name) => entering.get(name) === 0);
  for (let at = 0; at < ready.length; at++) {
    const name = ready[at]!;
    const layer = layerOf.get(name) ?? 0;
    layerOf.set(name, layer);
    for (const to of leaving.get(name)!) {
      layerOf.set(to, Math.max(layerOf.get(to) ?? 0, layer + 1));
      entering.set(to, entering.get(to)! - 1);
      if (entering.get(to) === 0) ready.push(to);
    }
  }
  return grouped(names, layerOf);
}

function grouped(names: string[], layerOf: Map<string, number>): string[][] {
  const layers: string[][] = [];
  for (const name of names) {
    const layer = layerOf.get(name) ?? 0;
    while (layers.length <= layer) layers.push([]);
    layers[layer]!.push(name);
  }
  return layers;
}

/** Moves each service to the mean place of its neighbours, forth and back, a few times. */
function untangle(layers: string[][], arrows: Arrow[]): void {
  const neighbours = new Map<string, string[]>();
  const add = (name: string, other: string) => {
    const others = neighbours.get(name);
    if (others) others.push(other);
    else neighbours.set(name, [other]);
  };
  for (const { from, to } of arrows) {
    add(from, to);
    add(to, from);
  }
  const share = new Map<string, number>();
  const number = (layer: string[]) => {
    for (const [place, name] of layer.entries()) share.set(name, (place + 0.5) / layer.length);
  };
  for (const layer of layers) number(layer);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const layer of sweep % 2 === 0 ? layers : layers.toReversed()) {
      const mean = new Map(
        layer.map((name) => {
          const others = neighbours.get(name) ?? [];
          const sum = others.reduce((total, other) => total + (share.get(other) ?? 0), 0);
          return [name, others.length > 0 ? sum / others.length : share.get(name)!];
        }),
      );
      layer.sort((a, b) => mean.get(a)! - mean.get(b)! || a.localeCompare(b));
      number(layer);
    }
  }
}

function placed(layers: string[][]): MapLayout {
  const tallest = Math.max(1, ...layers.map((layer) => layer.length));
  const height = tallest * (SPOT_HEIGHT + GAP_Y) - GAP_Y + 2 * MARGIN;
  const spots = new Map<string, Spot>();
  for (const [layer, names] of layers.entries()) {
    const used = names.length * (SPOT_HEIGHT + GAP_Y) - GAP_Y;
    const top = (height - used) / 2;
    for (const [place, name] of names.entries()) {
      const x = MARGIN + layer * (SPOT_WIDTH + GAP_X);
      spots.set(name, { name, layer, x, y: top + place * (SPOT_HEIGHT + GAP_Y) });
    }
  }
  const width = Math.max(1, layers.length) * (SPOT_WIDTH + GAP_X) - GAP_X + 2 * MARGIN;
  return { spots, width, height };
}

/** The line of a call: forth from the right side of the caller to the left side of the called, around at the right within
 *  a layer, and back a little lower, so that calls both ways are two lines. */
export function lineOf(from: Spot, to: Spot): { path: string; middle: { x: number; y: number } } {
  const layers = to.layer - from.layer;
  const lower = layers < 0 ? 9 : 0;
  const [y1, y2] = [from.y + SPOT_HEIGHT / 2 + lower, to.y + SPOT_HEIGHT / 2 + lower];
  const x1 = layers < 0 ? from.x : from.x + SPOT_WIDTH;
  const x2 = layers > 0 ? to.x - HEAD : to.x + SPOT_WIDTH + HEAD;
  const bend = layers === 0 ? GAP_X / 2 : (layers > 0 ? 1 : -1) * Math.max(30, Math.abs(x2 - x1) / 2);
  // What passes over a layer goes around the services in it.
  const around = Math.abs(layers) > 1 ? SPOT_HEIGHT * 0.9 : 0;
  const at = Math.abs(layers) > 1 ? 0.86 : 0.5;
  const [c1, c2] = [x1 + bend, layers === 0 ? x2 + bend : x2 - bend];
  return {
    path: `M${x1} ${y1}C${c1} ${y1 + around} ${c2} ${y2 + around} ${x2} ${y2}`,
    // Words stand in the middle, or right before the called where services of another layer are in the middle.
    middle: { x: along(x1, c1, c2, x2, at), y: along(y1, y1 + around, y2 + around, y2, at) },
  };
}

/** One coordinate of a Bézier curve. */
function along(from: number, bend: number, other: number, to: number, at: number): number {
  const left = 1 - at;
  return left ** 3 * from + 3 * left * left * at * bend + 3 * left * at * at * other + at ** 3 * to;
}
