// The address of the page as state: which screen, and what a colleague needs to see the same. Every change that means
// something is a step that the back button undoes.

export type Parameters = Record<string, string | null | undefined>;

class Address {
  #path = $state("/explore");
  #search = $state.raw(new URLSearchParams());

  begin(): void {
    this.#read();
    addEventListener("popstate", () => this.#read());
  }

  get path(): string {
    return this.#path;
  }

  get(name: string): string | null {
    return this.#search.get(name);
  }

  /** The address of a screen, for links. What all screens share goes along. */
  link(path: string, parameters: Parameters = {}): string {
    const search = new URLSearchParams();
    for (const name of ["org", "from", "to"]) {
      const value = this.#search.get(name);
      if (value !== null && !(name in parameters)) search.set(name, value);
    }
    for (const [name, value] of Object.entries(parameters)) if (value) search.set(name, value);
    const text = search.toString();
    return text ? `${path}?${text}` : path;
  }

  go(path: string, parameters: Parameters = {}): void {
    this.open(this.link(path, parameters));
  }

  /** Goes to an address of this interface as a link has it. */
  open(link: string): void {
    history.pushState(null, "", link);
    this.#read();
  }

  /** Changes some parameters of this screen; null takes one away. `replace` makes no new step. */
  change(parameters: Parameters, { replace = false } = {}): void {
    const search = new URLSearchParams(this.#search);
    for (const [name, value] of Object.entries(parameters)) {
      if (value === null || value === undefined || value === "") search.delete(name);
      else search.set(name, value);
    }
    const text = search.toString();
    if (text === this.#search.toString()) return;
    const address = text ? `${this.#path}?${text}` : this.#path;
    if (replace) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    this.#read();
  }

  #read(): void {
    this.#path = location.pathname === "/" ? "/explore" : location.pathname;
    this.#search = new URLSearchParams(location.search);
  }
}

export const address = new Address();
