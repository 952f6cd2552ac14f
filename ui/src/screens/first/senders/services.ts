// What speaks to another service today and sends here with another address, and what needs a port of its own.

import { hostOf, ingestPath, type Sender, type Target } from "./sender.ts";

export function services(to: Target): Sender[] {
  const { origin, dataset, token } = to;
  const group = "Other services" as const;
  const { both, isTls } = hostOf(to);
  return [
    {
      id: "splunk",
      name: "Splunk HEC",
      group,
      parts: [
        {
          file: "",
          text: `curl '${origin}/services/collector/event' \\
  -H 'Authorization: Splunk ${token}' \\
  -d '{"index": "${dataset}", "event": {"level": "info", "message": "hello from HEC"}}'`,
        },
      ],
      note: "The index is the dataset. Give loggers this address and this token.",
    },
    {
      id: "datadog",
      name: "Datadog agent",
      group,
      parts: [
        {
          file: "datadog.yaml",
          text: `api_key: ${token}
logs_enabled: true
logs_config:
  logs_dd_url: "${both}"${isTls ? "" : "\n  logs_no_ssl: true"}
  force_use_http: true`,
        },
      ],
      note: "Agents cannot name a dataset, so the token must be for this one alone, as the one that is made here is.",
    },
    {
      id: "elasticsearch",
      name: "Elasticsearch clients",
      group,
      parts: [
        {
          file: "send.py",
          text: `from elasticsearch import Elasticsearch

client = Elasticsearch("${origin}${ingestPath(to)}/elastic", headers={"Authorization": "Bearer ${token}"})
client.bulk(operations=[{"index": {}}, {"level": "info", "message": "hello from Elasticsearch"}])`,
        },
      ],
    },
    {
      id: "honeycomb",
      name: "libhoney",
      group,
      parts: [{ file: "", text: `libhoney.init(writekey="${token}", dataset="${dataset}", api_host="${origin}")` }],
    },
    {
      id: "gelf-http",
      name: "GELF over HTTP",
      group,
      parts: [
        {
          file: "",
          text: `curl '${origin}${ingestPath(to)}/gelf' \\
  -H 'Authorization: Bearer ${token}' \\
  -d '{"version": "1.1", "host": "a", "short_message": "hello from GELF", "level": 6}'`,
        },
      ],
    },
    {
      id: "cloudevents",
      name: "CloudEvents",
      group,
      parts: [
        {
          file: "",
          text: `curl '${origin}${ingestPath(to)}/cloudevents' \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: application/cloudevents+json' \\
  -d '{"specversion": "1.0", "type": "order.placed", "source": "/shop", "id": "17", "data": {"total": 12}}'`,
        },
      ],
      note: "An event that is repeated with its source and id is stored once.",
    },
    {
      id: "firehose",
      name: "Amazon Data Firehose",
      group,
      parts: [
        {
          file: "",
          text: `HTTP endpoint URL:  ${origin}${ingestPath(to)}/firehose
Access key:         ${token}`,
        },
      ],
      note: "Firehose sends by HTTPS to port 443 alone.",
    },
    {
      id: "heroku",
      name: "Heroku log drain",
      group,
      parts: [{ file: "", text: `heroku drains:add '${withPassword(to)}' -a your-app` }],
      note: "A drain is told an address and nothing else, so the token stands in it as a password.",
    },
  ];
}

/** The address of the routes of ingest with the token in it. */
function withPassword({ origin, dataset, token }: Target): string {
  const [scheme, rest] = origin.split("//");
  return `${scheme}//any:${token}@${rest}/v1/datasets/${encodeURIComponent(dataset)}/ingest`;
}

/** Listeners are ports of the service that its settings open; each belongs to an endpoint. */
export function listeners(to: Target): Sender[] {
  const group = "Over a listener" as const;
  const { name } = hostOf(to);
  const settings = (lines: string, kind: string) => ({
    file: "tidegauge.toml",
    text: `[listeners]\n${lines}\n${kind}_endpoint = "${to.endpoint}"`,
  });
  return [
    {
      id: "rsyslog",
      name: "syslog, rsyslog",
      group,
      listener: "syslog",
      parts: [
        settings('syslog_udp = "0.0.0.0:5514"\nsyslog_tcp = "0.0.0.0:5601"\nsyslog_networks = "127.0.0.0/8"', "syslog"),
        {
          file: "/etc/rsyslog.d/tidegauge.conf",
          text: `action(type="omfwd" target="${name}" port="5601" protocol="tcp" TCP_Framing="octet-counted"
       template="RSYSLOG_SyslogProtocol23Format" queue.type="LinkedList" action.resumeRetryCount="-1")`,
        },
        {
          file: "",
          text: `logger --server ${name} --port 5601 --tcp --rfc5424 --octet-count "hello from syslog"`,
        },
      ],
    },
    {
      id: "syslog-ng",
      name: "syslog-ng",
      group,
      listener: "syslog",
      parts: [
        settings('syslog_tcp = "0.0.0.0:5601"\nsyslog_networks = "127.0.0.0/8"', "syslog"),
        {
          file: "/etc/syslog-ng/conf.d/tidegauge.conf",
          text: `destination tidegauge { syslog("${name}" port(5601) transport("tcp")); };
log { source(s_src); destination(tidegauge); };`,
        },
      ],
      note: "s_src is the source that Debian's configuration has; other systems call it otherwise.",
    },
    {
      id: "fluentd",
      name: "Fluentd, forward",
      group,
      listener: "fluent",
      parts: [
        settings('fluent_listen = "0.0.0.0:24224"\nfluent_networks = "127.0.0.0/8"', "fluent"),
        {
          file: "fluent.conf",
          text: `<match **>
  @type forward
  require_ack_response true
  <server>
    host ${name}
    port 24224
  </server>
</match>`,
        },
      ],
    },
    {
      id: "fluent-bit-forward",
      name: "Fluent Bit, forward",
      group,
      listener: "fluent",
      parts: [
        settings('fluent_listen = "0.0.0.0:24224"\nfluent_networks = "127.0.0.0/8"', "fluent"),
        {
          file: "fluent-bit.conf",
          text: `[OUTPUT]
    Name                 forward
    Match                *
    Host                 ${name}
    Port                 24224
    Require_ack_response On`,
        },
      ],
      note: "A chunk is acknowledged when it is on the disk, and one that comes again is stored once.",
    },
    {
      id: "gelf",
      name: "GELF over UDP, TCP",
      group,
      listener: "gelf",
      parts: [
        settings('gelf_udp = "0.0.0.0:12201"\ngelf_tcp = "0.0.0.0:12201"\ngelf_networks = "127.0.0.0/8"', "gelf"),
        {
          file: "send.py",
          text: `handler = pygelf.GelfUdpHandler(host="${name}", port=12201)`,
        },
      ],
    },
  ];
}
