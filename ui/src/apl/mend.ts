// The text with the first mistake mended, where the service has named the word that was meant.

import type { Diagnostic } from "../api/errors.ts";

export function mended(found: Diagnostic[], text: string): { word: string; text: string } | null {
  for (const { line, column, hint, message } of found) {
    const word = /did you mean `([^`]+)`/.exec(hint ?? "")?.[1];
    const wrong = /`([^`]+)`/.exec(message)?.[1];
    if (!word || !wrong) continue;
    const lines = text.split("\n");
    const at = lines[line - 1] ?? "";
    if (!at.startsWith(wrong, column - 1)) continue;
    lines[line - 1] = at.slice(0, column - 1) + word + at.slice(column - 1 + wrong.length);
    return { word, text: lines.join("\n") };
  }
  return null;
}
