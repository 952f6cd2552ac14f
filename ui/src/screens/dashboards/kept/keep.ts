// Keeps the answers of all panels of a dashboard, each as an answer of its own, one after another so that a large dashboard
// does not take the service for itself.

import { freeze } from "../../../api/answers.ts";
import type { Document } from "../../../api/dashboards.ts";
import { asApiError } from "../../../api/errors.ts";
import { fixed, type Moments } from "../../../time/range.ts";
import type { Question } from "../board-run.svelte.ts";
import { kindName } from "../document.ts";
import { EMPTY, PREFIX } from "../filters.svelte.ts";
import { earlier } from "../period.ts";
import { inlined } from "../variables.ts";
import type { KeptChart } from "./link.ts";

interface Stretch {
  start: string;
  end: string;
}

/** What a panel asked, with the values of its filters written into it. */
export interface ToKeep extends Stretch {
  place: number;
  name: string;
  apl: string;
  /** The period that it is compared with. */
  before: Stretch | null;
}

/** A dashboard as it is shown, for a link to its numbers. */
export interface ToShare {
  document: Document;
  version: number;
  against: string;
  questions: Question[];
  values: ReadonlyMap<string, string>;
  /** Of the dashboard, and of a panel. */
  moments: Moments;
  momentsOf: (question: Question) => Moments | null;
}

/** What panels would be kept, each over the moments that it shows. */
export function panelsToKeep({ document: { charts }, questions, values, momentsOf }: ToShare): ToKeep[] {
  return questions.flatMap((question) => {
    const place = charts.findIndex(({ id }) => id === question.id);
    const [chart, moments] = [charts[place], momentsOf(question)];
    if (!chart || !moments) return [];
    return {
      place,
      name: chart.name || kindName(chart.type),
      apl: inlined(question.apl, values),
      ...fixed(moments),
      before: question.against > 0 ? fixed(earlier(moments, question.against)) : null,
    };
  });
}

/** What stands in the link beside the range and the answers. Filters that nobody touched are in it too. */
export function parametersToKeep({ version, against, values }: ToShare) {
  const filters = [...values].map(([id, value]) => [PREFIX + id, value || EMPTY]);
  return { ...Object.fromEntries(filters), version: String(version), against: against || "off" } as Record<
    string,
    string
  >;
}

export interface Keeping {
  kept: KeptChart[];
  /** Panels whose answer could not be kept, with the reason. */
  failed: { name: string; why: string }[];
}

export async function keepAnswers(panels: ToKeep[], told: (done: number) => void): Promise<Keeping> {
  const keeping: Keeping = { kept: [], failed: [] };
  for (const [done, { place, name, apl, start, end, before }] of panels.entries()) {
    told(done);
    try {
      const answer = await freeze(apl, start, end);
      const earlier = before ? await freeze(apl, before.start, before.end) : null;
      keeping.kept.push({ place, answer, earlier });
    } catch (reason) {
      keeping.failed.push({ name, why: asApiError(reason).message });
    }
  }
  return keeping;
}
