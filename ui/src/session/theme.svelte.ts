// Puts the chosen colours on the page: the reader's setting unless they chose otherwise here. What is drawn on a canvas
// reads `theme.shown`, which changes once the page has the new colours, so that it is drawn anew with them.

import type { Taste } from "./preferences.svelte.ts";

const dark = typeof matchMedia === "undefined" ? null : matchMedia("(prefers-color-scheme: dark)");

class Theme {
  /** The colours that the page has now. */
  shown = $state<"light" | "dark">("light");

  apply(wanted: Taste["theme"]): void {
    const next = wanted === "dark" || (wanted === "auto" && (dark?.matches ?? false)) ? "dark" : "light";
    document.documentElement.dataset.theme = next;
    this.shown = next;
  }

  get isDark(): boolean {
    return this.shown === "dark";
  }
}

export const theme = new Theme();

/** Calls back when the reader's own setting changes. */
export function onSystemTheme(changed: () => void): () => void {
  dark?.addEventListener("change", changed);
  return () => dark?.removeEventListener("change", changed);
}
