// From a shell and from programs: the ingest route as it is.

import { hostOf, ingestPath, type Sender, shellWord, type Target } from "./sender.ts";

export function programs(to: Target): Sender[] {
  const { origin, dataset, token } = to;
  const address = `${origin}/v1/datasets/${encodeURIComponent(dataset)}/ingest`;
  const group = "Programs" as const;
  return [
    {
      id: "curl",
      name: "curl",
      group,
      parts: [
        {
          file: "",
          text: `curl -X POST '${address}' \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: application/json' \\
  -d '[{"level": "info", "message": "hello from curl", "took_ms": 12}]'`,
        },
      ],
    },
    {
      id: "cli",
      name: "tidegauge",
      group,
      parts: [
        {
          file: "",
          text: `export TIDEGAUGE_URL=${origin} TIDEGAUGE_TOKEN=${token}
tail -n 100 -F /var/log/syslog | tidegauge ingest ${shellWord(dataset)} - --format lines`,
        },
      ],
      note: "Reads JSON, NDJSON, CSV and lines of text, from files or from another command.",
    },
    {
      id: "python",
      name: "Python",
      group,
      parts: [
        {
          file: "send.py",
          text: `import json, urllib.request

request = urllib.request.Request(
    "${address}",
    data=json.dumps([{"level": "info", "message": "hello from Python"}]).encode(),
    headers={"Authorization": "Bearer ${token}", "Content-Type": "application/json"},
)
print(urllib.request.urlopen(request).read().decode())`,
        },
      ],
      note: "Nothing to install. The official client of the public service works too, with this address.",
    },
    {
      id: "js",
      name: "JavaScript",
      group,
      parts: [
        {
          file: "send.mjs",
          text: `await fetch("${address}", {
  method: "POST",
  headers: { "Authorization": "Bearer ${token}", "Content-Type": "application/json" },
  body: JSON.stringify([{ level: "info", message: "hello from JavaScript" }]),
});`,
        },
      ],
    },
    {
      id: "opentelemetry-sdk",
      name: "OpenTelemetry SDK",
      group,
      parts: [
        {
          file: "",
          text: `export OTEL_EXPORTER_OTLP_ENDPOINT=${origin}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${token},X-Tidegauge-Dataset=${encodeURIComponent(dataset)}"`,
        },
      ],
      note: "Logs, traces and metrics, for every language. gRPC comes to the same port.",
    },
    {
      id: "pino",
      name: "pino",
      group,
      parts: [
        { file: "", text: "npm install pino pino-elasticsearch" },
        {
          file: "logger.mjs",
          text: `import pino from "pino";
import pinoElasticsearch from "pino-elasticsearch";

const stream = pinoElasticsearch({
  node: "${origin}",
  index: "${dataset}",
  auth: { apiKey: "${token}" },
  flushInterval: 1000,
});
export const logger = pino({ messageKey: "message" }, stream);
logger.info("hello from pino");`,
        },
      ],
      note: "Events are sent in batches, at the latest after the milliseconds of flushInterval.",
    },
    {
      id: "winston",
      name: "winston",
      group,
      parts: [
        { file: "", text: "npm install winston winston-splunk-httplogger" },
        {
          file: "logger.mjs",
          text: `import winston from "winston";
import SplunkTransport from "winston-splunk-httplogger";

const transport = new SplunkTransport({ splunk: { token: "${token}", url: "${origin}", index: "${dataset}" } });
export const logger = winston.createLogger({ transports: [transport] });
logger.info("hello from winston");`,
        },
      ],
      note: "What still waits when the logger is ended is lost, so let the program end by itself.",
    },
    {
      id: "journald",
      name: "journald",
      group,
      parts: [
        {
          file: "",
          text: `systemd-journal-upload --url="${hostOf(to).isTls ? "https" : "http"}://x:${token}@${hostOf(to).both}${ingestPath(to)}/journald"`,
        },
      ],
      note: "The first upload is the whole journal; later ones are what came since.",
    },
  ];
}
