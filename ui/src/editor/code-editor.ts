// The editor of queries, made of CodeMirror's parts. It is a chunk of its own: the page has a plain text area until it
// is there.

import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, toggleComment } from "@codemirror/commands";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { forEachDiagnostic, linter, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, keymap, placeholder, tooltips } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import type { Diagnostic } from "../api/errors.ts";
import { check } from "../api/query-text.ts";
import { completions } from "./completion.ts";
import { marks } from "./diagnostics.ts";
import { queryLanguage } from "./language.ts";

export interface EditorOptions {
  parent: HTMLElement;
  text: string;
  nonce: string;
  label: string;
  onchange: (text: string) => void;
  onrun: () => void;
  onformat: () => void;
  onescape: () => void;
}

export interface CodeEditor {
  setText(text: string): void;
  focus(): void;
  showDiagnostics(found: Diagnostic[]): void;
  destroy(): void;
}

export function createEditor(options: EditorOptions): CodeEditor {
  const act = (run: () => void) => () => {
    run();
    return true;
  };
  const view = new EditorView({
    parent: options.parent,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        EditorView.cspNonce.of(options.nonce),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        queryLanguage,
        syntaxHighlighting(classHighlighter),
        EditorView.lineWrapping,
        placeholder("A dataset, then stages: web | where status >= 500 | summarize count() by bin_auto(_time)"),
        autocompletion({ override: [completions], activateOnTypingDelay: 0, icons: false, maxRenderedOptions: 50 }),
        lintGutter(),
        linter(
          async (current) => {
            const text = current.state.doc.toString();
            if (text.trim() === "") return [];
            const { diagnostics } = await check(text).catch(() => ({ diagnostics: [] }));
            return current.state.doc.toString() === text ? marks(diagnostics, current.state) : [];
          },
          { delay: 250 },
        ),
        tooltips({ position: "fixed", parent: document.body }),
        EditorView.contentAttributes.of({
          "aria-label": options.label,
          spellcheck: "false",
          autocorrect: "off",
          autocapitalize: "off",
        }),
        Prec.highest(
          keymap.of([
            { key: "Mod-Enter", run: act(options.onrun) },
            { key: "Mod-Shift-f", run: act(options.onformat) },
            { key: "Mod-.", run: mendHere },
            { key: "Mod-/", run: toggleComment },
            { key: "Tab", run: acceptCompletion },
            { key: "Ctrl-Space", run: startCompletion },
          ]),
        ),
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
        keymap.of([{ key: "Escape", run: act(options.onescape) }]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onchange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setText(text) {
      if (text === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    focus: () => {
      view.focus();
      view.dispatch({ selection: { anchor: view.state.doc.length } });
    },
    showDiagnostics: (found) => view.dispatch(setDiagnostics(view.state, marks(found, view.state))),
    destroy: () => view.destroy(),
  };
}

/** Takes the first mend of the mistake that the cursor is at, or of the first one. */
function mendHere(view: EditorView): boolean {
  const at = view.state.selection.main.head;
  const found: { from: number; to: number; apply: (view: EditorView, from: number, to: number) => void }[] = [];
  forEachDiagnostic(view.state, (mark, from, to) => {
    const action = mark.actions?.[0];
    if (action) found.push({ from, to, apply: action.apply });
  });
  const chosen = found.find(({ from, to }) => from <= at && at <= to) ?? found[0];
  chosen?.apply(view, chosen.from, chosen.to);
  return chosen !== undefined;
}
