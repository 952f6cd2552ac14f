// Reads the colour codes that programs write for terminals. What comes out is text with a style by name; every other
// code is left out, and nothing of it becomes markup.

export interface Run {
  text: string;
  colour: string | null;
  bold: boolean;
}

const CODE = /\u001b\[([0-9;]*)([A-Za-z])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]/g;
const COLOURS = ["soft", "danger", "success", "warning", "info", "note", "accent", "plain"];

export function hasAnsi(text: string): boolean {
  return text.includes("\u001b");
}

export function withoutAnsi(text: string): string {
  return hasAnsi(text) ? text.replace(CODE, "") : text;
}

export function ansiRuns(text: string): Run[] {
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
    for (const part of (match[1] ?? "").split(";")) {
      const code = Number(part || 0);
      if (code === 0) {
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
