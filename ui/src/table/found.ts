// Finds words in texts, without regard to case.

export interface Part {
  text: string;
  isFound: boolean;
}

export function parts(text: string, wanted: string): Part[] {
  if (wanted === "") return [{ text, isFound: false }];
  const lower = text.toLowerCase();
  const word = wanted.toLowerCase();
  const cut: Part[] = [];
  let from = 0;
  for (let at = lower.indexOf(word); at >= 0 && cut.length < 200; at = lower.indexOf(word, from)) {
    if (at > from) cut.push({ text: text.slice(from, at), isFound: false });
    cut.push({ text: text.slice(at, at + word.length), isFound: true });
    from = at + word.length;
  }
  if (from < text.length) cut.push({ text: text.slice(from), isFound: false });
  return cut;
}
