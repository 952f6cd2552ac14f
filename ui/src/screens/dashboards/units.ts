// How numbers of a panel are written: the unit of its chart, in the names that documents use, and its decimals.

import type { Chart } from "../../api/dashboards.ts";
import { bytes, grouped, short, took } from "../../values/show.ts";

/** The units that the editor offers. Others in a document are written behind the number. */
export const UNITS: { value: string; name: string }[] = [
  { value: "Auto", name: "None" },
  { value: "Abbreviated", name: "Short (1.2 k)" },
  { value: "Percent", name: "Percent (42 %)" },
  { value: "Percent100", name: "Share as percent (0.42 is 42 %)" },
  { value: "Byte", name: "Bytes" },
  { value: "TimeNS", name: "Nanoseconds" },
  { value: "TimeUS", name: "Microseconds" },
  { value: "TimeMS", name: "Milliseconds" },
  { value: "TimeSec", name: "Seconds" },
  { value: "Custom", name: "Your own word" },
];

/** Microseconds of one. */
const TIMES: Record<string, number> = { TimeNS: 0.001, TimeUS: 1, TimeMS: 1000, TimeSec: 1e6 };

export type Writer = (value: number) => string;

/** How numbers of a chart are written, exactly where there is room and short where there is not. */
export function writerOf(chart: Chart, isTight: boolean): Writer {
  const unit = typeof chart.unit === "string" ? chart.unit : "Auto";
  const word = typeof chart.customUnits === "string" ? chart.customUnits.slice(0, 40) : "";
  const decimals = typeof chart.decimals === "number" ? Math.max(0, Math.min(10, Math.round(chart.decimals))) : null;
  const plain = (value: number) => {
    if (decimals !== null) return grouped(Number(value.toFixed(decimals)));
    if (isTight || unit === "Abbreviated") return short(value);
    return grouped(Number.isInteger(value) ? value : Number(value.toPrecision(6)));
  };
  if (unit in TIMES)
    return (value) => (value < 0 ? `−${took(-value * TIMES[unit]!)}` : value === 0 ? "0" : took(value * TIMES[unit]!));
  if (/^bytes?$/i.test(unit)) return (value) => (value < 0 ? `−${bytes(-value)}` : bytes(Math.round(value)));
  if (unit === "Percent100") return (value) => `${plain(Number((value * 100).toPrecision(6)))} %`;
  if (/^percent/i.test(unit)) return (value) => `${plain(value)} %`;
  const behind = word || (unit === "Auto" || unit === "Abbreviated" || unit === "Custom" ? "" : unit.slice(0, 40));
  return (value) => (behind ? `${plain(value)} ${behind}` : plain(value));
}

export interface Limit {
  level: "warning" | "error";
  operator: string;
  value: number;
}

export const OPERATORS: { value: string; name: string; sign: string }[] = [
  { value: "Above", name: "above", sign: ">" },
  { value: "AboveOrEqual", name: "at least", sign: "≥" },
  { value: "Below", name: "below", sign: "<" },
  { value: "BelowOrEqual", name: "at most", sign: "≤" },
];

/** The limits of a chart from which on its numbers are a warning or an error. */
export function limitsOf(chart: Chart): Limit[] {
  return (["warning", "error"] as const).flatMap((level) => {
    const operator = chart[`${level}Threshold`];
    const raw = chart[`${level}ThresholdValue`];
    const value = typeof raw === "number" || (typeof raw === "string" && raw.trim() !== "") ? Number(raw) : Number.NaN;
    if (operator === false || operator === null || operator === undefined || operator === "Off" || operator === "")
      return [];
    return Number.isFinite(value)
      ? [{ level, operator: typeof operator === "string" ? operator : "Above", value }]
      : [];
  });
}

/** The worst level that a number reaches. */
export function levelOf(value: number | null, limits: Limit[]): Limit["level"] | null {
  if (value === null) return null;
  const reached = limits.filter(({ operator, value: limit }) => {
    if (/^belowOrEqual/i.test(operator)) return value <= limit;
    if (/^below/i.test(operator)) return value < limit;
    return /OrEqual/i.test(operator) ? value >= limit : value > limit;
  });
  return reached.some(({ level }) => level === "error") ? "error" : (reached[0]?.level ?? null);
}
