// The rows of a list by keys: one stop for Tab, arrows or j and k from row to row, Enter opens one, Delete asks for its
// deletion, the right arrow or the menu key goes to what can be done with it, Esc comes back. To be attached to a `tbody`.
// What Enter and Delete press is marked in the row by `data-open` and `data-delete`.

import { keys } from "../frame/keys.ts";

const CONTROLS = "a[href], button, select, input, textarea";

export function rowsByKeys(list: HTMLElement): () => void {
  let current: HTMLElement | null = null;
  let place = 0;
  let hadFocus = false;
  /** Controls that were taken out of the order of Tab here, and by nobody else. */
  const resting = new WeakSet<HTMLElement>();

  const rows = () => [...list.children].filter((row): row is HTMLElement => row instanceof HTMLElement);
  const controls = (row: HTMLElement) =>
    [...row.querySelectorAll<HTMLElement>(CONTROLS)].filter((control) => !control.matches(":disabled"));

  /** One row can be reached by Tab, with what is in it. */
  function settle() {
    const all = rows();
    if (!current || !all.includes(current)) current = all[Math.min(place, all.length - 1)] ?? null;
    place = current ? all.indexOf(current) : 0;
    for (const row of all) {
      row.tabIndex = row === current ? 0 : -1;
      for (const control of row.querySelectorAll<HTMLElement>(CONTROLS)) {
        if (row === current && resting.delete(control)) control.removeAttribute("tabindex");
        else if (row !== current && !control.hasAttribute("tabindex")) {
          resting.add(control);
          control.tabIndex = -1;
        }
      }
    }
  }

  function changed() {
    settle();
    // Where the row went that was worked with, the one in its place is next.
    if (hadFocus && document.activeElement === document.body && !document.querySelector("dialog[open]"))
      current?.focus();
  }

  function go(by: number) {
    const all = rows();
    if (!list.contains(document.activeElement)) return current?.focus();
    all[Math.max(0, Math.min(all.length - 1, place + by))]?.focus();
  }

  function step(row: HTMLElement, from: HTMLElement, by: 1 | -1) {
    const all = controls(row);
    const next = all.indexOf(from) + by;
    (next < 0 ? row : all[Math.min(next, all.length - 1)])?.focus();
  }

  function open(row: HTMLElement) {
    const wanted = row.querySelector<HTMLElement>("[data-open]") ?? controls(row)[0];
    if (wanted?.matches("select, input, textarea")) wanted.focus();
    else wanted?.click();
  }

  function pressed(event: KeyboardEvent) {
    const from = event.target;
    if (!(from instanceof HTMLElement) || event.altKey || event.ctrlKey || event.metaKey) return;
    const row = rows().find((one) => one.contains(from));
    // Fields and open menus have their own use for these keys.
    if (!row || row.querySelector('[aria-expanded="true"]')) return;
    const isField = from.matches("select, textarea, input:not([type=checkbox], [type=radio])");
    const does: Record<string, () => void> = {
      Escape: () => row.focus(),
      ...(isField
        ? {}
        : {
            ArrowDown: () => go(1),
            ArrowUp: () => go(-1),
            Home: () => go(-rows().length),
            End: () => go(rows().length),
            ArrowRight: () => step(row, from, 1),
            ArrowLeft: () => step(row, from, -1),
            Delete: () => row.querySelector<HTMLElement>("[data-delete]")?.click(),
            ContextMenu: () => (row.querySelector<HTMLElement>(".acts button, .acts a") ?? controls(row)[0])?.focus(),
          }),
      ...(from === row ? { Enter: () => open(row) } : {}),
    };
    const act = does[event.key === "F10" && event.shiftKey ? "ContextMenu" : event.key];
    if (!act || (event.key === "Escape" && from === row)) return;
    act();
    event.preventDefault();
  }

  function entered(event: FocusEvent) {
    const row = rows().find((one) => event.target instanceof Node && one.contains(event.target));
    hadFocus = true;
    if (!row || row === current) return;
    current = row;
    settle();
  }

  function left(event: FocusEvent) {
    // Nowhere means that the element has gone, or that a dialog comes.
    if (event.relatedTarget instanceof Node && !list.contains(event.relatedTarget)) hadFocus = false;
  }

  const observer = new MutationObserver(changed);
  observer.observe(list, { childList: true, subtree: true });
  list.addEventListener("keydown", pressed);
  list.addEventListener("focusin", entered);
  list.addEventListener("focusout", left);
  const forget = keys.add([
    { keys: "j", does: "Next row", run: () => go(1) },
    { keys: "k", does: "Row before", run: () => go(-1) },
  ]);
  settle();
  return () => {
    observer.disconnect();
    forget();
    list.removeEventListener("keydown", pressed);
    list.removeEventListener("focusin", entered);
    list.removeEventListener("focusout", left);
  };
}
