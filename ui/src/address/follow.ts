// Lets plain links change the screen without a new page, unless the reader wants another tab.

import { address } from "./address.svelte.ts";

export function followLinks(event: MouseEvent): void {
  if (
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  ) {
    return;
  }
  const link = (event.target as Element | null)?.closest?.("a[data-screen]");
  if (!(link instanceof HTMLAnchorElement) || link.origin !== location.origin) return;
  event.preventDefault();
  address.open(link.pathname + link.search);
}
