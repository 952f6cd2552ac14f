// Puts the chosen colours on the page: the reader's setting unless they chose otherwise here.

import type { Taste } from "./preferences.svelte.ts";

const dark = typeof matchMedia === "undefined" ? null : matchMedia("(prefers-color-scheme: dark)");

export function isDark(theme: Taste["theme"]): boolean {
  return theme === "dark" || (theme === "auto" && (dark?.matches ?? false));
}

export function applyTheme(theme: Taste["theme"]): void {
  document.documentElement.dataset.theme = isDark(theme) ? "dark" : "light";
}

/** Calls back when the reader's own setting changes. */
export function onSystemTheme(changed: () => void): () => void {
  dark?.addEventListener("change", changed);
  return () => dark?.removeEventListener("change", changed);
}
