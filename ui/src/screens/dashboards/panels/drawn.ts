// What every panel that shows an answer is given.

import type { Annotation } from "../../../api/annotations.ts";
import type { Chart } from "../../../api/dashboards.ts";
import type { QueryAnswer } from "../../../api/query.ts";
import type { Moments } from "../../../time/range.ts";

export interface Drawn {
  chart: Chart;
  answer: QueryAnswer;
  /** The answer over the earlier period, where one is compared with. */
  earlier: QueryAnswer | null;
  /** How many seconds earlier it is. */
  shift: number;
  moments: Moments | null;
  /** The moments that somebody marked, of all datasets. */
  marked: Annotation[];
  /** Charts with the same name show one cross-hair. */
  crosshair: string;
  onrange?: (from: number, to: number) => void;
}
