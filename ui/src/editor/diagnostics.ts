// Mistakes at their places: those that the service finds while typing, and those of a run. A hint that names a word
// becomes a button that writes it.

import type { Diagnostic as Mark } from "@codemirror/lint";
import type { EditorState } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { Diagnostic } from "../api/errors.ts";

export function marks(found: Diagnostic[], state: EditorState): Mark[] {
  return found.map((diagnostic) => {
    const { from, to } = placeOf(diagnostic, state);
    const word = /did you mean `([^`]+)`/.exec(diagnostic.hint ?? "")?.[1];
    const actions = word
      ? [
          {
            name: `Write ${word}`,
            apply: (view: EditorView, start: number, end: number) => mend(view, start, end, word),
          },
        ]
      : [];
    const hint = diagnostic.hint && !word ? ` — ${diagnostic.hint}` : "";
    return {
      from,
      to,
      severity: diagnostic.severity === "warning" ? "warning" : "error",
      message: diagnostic.message + hint,
      actions,
    };
  });
}

function mend(view: EditorView, from: number, to: number, word: string): void {
  view.dispatch({ changes: { from, to, insert: word }, selection: { anchor: from + word.length } });
  view.focus();
}

function placeOf(diagnostic: Diagnostic, state: EditorState): { from: number; to: number } {
  const end = state.doc.length;
  if (diagnostic.offset !== undefined) {
    const from = Math.min(diagnostic.offset, end);
    return { from, to: Math.min(end, from + Math.max(1, diagnostic.length ?? 1)) };
  }
  const line = state.doc.line(Math.min(Math.max(1, diagnostic.line), state.doc.lines));
  const from = Math.min(line.to, line.from + diagnostic.column - 1);
  const length = /\^+/.exec(diagnostic.picture ?? "")?.[0].length ?? 1;
  return { from, to: Math.min(line.to, from + length) };
}
