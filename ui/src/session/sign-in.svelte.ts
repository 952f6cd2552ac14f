// Whether the session still counts. When it ends, calls wait here until the person has signed in again in another tab;
// nothing on the screen is lost.

import { renewShell } from "./shell.ts";

class SignIn {
  ended = $state(false);
  /** Told when somebody tried to go on and the session still does not count. */
  stillOut = $state(false);
  #waiting: ((isBack: boolean) => void)[] = [];

  /** Waits until somebody is signed in again; false if they gave up. */
  async back(): Promise<boolean> {
    this.ended = true;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async tryAgain(): Promise<void> {
    const isBack = await renewShell().catch(() => false);
    this.stillOut = !isBack;
    if (isBack) this.#finish(true);
  }

  giveUp(): void {
    this.#finish(false);
  }

  #finish(isBack: boolean): void {
    this.ended = false;
    this.stillOut = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(isBack);
  }
}

export const signIn = new SignIn();
