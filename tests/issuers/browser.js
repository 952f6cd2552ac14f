// A person with a browser, as far as signing in needs one: cookies, redirects, and forms that are filled in.

export class Browser {
  #cookies = new Map();

  async #ask(url, options = {}) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { ...options, redirect: "manual", headers: { ...options.headers, cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [name, ...value] = line.split(";")[0].split("=");
      this.#cookies.set(name, value.join("="));
    }
    return answer;
  }

  // Opens an address and does what the pages ask until one of them is not a form, or the way leads to `end`.
  async signIn(url, login, end) {
    let answer = await this.#ask(url);
    for (let step = 0; step < 20; step += 1) {
      const target = answer.headers.get("location");
      if (target) {
        url = new URL(target, url);
        if (end && url.href.startsWith(end)) return url;
        answer = await this.#ask(url);
        continue;
      }
      const page = await answer.text();
      const form = page.match(/<form[^>]*action="([^"]+)"/);
      if (!answer.ok || !form) return page;
      url = new URL(form[1].replaceAll("&amp;", "&"), url);
      const fields = new URLSearchParams();
      for (const [input] of page.matchAll(/<input[^>]*>/g)) {
        const name = input.match(/name="([^"]*)"/)?.[1];
        if (name) fields.set(name, input.match(/value="([^"]*)"/)?.[1] ?? { login, password: "any" }[name] ?? "");
      }
      answer = await this.#ask(url, { method: "POST", body: fields });
    }
    throw new Error(`signing in does not end: ${url}`);
  }
}
