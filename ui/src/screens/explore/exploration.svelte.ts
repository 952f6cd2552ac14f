// What Explore is at: the text that is being written, what was asked last, and everything that was answered to it. The
// address holds what a colleague needs to see the same; this follows it.

import { address } from "../../address/address.svelte.ts";
import { type FrozenAnswer, frozen } from "../../api/answers.ts";
import { nowMs } from "../../api/clock.ts";
import { remember } from "../../api/history.ts";
import type { Field, QueryAnswer, Table } from "../../api/query.ts";
import { condition, spanCondition, withFilter } from "../../apl/filters.ts";
import { fieldName } from "../../apl/names.ts";
import { baseOf, datasetOf, leading, listsEvents, namesItsFields, takeApart, withStage } from "../../apl/stages.ts";
import { announce } from "../../frame/announce.svelte.ts";
import { catalogue } from "../../session/catalogue.svelte.ts";
import { leftOut } from "../../session/hidden-fields.ts";
import { range } from "../../session/range.svelte.ts";
import { type Column, defaultColumns, levelField, readColumns, SUMMARY, writeColumns } from "../../table/columns.ts";
import { type Anchor, EventPages, PAGE } from "../../table/event-pages.svelte.ts";
import { CURSOR, type RowSource } from "../../table/rows.ts";
import { type Order, WholeTable } from "../../table/whole-table.svelte.ts";
import { writeTime } from "../../time/nanoseconds.ts";
import { fixed, type Moments, resolveRange } from "../../time/range.ts";
import { grouped } from "../../values/show.ts";
import type { Value } from "../../values/value.ts";
import { type Counted, HistogramState } from "./histogram.svelte.ts";
import { QueryRun } from "./run.svelte.ts";

/** What was asked: one text over one range of two moments, which all parts of the screen share. */
export interface Asked {
  apl: string;
  base: string;
  dataset: string | null;
  moments: Moments;
  startTime: string;
  endTime: string;
  isEvents: boolean;
}

export type Tab = "events" | "chart" | "patterns" | "compare" | "explain";

export class Exploration {
  text = $state("");
  asked = $state.raw<Asked | null>(null);
  rows = $state.raw<RowSource | null>(null);
  /** The text that the rows answer: that of an earlier question while the last one has no answer. */
  shownApl = $state<string | null>(null);
  selected = $state.raw<{ start: bigint; end: bigint } | null>(null);
  rangeIsWrong = $state(false);
  /** Whether somebody reads in the rows: something is open, searched for or scrolled to. */
  rowsAreRead = $state(false);
  readonly isRead = $derived(this.rowsAreRead || this.selected !== null);
  /** The answer of a link that keeps it as it was, while it is shown. */
  frozen = $state.raw<FrozenAnswer | null>(null);
  readonly run = new QueryRun();
  readonly histogram = new HistogramState();
  #counting = "";
  /** The rows that a run has shown before it was done. */
  #part: RowSource | null = null;

  readonly table = $derived.by((): Table | null => this.run.answer?.tables[0] ?? null);
  readonly totals = $derived.by(
    (): Table | null => this.run.answer?.tables.find(({ name }) => name === "_totals") ?? null,
  );
  readonly dataset = $derived(datasetOf(this.text));
  readonly fields = $derived.by((): Field[] => {
    const known = this.dataset ? catalogue.fields.get(this.dataset) : undefined;
    return known ?? this.rows?.fields ?? [];
  });
  /** Those that lists show. */
  readonly listed = $derived.by((): Field[] => {
    const out = leftOut(this.dataset);
    return out.size === 0 ? this.fields : this.fields.filter(({ name }) => !out.has(name));
  });
  /** Fields that the rows have and the usual columns do not: what a query names is meant to be seen. */
  readonly leftOutOfRows = $derived.by((): ReadonlySet<string> => {
    const { asked } = this;
    return asked?.isEvents && !namesItsFields(asked.apl) ? leftOut(asked.dataset) : new Set();
  });
  readonly tab = $derived.by((): Tab => {
    const wanted = address.get("tab") as Tab | null;
    if (wanted) return wanted;
    return this.asked && !this.asked.isEvents ? "chart" : "events";
  });
  readonly columns = $derived.by((): Column[] => {
    const fields = this.rows?.fields ?? [];
    const chosen = address.get("cols");
    if (chosen) return readColumns(chosen, fields);
    return defaultColumns(fields, this.asked?.isEvents ?? true, this.leftOutOfRows);
  });
  readonly split = $derived.by((): string => {
    const wanted = address.get("split");
    if (wanted !== null) return wanted === "-" ? "" : wanted;
    return levelField(this.listed) ?? "";
  });
  readonly against = $derived(address.get("against") ?? "");
  /** How far the period to compare with lies, in nanoseconds; null without one. */
  readonly back = $derived.by((): bigint | null => {
    if (this.against === "" || !this.asked) return null;
    const { start, end } = this.asked.moments;
    return this.against === "period" ? end - start : BigInt(Number(this.against) || 0) * 3_600_000_000_000n;
  });
  readonly order = $derived.by((): Order | null => {
    const found = /^(-?)(.+)$/.exec(address.get("sort") ?? "");
    return found ? { field: found[2]!, desc: found[1] === "-" } : null;
  });

  /** Asks what the address says. */
  async follow(apl: string): Promise<void> {
    this.text = apl;
    await this.#ask(apl, true);
  }

  /** Asks the same once more, at the time that is now; what is being written stays. */
  async again(): Promise<void> {
    if (this.asked) await this.#ask(this.asked.apl, false);
  }

  async #ask(apl: string, isNew: boolean): Promise<void> {
    this.frozen = null;
    const moments = resolveRange(range.current, nowMs());
    this.rangeIsWrong = moments === null;
    if (!moments) return;
    const asked: Asked = {
      apl,
      base: baseOf(apl),
      dataset: datasetOf(apl),
      moments,
      startTime: writeTime(moments.start),
      endTime: writeTime(moments.end),
      isEvents: listsEvents(apl),
    };
    this.asked = asked;
    this.selected = null;
    this.#counting = "";
    this.#part = null;
    void this.count();
    const request = {
      apl,
      startTime: asked.startTime,
      endTime: asked.endTime,
      defaultLimit: PAGE,
      includeCursorField: true,
    };
    const onPartial = (partial: QueryAnswer) => {
      // A part would take away what a refresh has to replace.
      if (isNew && this.asked === asked) this.#showPart(asked, partial);
    };
    const answer = await this.run.start(request, isNew, onPartial);
    if (!answer) return;
    this.#show(asked, answer);
    if (isNew)
      remember({ dataset: asked.dataset ?? "", apl, startTime: range.current.start, endTime: range.current.end });
  }

  /** Shows an answer as it was when somebody kept it. */
  async showFrozen(id: string): Promise<void> {
    const kept = await frozen(id);
    const moments = resolveRange({ start: kept.startTime, end: kept.endTime }, nowMs());
    if (!moments) return;
    this.text = kept.apl;
    this.asked = {
      apl: kept.apl,
      base: baseOf(kept.apl),
      dataset: datasetOf(kept.apl),
      moments,
      startTime: kept.startTime,
      endTime: kept.endTime,
      isEvents: listsEvents(kept.apl),
    };
    this.run.answer = kept.answer;
    this.frozen = kept;
    this.shownApl = kept.apl;
    const table = kept.answer.tables[0];
    this.rows = table ? new WholeTable(table, null) : null;
  }

  /** Runs what stands in the editor. */
  ask(): void {
    const apl = this.text.trim();
    if (apl === "") return;
    if (apl === address.get("q")) void this.follow(apl);
    else this.change(apl);
  }

  /** Puts another text into the address, from where it is asked. */
  change(apl: string): void {
    const keepsShape = listsEvents(apl) === this.asked?.isEvents;
    this.text = apl;
    address.change({
      q: apl,
      cols: keepsShape ? address.get("cols") : null,
      sort: null,
      tab: keepsShape ? address.get("tab") : null,
      open: null,
    });
  }

  /** Counts over time again, when the text, the range or the field to split by changed. */
  async count(): Promise<void> {
    const asked = this.asked;
    if (!asked) return;
    // What is written into the query itself has no times to count by.
    if (/^(print|datatable|externaldata|range)\b/.test(takeApart(asked.apl).source)) {
      this.#counting = "";
      this.histogram.clear();
      return;
    }
    const split = this.split
      ? { name: this.split, type: this.fields.find(({ name }) => name === this.split)?.type ?? "" }
      : null;
    const back = this.back;
    const wanted = [asked.base, asked.startTime, asked.endTime, this.split, this.against].join("\u0000");
    if (wanted === this.#counting && this.histogram.error === null) return;
    this.#counting = wanted;
    const counted = await this.histogram.load(asked.base, asked.moments, split, back, asked.dataset);
    if (counted && this.asked === asked) this.#tellRows(counted);
  }

  /** Counts once more, also where nothing of the question changed. */
  async recount(): Promise<void> {
    this.#counting = "";
    await this.count();
  }

  /** A click on a value: writes a stage that can be read and removed. */
  filter(field: string, value: Value, type: string, keeps: boolean): void {
    const known = type || this.typeOf(field);
    const wanted = spanCondition(field, value, known, keeps) ?? condition(field, value, known, keeps);
    if (wanted === null) return;
    const isComputed = this.table?.fields.find(({ name }) => name === field)?.agg !== undefined;
    this.change(isComputed ? withStage(this.text, `where ${wanted}`) : withFilter(this.text, wanted));
    announce.say(`Filter added: ${wanted}`);
  }

  /** Counts over time for each value of a field. */
  group(field: string): void {
    this.change(
      `${baseOf(this.text)}${this.text.includes("\n") ? "\n" : " "}| summarize count() by bin_auto(_time), ${fieldName(field)}`,
    );
  }

  sort(field: string, desc: boolean): void {
    if (!this.asked?.isEvents) {
      address.change({ sort: `${desc ? "-" : ""}${field}` });
      return;
    }
    const query = takeApart(this.text);
    const last = query.stages.findLastIndex(({ word }) => word === "sort" || word === "order");
    const cleared =
      last >= 0
        ? this.text.slice(0, query.stages[last]!.start).trimEnd() + this.text.slice(query.stages[last]!.end)
        : this.text;
    this.change(
      withStage(
        cleared.trimEnd(),
        `sort by ${fieldName(field)} ${desc ? "desc" : "asc"}`,
        leading(takeApart(cleared.trimEnd())),
      ),
    );
  }

  setColumns(columns: Column[]): void {
    address.change({ cols: writeColumns(columns) }, { replace: true });
  }

  addColumn(field: string): void {
    if (this.columns.some((column) => column.field === field)) return;
    const [added] = readColumns(encodeURIComponent(field), this.rows?.fields ?? []);
    const rest = this.columns.findIndex((column) => column.field === SUMMARY);
    const next = [...this.columns];
    next.splice(rest < 0 ? next.length : rest, 0, added!);
    this.setColumns(next);
  }

  zoom(start: bigint, end: bigint): void {
    this.selected = null;
    range.choose(fixed({ start, end }));
  }

  typeOf(field: string): string {
    return this.fields.find(({ name }) => name === field)?.type ?? "";
  }

  end(): void {
    this.run.cancel();
    if (this.rows instanceof EventPages) this.rows.end();
  }

  /** The newest part of a long range, until the whole is there. */
  #showPart(asked: Asked, answer: QueryAnswer): void {
    const table = answer.tables[0];
    if (!table || (table.columns[0]?.length ?? 0) === 0) return;
    if (this.rows instanceof EventPages) this.rows.end();
    const before = this.#part;
    this.shownApl = asked.apl;
    this.rows = this.#part = new WholeTable(table, asked.isEvents ? null : this.order, before);
  }

  #show(asked: Asked, answer: QueryAnswer): void {
    const table = answer.tables[0];
    const part = this.#part;
    this.#part = null;
    this.shownApl = asked.apl;
    if (this.rows instanceof EventPages) this.rows.end();
    if (!table) {
      this.rows = null;
      return;
    }
    const isPaged =
      asked.isEvents && table.fields.some(({ name }) => name === CURSOR) && isByTime(table) && !hasLimit(asked.apl);
    if (isPaged) {
      const rest = takeApart(asked.apl).stages.slice(leading(takeApart(asked.apl)));
      const canJump = table.order[0]?.desc === true && rest.every(({ word }) => word.startsWith("project"));
      const request = { apl: asked.apl, startTime: asked.startTime, endTime: asked.endTime, includeCursorField: true };
      this.rows = new EventPages(request, canJump ? `${asked.base}\n| project _time` : null, table, part);
      const counted = this.histogram.counted;
      if (counted?.moments === asked.moments) this.#tellRows(counted);
    } else this.rows = new WholeTable(table, asked.isEvents ? null : this.order, part);
    announce.say(`${grouped(answer.status.rowsMatched)} rows match`);
  }

  /** Puts a whole table into the order of the address. */
  reorder(): void {
    if (this.table && this.asked && !this.asked.isEvents) this.rows = new WholeTable(this.table, this.order);
  }

  #tellRows(counted: Counted): void {
    if (!(this.rows instanceof EventPages)) return;
    const anchors: Anchor[] = [];
    let before = 0;
    for (const bucket of [...counted.buckets].reverse()) {
      const end = bucket.start + counted.size;
      if (before > 0 && end < counted.moments.end) anchors.push({ before, end: writeTime(end) });
      before += bucket.total;
    }
    this.rows.count(counted.total, anchors);
  }
}

function isByTime(table: Table): boolean {
  return table.order.length === 1 && table.order[0]?.field === "_time";
}

function hasLimit(apl: string): boolean {
  return takeApart(apl).stages.some(({ word }) => ["take", "limit", "top", "sample"].includes(word));
}
