// A small Markdown for notes: headings, paragraphs, lists, quotes, code, emphasis and links to http and https. It makes
// nodes, never HTML; tags in a note are text like everything else.

import { linkOf } from "../../values/hostile.ts";

export type Inline =
  | { kind: "text" | "strong" | "em" | "code"; text: string }
  | { kind: "link"; text: string; href: string };

export type Block =
  | { kind: "heading"; level: number; parts: Inline[] }
  | { kind: "paragraph" | "quote"; lines: Inline[][] }
  | { kind: "list"; isOrdered: boolean; items: Inline[][] }
  | { kind: "code"; text: string }
  | { kind: "rule" };

/** What is read of a note; the rest is not drawn. */
const CHARACTERS_MOST = 100_000;
const BLOCKS_MOST = 1000;

export function blocks(text: string): Block[] {
  const lines = text.slice(0, CHARACTERS_MOST).split(/\r\n|\r|\n/);
  const found: Block[] = [];
  let at = 0;
  while (at < lines.length && found.length < BLOCKS_MOST) {
    const line = lines[at]!;
    if (line.trim() === "") at += 1;
    else if (/^\s*(```|~~~)/.test(line)) at = code(lines, at, found);
    else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
      found.push({ kind: "rule" });
      at += 1;
    } else if (/^#{1,6}\s/.test(line)) {
      const level = /^#+/.exec(line)![0].length;
      found.push({ kind: "heading", level, parts: inlines(line.slice(level).trim().replace(/\s#+$/, "")) });
      at += 1;
    } else if (ITEM.test(line)) at = list(lines, at, found);
    else if (line.startsWith(">")) at = together(lines, at, found, "quote");
    else at = together(lines, at, found, "paragraph");
  }
  return found;
}

const ITEM = /^\s{0,3}(?:[-*+]|\d{1,9}[.)])\s+/;

function code(lines: string[], from: number, found: Block[]): number {
  const fence = lines[from]!.trim().slice(0, 3);
  let end = from + 1;
  while (end < lines.length && !lines[end]!.trim().startsWith(fence)) end += 1;
  found.push({ kind: "code", text: lines.slice(from + 1, end).join("\n") });
  return end + 1;
}

function list(lines: string[], from: number, found: Block[]): number {
  const items: Inline[][] = [];
  let at = from;
  for (; at < lines.length && ITEM.test(lines[at]!); at++) items.push(inlines(lines[at]!.replace(ITEM, "")));
  found.push({ kind: "list", isOrdered: /^\s*\d/.test(lines[from]!), items });
  return at;
}

function together(lines: string[], from: number, found: Block[], kind: "paragraph" | "quote"): number {
  const taken: Inline[][] = [];
  let at = from;
  for (; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.trim() === "") break;
    if (at > from && (ITEM.test(line) || /^#{1,6}\s|^\s*(```|~~~)/.test(line))) break;
    if (at > from && line.startsWith(">") !== (kind === "quote")) break;
    taken.push(inlines(kind === "quote" ? line.replace(/^>\s?/, "") : line.trim()));
  }
  found.push({ kind, lines: taken });
  return at;
}

// In this order: code keeps its stars; a link keeps its underscores. Each part is bounded, so that no text is slow.
const PARTS =
  /`([^`]{1,2000})`|\[([^\]]{1,500})\]\(([^()\s]{1,2000})\)|(https?:\/\/[^\s<>"')\]]{1,2000})|\*\*([^*]{1,2000})\*\*|__([^_]{1,2000})__|\*([^*\s][^*]{0,2000})\*|(?<![\p{L}\p{N}])_([^_\s][^_]{0,2000})_(?![\p{L}\p{N}])/gu;

export function inlines(text: string): Inline[] {
  const found: Inline[] = [];
  let from = 0;
  const plain = (to: number) => {
    if (to > from) found.push({ kind: "text", text: text.slice(from, to) });
  };
  for (const match of text.matchAll(PARTS)) {
    const [whole, tick, label, target, bare, strong, strong2, em, em2] = match;
    const href = target ?? bare;
    const link = href === undefined ? null : linkOf(href);
    // What is no address of the web stays as it was written.
    if (href !== undefined && link === null) continue;
    plain(match.index);
    from = match.index + whole.length;
    if (link !== null) found.push({ kind: "link", text: label ?? href!, href: link });
    else if (tick !== undefined) found.push({ kind: "code", text: tick });
    else if (strong !== undefined || strong2 !== undefined) found.push({ kind: "strong", text: (strong ?? strong2)! });
    else found.push({ kind: "em", text: (em ?? em2)! });
  }
  plain(text.length);
  return found;
}
