// What the palette finds for some letters: entries that have all the words, those first whose own name begins with them.

export interface Entry {
  id: string;
  /** How it stands in the list. */
  name: string;
  /** The name of what it leads to. */
  title: string;
  hint: string;
  run: () => void;
}

export function matching(entries: Entry[], typed: string, most: number): Entry[] {
  const letters = typed.trim().toLowerCase();
  const words = letters.split(/\s+/).filter(Boolean);
  const fitting = entries.filter(({ name, hint }) => {
    const text = `${name} ${hint}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  if (words.length === 0) return fitting.slice(0, most);
  const turn = ({ title }: Entry) => (title.toLowerCase().startsWith(letters) ? 0 : 1);
  return fitting.sort((a, b) => turn(a) - turn(b)).slice(0, most);
}
