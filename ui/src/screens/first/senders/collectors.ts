// Collectors and shippers with the part of their settings that sends here.

import { hostOf, ingestPath, type Sender, type Target } from "./sender.ts";

export function collectors(to: Target): Sender[] {
  const { origin, dataset, token } = to;
  const group = "Collectors and shippers" as const;
  const { name, port, isTls } = hostOf(to);
  const elastic = `${origin}${ingestPath(to)}/elastic`;
  return [
    {
      id: "collector",
      name: "OpenTelemetry Collector",
      group,
      parts: [
        {
          file: "config.yaml",
          text: `exporters:
  otlphttp/tidegauge:
    endpoint: ${origin}
    headers:
      Authorization: Bearer ${token}
      X-Tidegauge-Dataset: ${dataset}
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
    {
      id: "vector",
      name: "Vector",
      group,
      parts: [
        {
          file: "vector.toml",
          text: `[sinks.tidegauge]
type = "http"
inputs = ["my_source"]
uri = "${origin}${ingestPath(to)}"
encoding.codec = "json"
framing.method = "newline_delimited"
compression = "gzip"
request.headers.Authorization = "Bearer ${token}"
request.headers.Content-Type = "application/x-ndjson"`,
        },
      ],
    },
    {
      id: "fluent-bit",
      name: "Fluent Bit",
      group,
      parts: [
        {
          file: "fluent-bit.conf",
          text: `[OUTPUT]
    Name    http
    Match   *
    Host    ${name}
    Port    ${port}
    URI     ${ingestPath(to)}
    Header  Authorization Bearer ${token}${isTls ? "\n    tls     On" : ""}`,
        },
      ],
    },
    {
      id: "filebeat",
      name: "Filebeat",
      group,
      parts: [
        {
          file: "filebeat.yml",
          text: `output.elasticsearch:
  hosts: ["${elastic}"]
  api_key: "any:${token}"
setup.ilm.enabled: false
setup.template.enabled: false`,
        },
      ],
      note: "All Beats. The index that they name is passed over: everything goes to this dataset.",
    },
    {
      id: "logstash",
      name: "Logstash",
      group,
      parts: [
        {
          file: "pipeline.conf",
          text: `output {
  elasticsearch {
    hosts => ["${origin}"]
    path => "${ingestPath(to)}/elastic"
    custom_headers => { "Authorization" => "Bearer ${token}" }
    manage_template => false
    ilm_enabled => false
  }
}`,
        },
      ],
    },
    {
      id: "alloy",
      name: "Grafana Alloy",
      group,
      parts: [
        {
          file: "config.alloy",
          text: `loki.write "tidegauge" {
  endpoint {
    url          = "${origin}/loki/api/v1/push"
    tenant_id    = "${dataset}"
    bearer_token = "${token}"
  }
}`,
        },
      ],
    },
    {
      id: "promtail",
      name: "Promtail",
      group,
      parts: [
        {
          file: "promtail.yaml",
          text: `clients:
  - url: ${origin}/loki/api/v1/push
    tenant_id: ${dataset}
    bearer_token: ${token}`,
        },
      ],
    },
    {
      id: "prometheus",
      name: "Prometheus",
      group,
      parts: [
        {
          file: "prometheus.yml",
          text: `remote_write:
  - url: ${origin}/api/v1/write?dataset=${encodeURIComponent(dataset)}
    authorization:
      credentials: ${token}`,
        },
      ],
      note: "Each sample is an event with metric, value and its labels.",
    },
    {
      id: "vmagent",
      name: "vmagent",
      group,
      parts: [
        {
          file: "",
          text: `vmagent -promscrape.config=scrape.yml \\
  -remoteWrite.url='${origin}/api/v1/write?dataset=${encodeURIComponent(dataset)}' \\
  -remoteWrite.bearerToken='${token}'`,
        },
      ],
      note: "It keeps on its disk what is refused for now, and sends it later.",
    },
  ];
}
