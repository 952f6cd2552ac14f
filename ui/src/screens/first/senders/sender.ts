// What a way to send events is: where it is told what to do, with this service's address, a dataset and a token.

/** Where events go. */
export interface Target {
  /** Address of the service, as the page was opened by. */
  origin: string;
  dataset: string;
  token: string;
  /** Id of the endpoint that a listener belongs to, for senders that do not speak HTTP. */
  endpoint: string;
}

/** A text to copy: a command, or a part of a file. */
export interface Part {
  /** The file it belongs into, or empty for a command. */
  file: string;
  text: string;
}

/** One of several ways to tell a sender where to send. */
export interface Way {
  id: string;
  name: string;
  parts: Part[];
  /** What there is to know, in a sentence. */
  note?: string;
}

export interface Sender extends Way {
  group: "Programs" | "Collectors and shippers" | "Other services" | "Over a listener";
  /** Senders with a listener need an endpoint of this kind and no token. */
  listener?: "syslog" | "fluent" | "gelf";
}

export function ingestPath({ dataset }: Target): string {
  return `/v1/ingest/${encodeURIComponent(dataset)}`;
}

/** Name and port as senders want them apart. */
export function hostOf({ origin }: Pick<Target, "origin">): {
  name: string;
  port: string;
  isTls: boolean;
  both: string;
} {
  const address = new URL(origin);
  const isTls = address.protocol === "https:";
  const port = address.port || (isTls ? "443" : "80");
  return { name: address.hostname, port, isTls, both: `${address.hostname}:${port}` };
}

/** A word of a shell. */
export function shellWord(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
