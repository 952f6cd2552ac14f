// How senders are told the address of an endpoint, by what they speak. The address is also what proves who sends, so that
// no token stands in any of these. What each does with a path in an address was tried with the sender itself where it
// could be had: some leave it out, and are not here.

import { hostOf, type Target, type Way } from "./sender.ts";
import { listeners } from "./services.ts";

/** Where events go that come by an endpoint. */
export interface Place {
  /** Address of the service, as the page was opened by. */
  origin: string;
  /** Address of the endpoint, with its secret. */
  url: string;
  dataset: string;
  id: string;
}

export function waysTo(kind: string, place: Place): Way[] {
  const target: Target = { origin: place.origin, dataset: place.dataset, token: "", endpoint: place.id };
  const overHttp = BY_KIND[kind]?.(place) ?? [];
  return [...overHttp, ...listeners(target).filter(({ listener }) => listener === kind)];
}

const command = (text: string) => ({ file: "", text });

function curl(address: string, body: string, type = "application/json"): Way {
  const text = `curl '${address}' \\\n  -H 'Content-Type: ${type}' \\\n  -d '${body}'`;
  return { id: "curl", name: "curl", parts: [command(text)], note: "Tries it out from a shell." };
}

/** With the port written: some senders take another one than that of HTTPS where there is none. */
function withPort(url: string): string {
  const { name, port } = hostOf({ origin: url });
  const { protocol, pathname } = new URL(url);
  return `${protocol}//${name}:${port}${pathname}`;
}

const BY_KIND: Record<string, (place: Place) => Way[]> = {
  ingest: ({ url }) => {
    const { name, port, isTls } = hostOf({ origin: url });
    const { pathname } = new URL(url);
    return [
      {
        id: "webhook",
        name: "A webhook",
        parts: [command(`Address:       ${url}\nMethod:        POST\nContent type:  application/json`)],
        note: "The body becomes an event, an array becomes one for each of its objects.",
      },
      curl(url, '[{"level": "info", "message": "hello from curl"}]'),
      {
        id: "vector",
        name: "Vector",
        parts: [
          {
            file: "vector.toml",
            text: `[sinks.tidegauge]
type = "http"
inputs = ["my_source"]
uri = "${url}"
encoding.codec = "json"
framing.method = "newline_delimited"
compression = "gzip"
request.headers.Content-Type = "application/x-ndjson"`,
          },
        ],
      },
      {
        id: "fluent-bit",
        name: "Fluent Bit",
        parts: [
          {
            file: "fluent-bit.conf",
            text: `[OUTPUT]
    Name    http
    Match   *
    Host    ${name}
    Port    ${port}
    URI     ${pathname}${isTls ? "\n    tls     On" : ""}`,
          },
        ],
      },
      {
        id: "js",
        name: "JavaScript",
        parts: [
          {
            file: "send.mjs",
            text: `await fetch("${url}", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify([{ level: "info", message: "hello from JavaScript" }]),
});`,
          },
        ],
      },
    ];
  },
  otlp: ({ url }) => [
    {
      id: "sdk",
      name: "SDK",
      parts: [command(`export OTEL_EXPORTER_OTLP_ENDPOINT=${url}\nexport OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`)],
      note: "Logs, traces and metrics, for every language. Over gRPC an address has no path: use a token there.",
    },
    {
      id: "collector",
      name: "Collector",
      parts: [
        {
          file: "config.yaml",
          text: `exporters:
  otlphttp/tidegauge:
    endpoint: ${url}
service:
  pipelines:
    logs:
      receivers: [otlp]
      exporters: [otlphttp/tidegauge]
    traces:
      receivers: [otlp]
      exporters: [otlphttp/tidegauge]`,
        },
      ],
    },
    curl(
      `${url}/v1/logs`,
      '{"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": {"stringValue": "hello from OTLP"}}]}]}]}',
    ),
  ],
  elastic: ({ url }) => {
    const { protocol, pathname } = new URL(url);
    const { both } = hostOf({ origin: url });
    return [
      {
        id: "filebeat",
        name: "Filebeat",
        parts: [
          {
            file: "filebeat.yml",
            text: `output.elasticsearch:
  hosts: ["${withPort(url)}"]
setup.ilm.enabled: false
setup.template.enabled: false`,
          },
        ],
        note: "All Beats. The index that they name is passed over.",
      },
      {
        id: "logstash",
        name: "Logstash",
        parts: [
          {
            file: "pipeline.conf",
            text: `output {
  elasticsearch {
    hosts => ["${protocol}//${both}"]
    path => "${pathname}"
    manage_template => false
    ilm_enabled => false
  }
}`,
          },
        ],
      },
      {
        id: "python",
        name: "Python",
        parts: [
          {
            file: "send.py",
            text: `from elasticsearch import Elasticsearch

client = Elasticsearch("${withPort(url)}")
client.bulk(operations=[{"index": {}}, {"level": "info", "message": "hello from Elasticsearch"}])`,
          },
        ],
      },
      {
        id: "pino",
        name: "pino",
        parts: [
          {
            file: "logger.mjs",
            text: `import pino from "pino";
import pinoElasticsearch from "pino-elasticsearch";

const stream = pinoElasticsearch({ node: "${url}", index: "any", flushInterval: 1000 });
export const logger = pino({ messageKey: "message" }, stream);
logger.info("hello from pino");`,
          },
        ],
      },
      {
        id: "curl",
        name: "curl",
        parts: [
          command(`curl '${url}/_bulk' -H 'Content-Type: application/x-ndjson' --data-binary '{"index": {}}
{"level": "info", "message": "hello from a bulk request"}
'`),
        ],
        note: "Tries it out from a shell.",
      },
    ];
  },
  loki: ({ url }) => [
    {
      id: "alloy",
      name: "Alloy",
      parts: [
        {
          file: "config.alloy",
          text: `loki.write "tidegauge" {
  endpoint {
    url = "${url}/loki/api/v1/push"
  }
}`,
        },
      ],
    },
    {
      id: "promtail",
      name: "Promtail",
      parts: [{ file: "promtail.yaml", text: `clients:\n  - url: ${url}/loki/api/v1/push` }],
    },
    {
      id: "pino",
      name: "pino",
      parts: [
        {
          file: "logger.mjs",
          text: `import pino from "pino";
import { pinoLoki } from "pino-loki";

export const logger = pino({}, pinoLoki({ host: "${url}/", labels: { job: "shop" } }));
logger.info("hello from pino");`,
        },
      ],
      note: "The slash at the end of the address belongs to it.",
    },
    {
      id: "curl",
      name: "curl",
      parts: [
        command(`curl '${url}/loki/api/v1/push' \\
  -H 'Content-Type: application/json' \\
  -d "{\\"streams\\": [{\\"stream\\": {\\"job\\": \\"shop\\"}, \\"values\\": [[\\"$(date +%s)000000000\\", \\"hello from Loki\\"]]}]}"`),
      ],
      note: "Tries it out from a shell.",
    },
  ],
  hec: ({ url }) => [
    {
      id: "vector",
      name: "Vector",
      parts: [
        {
          file: "vector.toml",
          text: `[sinks.tidegauge]
type = "splunk_hec_logs"
inputs = ["my_source"]
endpoint = "${url}"
default_token = "any"
encoding.codec = "json"`,
        },
      ],
      note: "Vector wants a token; it does not count here.",
    },
    {
      id: "winston",
      name: "winston",
      parts: [
        {
          file: "logger.mjs",
          text: `import winston from "winston";
import SplunkTransport from "winston-splunk-httplogger";

const url = "${url}/services/collector/event";
export const logger = winston.createLogger({ transports: [new SplunkTransport({ splunk: { token: "any", url } })] });
logger.info("hello from winston");`,
        },
      ],
      note: "The token does not count here. Splunk's own logger for Node wants the same path.",
    },
    curl(`${url}/services/collector/event`, '{"event": {"level": "info", "message": "hello from HEC"}}'),
  ],
  datadog: ({ url }) => [
    {
      id: "vector",
      name: "Vector",
      parts: [
        {
          file: "vector.toml",
          text: `[sinks.tidegauge]
type = "datadog_logs"
inputs = ["my_source"]
endpoint = "${url}"
default_api_key = "any"`,
        },
      ],
      note: "Vector wants a key; it does not count here. Datadog's agents take no path: give them a token instead.",
    },
    curl(`${url}/api/v2/logs`, '[{"message": "hello from Datadog", "service": "shop", "ddtags": "env:prod"}]'),
  ],
  honeycomb: ({ url, dataset }) => [
    {
      id: "libhoney",
      name: "libhoney",
      parts: [
        {
          file: "send.mjs",
          text: `import Libhoney from "libhoney";

const client = new Libhoney({ writeKey: "any", dataset: "${dataset}", apiHost: "${url}" });
client.sendNow({ level: "info", message: "hello from libhoney" });
await client.flush();`,
        },
      ],
      note: "The key does not count here. libhoney for Python leaves the path of an address out: give it a token instead.",
    },
    curl(`${url}/1/events/any`, '{"level": "info", "message": "hello from Honeycomb"}'),
  ],
  firehose: ({ url }) => [
    {
      id: "firehose",
      name: "Amazon Data Firehose",
      parts: [command(`HTTP endpoint URL:  ${url}/firehose\nAccess key:         none`)],
      note: "Firehose sends by HTTPS to port 443 alone.",
    },
  ],
  journald: ({ url }) => [
    {
      id: "journald",
      name: "systemd-journal-upload",
      parts: [command(`systemd-journal-upload --url="${withPort(url)}"`)],
      note: "The first upload is the whole journal; later ones are what came since. The port must be written.",
    },
  ],
  cloudevents: ({ url }) => [
    {
      id: "sink",
      name: "A sink",
      parts: [command(`Address:  ${url}/cloudevents`)],
      note: "For brokers and sources, structured, in batches or binary. One that comes again is stored once.",
    },
    curl(
      `${url}/cloudevents`,
      '{"specversion": "1.0", "type": "order.placed", "source": "/till", "id": "18", "data": {"total": 12}}',
      "application/cloudevents+json",
    ),
  ],
  gelf: ({ url }) => {
    const { name, port, isTls } = hostOf({ origin: url });
    const { pathname } = new URL(url);
    const handler = isTls ? "GelfHttpsHandler" : "GelfHttpHandler";
    return [
      {
        id: "pygelf",
        name: "Python",
        parts: [
          {
            file: "send.py",
            text: `handler = pygelf.${handler}(host="${name}", port=${port}, path="${pathname}/gelf")`,
          },
        ],
      },
      curl(`${url}/gelf`, '{"version": "1.1", "host": "a", "short_message": "hello from GELF", "level": 6}'),
    ];
  },
  remoteWrite: ({ url }) => [
    {
      id: "prometheus",
      name: "Prometheus",
      parts: [{ file: "prometheus.yml", text: `remote_write:\n  - url: ${url}/api/v1/write` }],
    },
    {
      id: "vmagent",
      name: "vmagent",
      parts: [command(`vmagent -promscrape.config=scrape.yml \\\n  -remoteWrite.url='${url}/api/v1/write'`)],
      note: "It keeps on its disk what is refused for now, and sends it later.",
    },
  ],
  logplex: ({ url }) => [
    {
      id: "heroku",
      name: "Heroku",
      parts: [command(`heroku drains:add '${url}' -a your-app`)],
      note: "Each line of the app's logs becomes an event.",
    },
  ],
};
