// Reads the colour codes that programs write for terminals. What comes out is text with a style by name; every other
// code is left out, and nothing of it becomes markup.

export interface Run {
  text: string;
  colour: string | null;
  bold: boolean;
}

/** A code that was cut off before its end. */
const UNFINISHED = /\u001b(?:\[[0-9;]*|\][^\u0007\u001b]*)?$/;
const CODE = /\u001b\[([0-9;]*)([A-Za-z])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]/g;
const COLOURS = ["soft", "danger", "success", "warning", "info", "note", "accent", "plain"];

export function hasAnsi(text: string): boolean {
  return text.includes("\u001b");
}

export function withoutAnsi(text: string): string {
  return hasAnsi(text) ? text.replace(CODE, "") : text;
}

export function ansiRuns(whole: string): Run[] {
  const text = whole.replace(UNFINISHED, "");
  const runs: Run[] = [];
  let colour: string | null = null;
  let bold = false;
  let from = 0;
  const push = (to: number) => {
    if (to > from) runs.push({ text: text.slice(from, to), colour, bold });
  };
  for (const match of text.matchAll(CODE)) {
    push(match.index);
    from = match.index + match[0].length;
    if (match[2] !== "m") continue;
    const codes = (match[1] ?? "").split(";").map((part) => Number(part || 0));
    for (let place = 0; place < codes.length; place++) {
      const code = codes[place] ?? 0;
      // One of 256 colours, or of all of them: its numbers are no codes, and the page has no such colour.
      if (code === 38 || code === 48) place += codes[place + 1] === 5 ? 2 : 4;
      else if (code === 0) {
        colour = null;
        bold = false;
      } else if (code === 1) bold = true;
      else if (code === 22) bold = false;
      else if (code === 39) colour = null;
      else if (code >= 30 && code <= 37) colour = COLOURS[code - 30] ?? null;
      else if (code >= 90 && code <= 97) colour = COLOURS[code - 90] ?? null;
    }
  }
  push(text.length);
  return runs;
}

/** The beginning of a text with its colours, as long as `most` characters that are seen; whether there is more. */
export function ansiStart(text: string, most: number): { runs: Run[]; isCut: boolean } {
  // Codes need room too; a text that is nothing but codes is cut all the same.
  const read = text.slice(0, most * 4 + 64);
  const runs: Run[] = [];
  let room = most;
  for (const run of ansiRuns(read)) {
    if (room <= 0) return { runs, isCut: true };
    runs.push({ ...run, text: run.text.slice(0, room) });
    room -= run.text.length;
  }
  return { runs, isCut: room < 0 || read.length < text.length };
}
