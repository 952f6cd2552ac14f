// What the page came with: the token that proves its calls to be its own, the nonce for the editor's styles, and which
// of the routes that not every service has are there.

/** Routes and answers that a service may lack. The shell names those that it has. */
export type Extra =
  | "done-event"
  | "partial-answers"
  | "estimate"
  | "tail"
  | "field-statistics"
  | "history-list"
  | "preferences"
  | "capabilities"
  | "exports"
  | "answers"
  | "demo-events"
  | "monitor-states"
  | "token-usage"
  | "org-usage";

interface Shell {
  formToken: string;
  readonly styleNonce: string;
  readonly extras: ReadonlySet<string>;
}

export const shell: Shell = {
  formToken: content("tidegauge-form-token"),
  styleNonce: content("tidegauge-style-nonce"),
  extras: new Set(content("tidegauge-routes").split(/\s+/).filter(Boolean)),
};

export function has(extra: Extra): boolean {
  return shell.extras.has(extra);
}

/** Takes the token of a session that began after the page was loaded. False if nobody is signed in. */
export async function renewShell(): Promise<boolean> {
  const answer = await fetch("/", { redirect: "manual", cache: "no-store", headers: { accept: "text/html" } });
  if (!answer.ok) return false;
  const found = /<meta name="tidegauge-form-token" content="([^"]*)"/.exec(await answer.text());
  if (!found?.[1]) return false;
  shell.formToken = found[1];
  return true;
}

function content(name: string): string {
  if (typeof document === "undefined") return "";
  const text = document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";
  // A page that no service has filled in yet, as in development.
  return text.startsWith("{{") ? "" : text;
}
