// Builds the tree of an event from names with dots, as objects were flattened when they came in.

import type { Value } from "../values/value.ts";

export interface Node {
  /** The last part of the name. */
  name: string;
  /** The whole name of the field, where the node is one. */
  field: string | null;
  value: Value | undefined;
  children: Node[];
}

export function nest(event: Record<string, Value>): Node[] {
  const roots: Node[] = [];
  const byPath = new Map<string, Node>();
  for (const field of Object.keys(event).sort()) {
    const parts = field.split(".").some((part) => part === "") ? [field] : field.split(".");
    let level = roots;
    let path = "";
    for (const [depth, name] of parts.entries()) {
      path = depth === 0 ? name : `${path}.${name}`;
      let node = byPath.get(path);
      if (!node) {
        node = { name, field: null, value: undefined, children: [] };
        byPath.set(path, node);
        level.push(node);
      }
      if (depth === parts.length - 1) {
        node.field = field;
        node.value = event[field];
      }
      level = node.children;
    }
  }
  return roots;
}

/** The event with its objects as they came in. */
export function unflatten(event: Record<string, Value>): Value {
  const build = (nodes: Node[]): Value => {
    const made: { [name: string]: Value } = {};
    for (const node of nodes) {
      const value = node.children.length > 0 ? build(node.children) : (node.value ?? null);
      Object.defineProperty(made, node.name, { value, enumerable: true, writable: true, configurable: true });
    }
    return made;
  };
  return build(nest(event));
}
