// The kinds of endpoints: what the senders of one speak, and what they are given. The service has the same list in
// `crates/model/src/endpoint.rs`; a unit test compares the two.

export interface Kind {
  id: string;
  name: string;
  /** Who speaks so. */
  senders: string;
  /** What stands behind the address where a sender does not add it by itself; null where nothing comes over HTTP. */
  path: string | null;
  /** Whether a port of the service can be opened for it. */
  listens: boolean;
}

function kind(id: string, name: string, senders: string, path: string | null = "", listens = false): Kind {
  return { id, name, senders, path, listens };
}

export const KINDS: Kind[] = [
  kind("ingest", "Events as JSON", "webhooks, scripts, Vector and Fluent Bit over HTTP"),
  kind("otlp", "OpenTelemetry", "SDKs of OpenTelemetry and its Collector, over HTTP"),
  kind("elastic", "Elasticsearch", "Beats, Logstash, clients of Elasticsearch, pino"),
  kind("loki", "Loki", "Grafana Alloy, Promtail, loggers for Loki", "/loki/api/v1/push"),
  kind("hec", "Splunk HEC", "loggers and forwarders for Splunk, winston"),
  kind("datadog", "Datadog logs", "transports for Datadog's logs", "/api/v2/logs"),
  kind("honeycomb", "Honeycomb", "libhoney for Node"),
  kind("firehose", "Amazon Data Firehose", "delivery streams with an HTTP endpoint", "/firehose"),
  kind("journald", "journald", "systemd-journal-upload"),
  kind("cloudevents", "CloudEvents", "brokers and sources of CloudEvents", "/cloudevents"),
  kind("gelf", "GELF", "loggers for Graylog, over HTTP, UDP and TCP", "/gelf", true),
  kind("remoteWrite", "Prometheus remote write", "Prometheus, vmagent", "/api/v1/write"),
  kind("logplex", "Heroku Logplex", "log drains of Heroku"),
  kind("syslog", "syslog", "rsyslog, syslog-ng, routers and switches, over UDP, TCP and TLS", null, true),
  kind("fluent", "Fluent forward", "Fluentd and Fluent Bit, over TCP", null, true),
];

/** A kind by its id. One that this page does not know is shown by its id alone. */
export function kindOf(id: string): Kind {
  return KINDS.find((entry) => entry.id === id) ?? kind(id, id, "");
}

/** The address as a sender of this kind is given it. */
export function addressFor(id: string, url: string): string {
  return url + (kindOf(id).path ?? "");
}

/** Stands in texts to copy where the secret of the address is not known any more. */
export const UNKNOWN = "SECRET";
