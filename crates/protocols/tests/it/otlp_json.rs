//! OTLP in JSON: the same events as in protobuf, and what senders write in other ways.

use tidegauge_model::ErrorKind;
use tidegauge_protocols::Problem;
use tidegauge_protocols::otlp::{Encoding, Signal, read as read_otlp};

use crate::support::read;

fn json(signal: Signal, body: &str) -> Result<Vec<String>, Problem> {
    read(|events| read_otlp(signal, Encoding::Json, body.as_bytes(), events)).map(|read| read.events)
}

#[test]
fn logs_in_json_are_the_same_events() {
    let body = r#"{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}],
        "droppedAttributesCount":0},"scopeLogs":[{"scope":{"name":"lib"},"schemaUrl":"x","logRecords":[
        {"timeUnixNano":"1794000000000000001","severityNumber":9,"severityText":"Info",
         "body":{"stringValue":"hi \"you\""},"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"eee19b7ec3c1b174",
         "attributes":[{"key":"http.route","value":{"stringValue":"/"}},{"key":"n","value":{"intValue":"5"}},
           {"key":"m","value":{"intValue":6}},{"key":"d","value":{"doubleValue":1}},{"key":"b","value":{"boolValue":true}},
           {"key":"x","value":{"bytesValue":"AQI="}},{"key":"none","value":{}},{"key":"null","value":null},
           {"key":"a","value":{"arrayValue":{"values":[{"stringValue":"p"},{"kvlistValue":{"values":[{"key":"q","value":{"intValue":"1"}}]}}]}}}]
        }]}]}]}"#;
    assert_eq!(
        json(Signal::Logs, body).unwrap(),
        [
            r#"@1794000000000000001 attributes.custom=map{"n":5,"m":6,"d":1.0,"b":true,"x":"AQI=","a":["p",{"q":1}]} attributes.http.route="/" body="hi \"you\"" scope.name="lib" service.name="shop" severity="info" severity_number=9 severity_text="Info" span_id="eee19b7ec3c1b174" trace_id="5b8efff798038103d269b633813fc60c""#
        ]
    );
}

#[test]
fn spans_and_metrics_in_json() {
    let body = r#"{"resource_spans":[{"scope_spans":[{"spans":[{"name":"x","kind":"SPAN_KIND_CLIENT","startTimeUnixNano":10,
        "endTimeUnixNano":"12","status":{"code":2},"events":[{"timeUnixNano":"11","name":"e"}]}]}]}]}"#;
    assert_eq!(
        json(Signal::Traces, body).unwrap(),
        [
            r#"@10 duration=2 error=true events=[{"timestamp":11,"name":"e"}] kind="client" name="x" status.code="ERROR""#
        ]
    );
    let body = r#"{"resourceMetrics":[{"scopeMetrics":[{"metrics":[
        {"name":"a","sum":{"dataPoints":[{"timeUnixNano":"10","asInt":"-7"}],"aggregationTemporality":2,"isMonotonic":true}},
        {"name":"h","exponentialHistogram":{"dataPoints":[{"timeUnixNano":"10","count":"3","sum":1.5,"scale":-1,
          "zeroCount":"1","positive":{"offset":-3,"bucketCounts":["1","1"]}}]}}]}]}]}"#;
    assert_eq!(
        json(Signal::Metrics, body).unwrap(),
        [
            r#"@10 is_monotonic=true metric="a" series="004e2ea184b2a395" temporality="cumulative" type="sum" value=-7"#,
            r#"@10 count=3 metric="h" positive.counts=[1,1] positive.offset=-3 scale=-1 series="c0dd0cdffd2e4a99" sum=1.5 type="exponential_histogram" zero_count=1 zero_threshold=0.0"#
        ]
    );
}

#[test]
fn what_is_left_out_is_no_mistake() {
    for body in [
        "",
        " ",
        "{}",
        "null",
        r#"{"resourceLogs":null}"#,
        r#"{"resourceLogs":[]}"#,
        r#"{"resourceLogs":[{}]}"#,
        r#"{"other":[1,{"x":[]}]}"#,
    ] {
        assert_eq!(json(Signal::Logs, body), Ok(Vec::new()), "{body}");
    }
    let bare = r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":null,"attributes":null}]}]}]}"#;
    assert_eq!(json(Signal::Logs, bare).unwrap(), [""]);
}

#[test]
fn what_is_wrong_is_told() {
    let record =
        |member: &str| format!(r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{{member}}}]}}]}}]}}"#);
    for (body, said) in [
        (record(r#""traceId":"xyz""#), "\"traceId\" must be an id in hexadecimal"),
        (record(r#""timeUnixNano":"soon""#), "\"timeUnixNano\" must be an integer"),
        (record(r#""body":{"bytesValue":"*"}"#), "\"bytesValue\" must be in base64"),
        (record(r#""severityText":{}"#), "\"severityText\" must be no object"),
        (record(r#""body":"text""#), "expected an object"),
        ("[]".to_owned(), "expected an object"),
        ("{".to_owned(), "it ends too early"),
        ("{} {}".to_owned(), "there is more"),
    ] {
        let problem = json(Signal::Logs, &body).unwrap_err();
        assert_eq!(problem.kind, ErrorKind::Malformed);
        assert!(problem.message.contains(said), "{body}: {problem}");
    }
}

#[test]
fn values_nested_without_end_become_null() {
    let deep = 20_000;
    let open = r#"{"arrayValue":{"values":["#.repeat(deep);
    let close = "]}}".repeat(deep);
    let body =
        format!(r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{"body":{open}{close}}}]}}]}}]}}"#);
    let events = json(Signal::Logs, &body).unwrap();
    assert!(events[0].starts_with("body=[[["), "{}", events[0]);
}
