//! The messages of OTLP as tables: what a name in JSON is in protobuf. Names that are not here are passed over, as the
//! protocol asks; so are those of which nothing is stored.

use super::signal::Signal;

/// A message by its fields.
#[derive(Debug)]
pub(super) struct Schema {
    fields: &'static [(&'static str, u32, Kind)],
}

/// How a field is written. A repeated one is an array in JSON and needs no word here.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Text,
    Boolean,
    /// As many bytes as it needs, enums too.
    Varint,
    ZigZag,
    Fixed64,
    Fixed32,
    Double,
    Hex,
    Base64,
    Message(&'static Schema),
}

impl Schema {
    /// The field of a name, in either of the ways in which JSON may write it.
    pub(super) fn field(&self, name: &str) -> Option<(u32, Kind)> {
        let found = |name: &str| {
            self.fields.iter().find(|(known, ..)| *known == name).map(|(_, number, kind)| (*number, *kind))
        };
        if name.contains('_') { found(&camel_case(name)) } else { found(name) }
    }
}

fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let mut camel = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut characters = part.chars();
        camel.extend(characters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(characters.as_str());
    }
    camel
}

pub(super) fn of(signal: Signal) -> &'static Schema {
    match signal {
        Signal::Logs => &LOGS,
        Signal::Traces => &TRACES,
        Signal::Metrics => &METRICS,
    }
}

use Kind::{Base64, Boolean, Double, Fixed32, Fixed64, Hex, Message, Text, Varint, ZigZag};

static LOGS: Schema = Schema { fields: &[("resourceLogs", 1, Message(&RESOURCE_LOGS))] };
static TRACES: Schema = Schema { fields: &[("resourceSpans", 1, Message(&RESOURCE_SPANS))] };
static METRICS: Schema = Schema { fields: &[("resourceMetrics", 1, Message(&RESOURCE_METRICS))] };

static RESOURCE_LOGS: Schema =
    Schema { fields: &[("resource", 1, Message(&RESOURCE)), ("scopeLogs", 2, Message(&SCOPE_LOGS))] };
static RESOURCE_SPANS: Schema =
    Schema { fields: &[("resource", 1, Message(&RESOURCE)), ("scopeSpans", 2, Message(&SCOPE_SPANS))] };
static RESOURCE_METRICS: Schema =
    Schema { fields: &[("resource", 1, Message(&RESOURCE)), ("scopeMetrics", 2, Message(&SCOPE_METRICS))] };

static SCOPE_LOGS: Schema =
    Schema { fields: &[("scope", 1, Message(&SCOPE)), ("logRecords", 2, Message(&LOG_RECORD))] };
static SCOPE_SPANS: Schema =
    Schema { fields: &[("scope", 1, Message(&SCOPE)), ("spans", 2, Message(&SPAN))] };
static SCOPE_METRICS: Schema =
    Schema { fields: &[("scope", 1, Message(&SCOPE)), ("metrics", 2, Message(&METRIC))] };

static RESOURCE: Schema = Schema { fields: &[("attributes", 1, Message(&KEY_VALUE))] };
static SCOPE: Schema =
    Schema { fields: &[("name", 1, Text), ("version", 2, Text), ("attributes", 3, Message(&KEY_VALUE))] };
static KEY_VALUE: Schema = Schema { fields: &[("key", 1, Text), ("value", 2, Message(&ANY_VALUE))] };
static ANY_VALUE: Schema = Schema {
    fields: &[
        ("stringValue", 1, Text),
        ("boolValue", 2, Boolean),
        ("intValue", 3, Varint),
        ("doubleValue", 4, Double),
        ("arrayValue", 5, Message(&ARRAY_VALUE)),
        ("kvlistValue", 6, Message(&KEY_VALUE_LIST)),
        ("bytesValue", 7, Base64),
    ],
};
static ARRAY_VALUE: Schema = Schema { fields: &[("values", 1, Message(&ANY_VALUE))] };
static KEY_VALUE_LIST: Schema = Schema { fields: &[("values", 1, Message(&KEY_VALUE))] };

static LOG_RECORD: Schema = Schema {
    fields: &[
        ("timeUnixNano", 1, Fixed64),
        ("observedTimeUnixNano", 11, Fixed64),
        ("severityNumber", 2, Varint),
        ("severityText", 3, Text),
        ("body", 5, Message(&ANY_VALUE)),
        ("attributes", 6, Message(&KEY_VALUE)),
        ("droppedAttributesCount", 7, Varint),
        ("flags", 8, Fixed32),
        ("traceId", 9, Hex),
        ("spanId", 10, Hex),
        ("eventName", 12, Text),
    ],
};

static SPAN: Schema = Schema {
    fields: &[
        ("traceId", 1, Hex),
        ("spanId", 2, Hex),
        ("traceState", 3, Text),
        ("parentSpanId", 4, Hex),
        ("name", 5, Text),
        ("kind", 6, Varint),
        ("startTimeUnixNano", 7, Fixed64),
        ("endTimeUnixNano", 8, Fixed64),
        ("attributes", 9, Message(&KEY_VALUE)),
        ("droppedAttributesCount", 10, Varint),
        ("events", 11, Message(&SPAN_EVENT)),
        ("droppedEventsCount", 12, Varint),
        ("links", 13, Message(&SPAN_LINK)),
        ("droppedLinksCount", 14, Varint),
        ("status", 15, Message(&STATUS)),
        ("flags", 16, Fixed32),
    ],
};
static SPAN_EVENT: Schema = Schema {
    fields: &[
        ("timeUnixNano", 1, Fixed64),
        ("name", 2, Text),
        ("attributes", 3, Message(&KEY_VALUE)),
        ("droppedAttributesCount", 4, Varint),
    ],
};
static SPAN_LINK: Schema = Schema {
    fields: &[
        ("traceId", 1, Hex),
        ("spanId", 2, Hex),
        ("traceState", 3, Text),
        ("attributes", 4, Message(&KEY_VALUE)),
    ],
};
static STATUS: Schema = Schema { fields: &[("message", 2, Text), ("code", 3, Varint)] };

static METRIC: Schema = Schema {
    fields: &[
        ("name", 1, Text),
        ("unit", 3, Text),
        ("gauge", 5, Message(&NUMBERS)),
        ("sum", 7, Message(&NUMBERS)),
        ("histogram", 9, Message(&HISTOGRAM)),
        ("exponentialHistogram", 10, Message(&EXPONENTIAL_HISTOGRAM)),
        ("summary", 11, Message(&SUMMARY)),
    ],
};
static NUMBERS: Schema = Schema {
    fields: &[
        ("dataPoints", 1, Message(&NUMBER_POINT)),
        ("aggregationTemporality", 2, Varint),
        ("isMonotonic", 3, Boolean),
    ],
};
static HISTOGRAM: Schema =
    Schema { fields: &[("dataPoints", 1, Message(&HISTOGRAM_POINT)), ("aggregationTemporality", 2, Varint)] };
static EXPONENTIAL_HISTOGRAM: Schema = Schema {
    fields: &[("dataPoints", 1, Message(&EXPONENTIAL_POINT)), ("aggregationTemporality", 2, Varint)],
};
static SUMMARY: Schema = Schema { fields: &[("dataPoints", 1, Message(&SUMMARY_POINT))] };
static NUMBER_POINT: Schema = Schema {
    fields: &[
        ("attributes", 7, Message(&KEY_VALUE)),
        ("startTimeUnixNano", 2, Fixed64),
        ("timeUnixNano", 3, Fixed64),
        ("asDouble", 4, Double),
        ("asInt", 6, Fixed64),
        ("exemplars", 5, Message(&EXEMPLAR)),
        ("flags", 8, Varint),
    ],
};
static HISTOGRAM_POINT: Schema = Schema {
    fields: &[
        ("attributes", 9, Message(&KEY_VALUE)),
        ("startTimeUnixNano", 2, Fixed64),
        ("timeUnixNano", 3, Fixed64),
        ("count", 4, Fixed64),
        ("sum", 5, Double),
        ("bucketCounts", 6, Fixed64),
        ("explicitBounds", 7, Double),
        ("exemplars", 8, Message(&EXEMPLAR)),
        ("flags", 10, Varint),
        ("min", 11, Double),
        ("max", 12, Double),
    ],
};
static EXPONENTIAL_POINT: Schema = Schema {
    fields: &[
        ("attributes", 1, Message(&KEY_VALUE)),
        ("startTimeUnixNano", 2, Fixed64),
        ("timeUnixNano", 3, Fixed64),
        ("count", 4, Fixed64),
        ("sum", 5, Double),
        ("scale", 6, ZigZag),
        ("zeroCount", 7, Fixed64),
        ("positive", 8, Message(&BUCKETS)),
        ("negative", 9, Message(&BUCKETS)),
        ("flags", 10, Varint),
        ("exemplars", 11, Message(&EXEMPLAR)),
        ("min", 12, Double),
        ("max", 13, Double),
        ("zeroThreshold", 14, Double),
    ],
};
static BUCKETS: Schema = Schema { fields: &[("offset", 1, ZigZag), ("bucketCounts", 2, Varint)] };
static SUMMARY_POINT: Schema = Schema {
    fields: &[
        ("attributes", 7, Message(&KEY_VALUE)),
        ("startTimeUnixNano", 2, Fixed64),
        ("timeUnixNano", 3, Fixed64),
        ("count", 4, Fixed64),
        ("sum", 5, Double),
        ("quantileValues", 6, Message(&AT_QUANTILE)),
        ("flags", 8, Varint),
    ],
};
static AT_QUANTILE: Schema = Schema { fields: &[("quantile", 1, Double), ("value", 2, Double)] };
static EXEMPLAR: Schema = Schema {
    fields: &[
        ("filteredAttributes", 7, Message(&KEY_VALUE)),
        ("timeUnixNano", 2, Fixed64),
        ("asDouble", 3, Double),
        ("asInt", 6, Fixed64),
        ("spanId", 4, Hex),
        ("traceId", 5, Hex),
    ],
};
