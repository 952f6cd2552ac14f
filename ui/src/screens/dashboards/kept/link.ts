// A link to a dashboard as it was: which version of its document, and which kept answer belongs to which of its charts.

/** The answer of a chart, by the place of the chart in its document, with that of the earlier period if there is one. */
export interface KeptChart {
  place: number;
  answer: string;
  earlier: string | null;
}

export function writeKept(charts: KeptChart[]): string {
  return charts.map(({ place, answer, earlier }) => [place, answer, ...(earlier ? [earlier] : [])].join(".")).join(",");
}

/** What cannot be read is left out. */
export function readKept(text: string): KeptChart[] {
  return text.split(",").flatMap((part) => {
    const [, place, answer, earlier] = /^(\d{1,3})\.([\w-]{1,100})(?:\.([\w-]{1,100}))?$/.exec(part) ?? [];
    return place === undefined || answer === undefined
      ? []
      : [{ place: Number(place), answer, earlier: earlier ?? null }];
  });
}
