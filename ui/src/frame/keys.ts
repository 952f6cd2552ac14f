// The keys of the interface. Screens say which they answer to; single letters count only outside of inputs and can be
// switched off.

import { preferences } from "../session/preferences.svelte.ts";

export interface Key {
  /** `j`, `Escape`, `Mod+Enter`, `g e`. `Mod` is ⌘ on a Mac and Ctrl elsewhere. */
  keys: string;
  does: string;
  run: (event: KeyboardEvent) => void;
}

const IS_MAC = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);

class Keys {
  #sets: Key[][] = [];
  #first: string | null = null;
  #forget: ReturnType<typeof setTimeout> | undefined;

  /** Adds keys; the answer takes them away again. Later ones go before earlier ones. */
  add(keys: Key[]): () => void {
    this.#sets = [...this.#sets, keys];
    return () => {
      this.#sets = this.#sets.filter((set) => set !== keys);
    };
  }

  get all(): Key[] {
    return this.#sets.flat();
  }

  handle(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing) return;
    const mod = IS_MAC ? event.metaKey : event.ctrlKey;
    const isLetter = event.key.length === 1 && !mod && !event.altKey;
    if (isLetter && (isEditable(event.target) || !preferences.letterKeys)) return;
    // Esc too: what waits behind a dialog must not end because the dialog was to be closed.
    if (document.querySelector("dialog[open]")) return;
    const pressed = `${mod ? "Mod+" : ""}${mod && event.shiftKey ? "Shift+" : ""}${event.key.length === 1 && mod ? event.key.toLowerCase() : event.key}`;
    const wanted = this.#first ? `${this.#first} ${pressed}` : pressed;
    this.#first = null;
    for (const set of [...this.#sets].reverse()) {
      const found = set.find(({ keys }) => keys === wanted);
      if (found) {
        found.run(event);
        return;
      }
    }
    if (isLetter && this.all.some(({ keys }) => keys.startsWith(`${pressed} `))) {
      this.#first = pressed;
      clearTimeout(this.#forget);
      this.#forget = setTimeout(() => {
        this.#first = null;
      }, 1200);
    }
  }
}

export const keys = new Keys();

/** How a key is written for the reader's machine. */
export function written(key: string): string {
  return key
    .replace("Mod+", IS_MAC ? "⌘" : "Ctrl ")
    .replace("Shift+", IS_MAC ? "⇧" : "Shift ")
    .replace("Enter", "⏎")
    .replace("Escape", "Esc");
}

function isEditable(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement ||
      (target instanceof HTMLInputElement && !["checkbox", "radio", "button"].includes(target.type)))
  );
}
