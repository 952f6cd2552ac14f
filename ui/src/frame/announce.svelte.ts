// Tells readers of screens what changed, and everybody in a short line that goes away by itself.

class Announcements {
  spoken = $state("");
  shown = $state<{ text: string; kind: "good" | "bad" | "plain" } | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** For assistive technology alone. */
  say(text: string): void {
    this.spoken = text;
  }

  show(text: string, kind: "good" | "bad" | "plain" = "plain"): void {
    this.shown = { text, kind };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.shown = null;
    }, 5000);
  }
}

export const announce = new Announcements();
