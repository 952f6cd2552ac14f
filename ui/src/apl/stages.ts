// Takes the text of a query apart at its stages and puts it together again, character by character the same. It knows
// strings, brackets and comments, and nothing of what the stages mean; understanding is the service's work.

export interface Query {
  /** `let` and the like, with their semicolons and blanks. */
  head: string;
  /** What the query reads: a dataset, `union …`, `print …`. */
  source: string;
  stages: Stage[];
}

export interface Stage {
  /** The stage without the bar before it, trimmed. */
  text: string;
  /** Its first word: `where`, `summarize`. */
  word: string;
  /** From the bar to the end of the stage, in the whole text. */
  start: number;
  end: number;
}

export function takeApart(text: string): Query {
  const cuts = topLevel(text);
  const lastSemicolon = cuts.filter(({ sign }) => sign === ";").at(-1);
  const headEnd = lastSemicolon ? lastSemicolon.at + 1 : 0;
  const bars = cuts.filter(({ sign, at }) => sign === "|" && at >= headEnd).map(({ at }) => at);
  const source = text.slice(headEnd, bars[0] ?? text.length);
  const stages = bars.map((start, index) => {
    const end = bars[index + 1] ?? text.length;
    const inner = withoutComments(text.slice(start + 1, end)).trim();
    return { text: inner, word: /^[a-z][a-z-]*/i.exec(inner)?.[0].toLowerCase() ?? "", start, end };
  });
  return { head: text.slice(0, headEnd), source: withoutComments(source).trim(), stages };
}

/** The name of the one dataset that a query reads, or null if it reads otherwise. */
export function datasetOf(text: string): string | null {
  const { source } = takeApart(text);
  if (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(source)) return source;
  const bracketed = /^\[(["'])((?:\\.|(?!\1).)*)\1\]$/.exec(source);
  return bracketed ? bracketed[2]!.replaceAll(/\\(.)/g, "$1") : null;
}

/** The text with the stage at `index` taken out. */
export function withoutStage(text: string, index: number): string {
  const stage = takeApart(text).stages[index];
  if (!stage) return text;
  return tidy(text.slice(0, stage.start) + text.slice(stage.end));
}

/** The text with a stage put before the one at `index`, or at the end. */
export function withStage(text: string, stage: string, index?: number): string {
  const at = index === undefined ? undefined : takeApart(text).stages[index]?.start;
  if (at === undefined) return `${text.trimEnd()}${endsInComment(text) ? "\n" : separator(text)}| ${stage}`;
  const before = text.slice(0, at).trimEnd();
  return `${before}${endsInComment(before) ? "\n" : separator(text)}| ${stage}${separator(text)}${text.slice(at)}`;
}

export function withStageReplaced(text: string, index: number, stage: string): string {
  const found = takeApart(text).stages[index];
  if (!found) return text;
  const isLast = found.end === text.length;
  return `${text.slice(0, found.start)}| ${stage}${isLast ? "" : separator(text)}${text.slice(found.end)}`;
}

/** Stages that keep events as they are, so that what stands before the first other one describes a set of events. */
const KEEPING = new Set(["where", "filter", "search", "extend", "extend-valid", "redact"]);

/** How many stages at the beginning only narrow or extend events. */
export function leading(query: Query): number {
  const first = query.stages.findIndex(({ word }) => !KEEPING.has(word));
  return first < 0 ? query.stages.length : first;
}

/** The query up to where it stops being a list of events of its range. */
export function baseOf(text: string): string {
  const query = takeApart(text);
  const first = query.stages[leading(query)];
  return (first ? text.slice(0, first.start) : text).trimEnd();
}

/** Whether the answer is a list of events: nothing but stages that keep events, choose fields or sort and cut. */
export function listsEvents(text: string): boolean {
  const rest = takeApart(text).stages.slice(leading(takeApart(text)));
  const harmless =
    /^(project|project-away|project-keep|project-rename|project-reorder|sort|order|take|limit|where|extend)$/;
  return rest.every(({ word }) => harmless.test(word));
}

/** Whether a stage names the fields that it keeps. */
export function namesItsFields(text: string): boolean {
  return takeApart(text).stages.some(({ word }) => word === "project" || word === "project-keep");
}

function separator(text: string): string {
  return text.includes("\n") || text.length > 60 ? "\n" : " ";
}

function tidy(text: string): string {
  return text.replaceAll(/\n\s*\n(?=\s*\|)/g, "\n").trimEnd();
}

function endsInComment(text: string): boolean {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  return withoutComments(line) !== line;
}

/** Bars and semicolons outside of strings, brackets and comments. */
function topLevel(text: string): { sign: string; at: number }[] {
  const found: { sign: string; at: number }[] = [];
  let depth = 0;
  walk(text, (sign, at) => {
    if (sign === "(" || sign === "[" || sign === "{") depth += 1;
    else if (sign === ")" || sign === "]" || sign === "}") depth = Math.max(0, depth - 1);
    else if (depth === 0 && (sign === "|" || sign === ";")) found.push({ sign, at });
  });
  return found;
}

function withoutComments(text: string): string {
  let kept = "";
  let from = 0;
  walk(text, undefined, (start, end) => {
    kept += text.slice(from, start);
    from = end;
  });
  return kept + text.slice(from);
}

/** Goes through a text and tells of each sign of its code, and of each comment. */
function walk(
  text: string,
  onSign?: (sign: string, at: number) => void,
  onComment?: (start: number, end: number) => void,
): void {
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === "/" && text[at + 1] === "/") {
      const end = text.indexOf("\n", at);
      onComment?.(at, end < 0 ? text.length : end);
      at = end < 0 ? text.length : end - 1;
    } else if (sign === '"' || sign === "'") at = endOfString(text, at, text[at - 1] === "@");
    else onSign?.(sign, at);
  }
}

function endOfString(text: string, start: number, isRaw: boolean): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\" && !isRaw) at += 1;
    else if (text[at] === quote) return at;
  }
  return text.length;
}
