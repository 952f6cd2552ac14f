// What could be written next, asked of the service, which knows the fields at the place. Answers are kept for the same
// beginning, so that fast typing asks once.

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { complete } from "../api/query-text.ts";

const TYPES: Record<string, string> = {
  dataset: "namespace",
  field: "property",
  function: "function",
  aggregate: "method",
  operator: "keyword",
  keyword: "keyword",
  value: "text",
  type: "type",
  snippet: "constant",
};

export async function completions(context: CompletionContext): Promise<CompletionResult | null> {
  const before = context.state.sliceDoc(0, context.pos);
  // Nobody wants a list while typing a number, and values of fields cost a query.
  if (!context.explicit && (/(^|[\s(=<>,])\d+$/.test(before) || before.trim() === "")) return null;
  await new Promise((resolve) => setTimeout(resolve, context.explicit ? 0 : 120));
  if (context.aborted) return null;
  const abort = new AbortController();
  context.addEventListener("abort", () => abort.abort());
  try {
    const { replace, items } = await complete(context.state.doc.toString(), context.pos, abort.signal);
    if (items.length === 0) return null;
    const options: Completion[] = items.map((item, index) => ({
      label: item.insert,
      displayLabel: item.label,
      detail: item.kind === "function" || item.kind === "aggregate" || item.kind === "operator" ? "" : item.detail,
      info: [item.detail, item.doc].filter(Boolean).join("\n") || undefined,
      type: TYPES[item.kind] ?? "text",
      boost: -Math.min(99, index),
    }));
    // The service has ordered and filtered already; one word further it may know better.
    return { from: replace.offset, to: context.pos, options, filter: false };
  } catch {
    return null;
  }
}
