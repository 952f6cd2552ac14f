//! Kinds of endpoints: the protocol that the senders of one speak.

use crate::string_enum::string_enum;

string_enum! (
    /// What the senders of an endpoint speak.
    EndpointKind {
        Ingest = "ingest",
        Otlp = "otlp",
        Elastic = "elastic",
        Loki = "loki",
        Hec = "hec",
        Datadog = "datadog",
        Honeycomb = "honeycomb",
        Firehose = "firehose",
        Journald = "journald",
        CloudEvents = "cloudevents",
        Gelf = "gelf",
        RemoteWrite = "remoteWrite",
        Logplex = "logplex",
        Syslog = "syslog",
        Fluent = "fluent",
    }
);
