// Whether the fields are shown: by taste where there is room, and on a narrow window only when they are asked for, because
// they would stand before the events.

import { MediaQuery } from "svelte/reactivity";
import { preferences } from "../../session/preferences.svelte.ts";

class FieldsOpen {
  readonly #narrow = new MediaQuery("max-width: 640px");
  #wanted = $state(false);

  get isOpen(): boolean {
    return this.#narrow.current ? this.#wanted : preferences.fieldsOpen;
  }

  toggle(): void {
    if (this.#narrow.current) this.#wanted = !this.#wanted;
    else preferences.set("fieldsOpen", !preferences.fieldsOpen);
  }
}

export const fields = new FieldsOpen();
