// Where traces are in a browser, and what is drawn of one.

export const RANGE = { from: "now-2h", to: "now" };
export const at = (service, parameters = {}) =>
  `${service.address}/traces?${new URLSearchParams({ ...RANGE, ...parameters })}`;
/** The number of the trace with so many spans. */
export const LARGE = 1;
export const SPANS = 5000;

/** What is drawn of the tree, as a person sees it. */
export const rows = (page) =>
  page.locator(".waterfall .row").evaluateAll((all) =>
    all.map((row) => ({
      text: row.querySelector(".name")?.textContent?.trim(),
      level: Number(row.getAttribute("aria-level")),
      y: row.getBoundingClientRect().y,
    })),
  );
