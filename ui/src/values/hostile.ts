// Makes characters visible that would change how their neighbours are read: marks that turn the direction of writing,
// characters without width, control characters. Names and values of events come from strangers.

const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** The text with each such character as its code in brackets, such as `⟨202E⟩`. */
export function visible(text: string): string {
  if (!HIDDEN.test(text)) return text;
  HIDDEN.lastIndex = 0;
  return text.replace(HIDDEN, (sign) => `⟨${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** An address that may be made a link of: http and https alone. */
export function linkOf(text: string): string | null {
  if (text.length > 2000 || !/^https?:\/\/[^\s"<>]+$/i.test(text)) return null;
  try {
    const address = new URL(text);
    return address.protocol === "http:" || address.protocol === "https:" ? address.href : null;
  } catch {
    return null;
  }
}
