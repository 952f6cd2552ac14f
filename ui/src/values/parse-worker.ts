// Reads large answers away from the thread that draws, so that the page stays quick while megabytes are taken apart.

import { parseExact } from "./exact-json.ts";

self.onmessage = (message: MessageEvent<{ id: number; text: string }>) => {
  const { id, text } = message.data;
  try {
    self.postMessage({ id, value: parseExact(text) });
  } catch (error) {
    self.postMessage({ id, problem: String(error) });
  }
};
