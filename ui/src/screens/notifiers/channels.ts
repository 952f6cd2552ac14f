// The channels as the service knows them: their keys, their fields, and which of those are secrets. A notifier keeps the
// spelling that it was made with, by the product's word or the service's own.

import type { Fields, Notifier } from "../../api/notifiers.ts";

export type FieldKind = "text" | "url" | "emails" | "flag" | "headers" | "template";

export interface Field {
  /** By the service's own word, then by the product's. */
  names: [string, string];
  label: string;
  kind: FieldKind;
  isRequired: boolean;
  isSecret: boolean;
  hint?: string;
}

export interface Channel {
  keys: [string, string];
  name: string;
  fields: Field[];
  /** Whether its messages are signed. */
  isSigned: boolean;
}

interface Said {
  required?: boolean;
  secret?: boolean;
  hint?: string;
}

function field(names: string | [string, string], label: string, kind: FieldKind, said: Said = {}): Field {
  const { required = true, secret = false, hint } = said;
  const both: [string, string] = typeof names === "string" ? [names, names] : names;
  return { names: both, label, kind, isRequired: required, isSecret: secret, hint };
}

function channel(keys: string | [string, string], name: string, fields: Field[], isSigned = false): Channel {
  return { keys: typeof keys === "string" ? [keys, keys] : keys, name, fields, isSigned };
}

const BODY = '{\n  "text": "{{.Title}}: {{.Body}}",\n  "isOpen": {{eq .Action "Open"}}\n}';

/** Who has the address of such a webhook can write there, so it is as good as a password. */
const HOOK: Said = { secret: true, hint: "whoever has this address can write there" };

export const CHANNELS: Channel[] = [
  channel("email", "E-mail", [field("emails", "Addresses", "emails", { hint: "one on each line" })]),
  channel(["chatB", "slack"], "Slack", [
    field(["chatBUrl", "slackUrl"], "Address of the incoming webhook", "url", HOOK),
  ]),
  channel(["chatC", "microsoftTeams"], "Microsoft Teams", [
    field(["chatCUrl", "microsoftTeamsUrl"], "Address of the workflow", "url", HOOK),
  ]),
  channel(["chatA", "discord"], "Discord, by a bot", [
    field(["chatAChannel", "discordChannel"], "Id of the channel", "text"),
    field(["chatAToken", "discordToken"], "Token of the bot", "text", { secret: true }),
  ]),
  channel(["chatAWebhook", "discordWebhook"], "Discord, by a webhook", [
    field(["chatAWebhookUrl", "discordWebhookUrl"], "Address of the webhook", "url", HOOK),
  ]),
  channel(["incidentA", "opsgenie"], "Opsgenie", [
    field("apiKey", "API key", "text", { secret: true }),
    field("isEU", "The account is in Europe", "flag", { required: false }),
  ]),
  channel(["incidentB", "pagerduty"], "PagerDuty", [
    field("routingKey", "Routing key", "text", { secret: true }),
    field("token", "Token", "text", { required: false, secret: true, hint: "kept, and not used" }),
  ]),
  channel("webhook", "Webhook", [field("url", "Address", "url")], true),
  channel(
    "customWebhook",
    "Webhook with a body of your own",
    [
      field("url", "Address", "url"),
      field("body", "Body, a template", "template", { hint: "{{.Title}}, {{.Body}}, {{.Value}}, {{if …}}…{{end}}" }),
      field("headers", "Headers", "headers", { required: false, hint: "Name: value, one on each line" }),
      field("secretHeaders", "Headers that are secret", "headers", {
        required: false,
        secret: true,
        hint: "Name: value, one on each line",
      }),
    ],
    true,
  ),
];

/** What stands in the form: each field as text or as a flag. */
export type Typed = Record<string, string | boolean>;

export interface Found {
  channel: Channel;
  /** Which of the two spellings the notifier has. */
  spelling: 0 | 1;
  fields: Fields;
}

/** The channel of a notifier; null for one that this page does not know. */
export function channelOf({ properties }: Pick<Notifier, "properties">): Found | null {
  for (const [key, fields] of Object.entries(properties)) {
    const found = CHANNELS.find(({ keys }) => keys.includes(key));
    if (found) return { channel: found, spelling: found.keys[0] === key ? 0 : 1, fields: fields ?? {} };
  }
  return null;
}

/** What the form of a channel begins with. */
export function emptyOf(wanted: Channel): Typed {
  return Object.fromEntries(
    wanted.fields.map(({ names: [name], kind }) => [name, kind === "flag" ? false : kind === "template" ? BODY : ""]),
  );
}

/** What the form shows of a notifier that is there. */
export function typedOf({ channel: wanted, fields }: Found): Typed {
  const typed = emptyOf(wanted);
  for (const { names, kind } of wanted.fields) {
    const value = readFrom(fields, names);
    if (kind === "flag") typed[names[0]] = value === true;
    else if (kind === "emails") typed[names[0]] = Array.isArray(value) ? value.join("\n") : "";
    else if (kind === "headers") typed[names[0]] = headersText(value);
    else typed[names[0]] = typeof value === "string" ? value : "";
  }
  return typed;
}

/** Some channels take their fields in any case, and give them back as they came. */
function readFrom(fields: Fields, names: [string, string]): unknown {
  const wanted = names.map((name) => name.toLowerCase());
  return Object.entries(fields).find(([name]) => wanted.includes(name.toLowerCase()))?.[1];
}

function headersText(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([name, text]) => `${name}: ${String(text)}`)
    .join("\n");
}

/** The properties that are sent of what was typed. Fields that may be left out and are empty are. */
export function propertiesOf(wanted: Channel, typed: Typed, spelling: 0 | 1 = 0): Record<string, Fields> {
  const fields: Fields = {};
  for (const { names, kind, isRequired } of wanted.fields) {
    const value = typed[names[0]] ?? "";
    if (kind === "flag") fields[names[spelling]] = value === true;
    else if (kind === "emails") fields[names[spelling]] = lines(String(value));
    else if (kind === "headers") {
      const headers = headersOf(String(value));
      if (Object.keys(headers).length > 0) fields[names[spelling]] = headers;
    } else if (isRequired || value !== "") {
      fields[names[spelling]] = kind === "template" ? String(value) : String(value).trim();
    }
  }
  return { [wanted.keys[spelling]]: fields };
}

function lines(text: string): string[] {
  return text
    .split(/[\n,;]+/)
    .map((line) => line.trim())
    .filter(Boolean);
}

export function headersOf(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of text.split("\n")) {
    const found = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line);
    if (found) headers[found[1]!] = found[2]!;
  }
  return headers;
}

/** Which field a refusal is about, by the name that it has in the form: `properties.webhook.url in body …`. */
export function fieldProblem(message: string): { field: string; says: string } | null {
  const found = /^([\w.]+) in body (.+)$/.exec(message);
  if (!found) return null;
  const path = found[1]!.split(".");
  const wanted = CHANNELS.find(({ keys }) => keys.includes(path[1] ?? ""));
  const name = wanted?.fields.find(({ names }) =>
    names.some((known) => known.toLowerCase() === path[2]?.toLowerCase()),
  );
  return { field: name?.names[0] ?? path[0]!, says: found[2]! };
}
