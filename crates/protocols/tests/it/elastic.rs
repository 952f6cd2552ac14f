//! Bulk requests of Elasticsearch, the state of each item, and what clients ask before.

use tidegauge_ingest::{Limits, Options};
use tidegauge_model::ErrorKind;
use tidegauge_protocols::Problem;
use tidegauge_protocols::elastic::{Bulk, TIME_FIELD, Target, probe, refused};

use crate::support::{Gate, Read, read_with};

const NAMED: Target<'_> = Target::Named { otherwise: None };

fn read_dataset(bulk: &mut Bulk<'_>, dataset: usize, gate: &Gate) -> Read {
    let options = Options { timestamp_field: Some(TIME_FIELD.to_owned()), ..Options::default() };
    read_with(Limits::default(), options, gate, |events| bulk.read(dataset, events)).expect("a good request")
}

fn answer(bulk: &Bulk<'_>) -> String {
    let answer = bulk.answer(7);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers, [("x-elastic-product", "Elasticsearch".to_owned())]);
    String::from_utf8(answer.body).unwrap()
}

#[test]
fn each_source_is_an_event_of_its_dataset() {
    let body = br#"{"index":{"_index":"web","_id":"1"}}
{"@timestamp":"2026-11-14T00:00:00Z","message":"a","nested":{"x":1}}
{"create":{"_index":"app"}}
{"message":"b"}

{"index":{"_index":"web"}}
{"message":"c"}"#;
    let mut bulk = Bulk::parse(body, NAMED, 100).unwrap();
    assert_eq!(bulk.datasets(), ["web", "app"]);
    let web = read_dataset(&mut bulk, 0, &Gate::default());
    assert_eq!(web.events, ["@1794614400000000000 message=\"a\" nested.x=1", "message=\"c\""]);
    assert_eq!(read_dataset(&mut bulk, 1, &Gate::default()).events, ["message=\"b\""]);
    assert_eq!(
        answer(&bulk),
        "{\"took\":7,\"errors\":false,\"items\":[{\"index\":{\"_index\":\"web\",\"_id\":\"1\",\"status\":201}},\
         {\"create\":{\"_index\":\"app\",\"status\":201}},{\"index\":{\"_index\":\"web\",\"status\":201}}]}"
    );
}

#[test]
fn items_fail_alone() {
    let body = br#"{"index":{}}
{"good":1}
{"index":{}}
{"broken":
{"update":{"_id":3}}
{"doc":{}}
{"delete":{"_id":"4"}}
{"create":{}}
{"@timestamp":"never"}
{"create":{}}
{"refused":1}
"#;
    let mut bulk = Bulk::parse(body, Target::Fixed("web"), 100).unwrap();
    let gate = Gate { refuses: vec!["refused"] };
    assert_eq!(read_dataset(&mut bulk, 0, &gate).events, ["good=1"]);
    let answer: serde_json::Value = serde_json::from_str(&answer(&bulk)).unwrap();
    assert_eq!(answer["errors"], true);
    let items = answer["items"].as_array().unwrap().iter();
    let statuses: Vec<String> = items
        .map(|item| {
            let (action, state) = item.as_object().unwrap().iter().next().unwrap();
            format!("{action} {}", state["status"])
        })
        .collect();
    assert_eq!(statuses, ["index 201", "index 400", "update 400", "delete 400", "create 400", "create 400"]);
    let reason = |number: usize, action: &str| answer["items"][number][action]["error"]["reason"].to_string();
    assert!(reason(1, "index").contains("no JSON object"));
    assert!(reason(2, "update").contains("not supported"));
    assert!(reason(4, "create").contains("\\\"never\\\""));
    assert!(reason(5, "create").contains("limit of fields"));
}

#[test]
fn a_dataset_that_is_not_taken_gives_its_items_a_state() {
    let body = b"{\"index\":{\"_index\":\"a\"}}\n{\"x\":1}\n{\"index\":{\"_index\":\"b\"}}\n{\"x\":2}\n";
    for (kind, status) in [
        (ErrorKind::Forbidden, 403),
        (ErrorKind::NotFound, 404),
        (ErrorKind::Busy, 429),
        (ErrorKind::Unavailable, 429),
        (ErrorKind::StorageFull, 503),
    ] {
        let mut bulk = Bulk::parse(body, NAMED, 100).unwrap();
        read_dataset(&mut bulk, 0, &Gate::default());
        read_dataset(&mut bulk, 1, &Gate::default());
        bulk.refuse(1, &Problem::new(kind, "no"));
        let answer: serde_json::Value = serde_json::from_str(&answer(&bulk)).unwrap();
        assert_eq!(answer["items"][0]["index"]["status"], 201);
        assert_eq!(answer["items"][1]["index"]["status"], status, "{kind:?}");
        assert_eq!(refused(&Problem::new(kind, "no")).status, status);
    }
}

#[test]
fn an_action_that_cannot_be_read_ends_the_request() {
    for (body, said) in [
        ("{\"index\":{\"_index\":\"a\"}}\n", "no source"),
        ("{\"upsert\":{}}\n{}\n", "expected index"),
        ("{\"index\":{}}\n{}\n", "names no \"_index\""),
        ("{\"index\":{},\"create\":{}}\n{}\n", "second action"),
        ("{}\n{}\n", "expected one action"),
        ("nonsense\n", "expected a value"),
        ("[]\n", "expected an object"),
    ] {
        let problem = Bulk::parse(body.as_bytes(), NAMED, 100).unwrap_err();
        assert_eq!(problem.kind, ErrorKind::Malformed);
        assert!(problem.message.contains(said), "{body}: {problem}");
    }
    let many = "{\"delete\":{\"_index\":\"a\"}}\n".repeat(101);
    assert_eq!(Bulk::parse(many.as_bytes(), NAMED, 100).unwrap_err().kind, ErrorKind::TooLarge);
    let names: String = (0..65).map(|name| format!("{{\"delete\":{{\"_index\":\"d{name}\"}}}}\n")).collect();
    assert_eq!(Bulk::parse(names.as_bytes(), NAMED, 100).unwrap_err().kind, ErrorKind::TooLarge);
}

#[test]
fn a_refusal_is_told_as_the_clients_read_it() {
    let answer = refused(&Problem::malformed("no"));
    let body = String::from_utf8(answer.body).unwrap();
    assert_eq!(
        body,
        "{\"error\":{\"type\":\"document_parsing_exception\",\"reason\":\"no\"},\"status\":400}"
    );
}

#[test]
fn probes_are_answered() {
    for (method, path) in [
        ("GET", "/"),
        ("HEAD", ""),
        ("GET", "/_license"),
        ("GET", "/_cluster/health/"),
        ("PUT", "/_ilm/policy/filebeat"),
        ("HEAD", "/_index_template/x"),
        ("HEAD", "/_template/filebeat-7.17.29"),
        ("PUT", "/_template/logstash"),
        ("HEAD", "/_alias/filebeat-7.17.29"),
        ("PUT", "/%3Cfilebeat-7.17.29-%7Bnow%2Fd%7D-000001%3E"),
        ("PUT", "/<logstash-{now-000001>"),
        ("GET", "/_data_stream/x/"),
        ("PUT", "/_ingest/pipeline/x"),
        ("GET", "/_nodes/http"),
        ("GET", "/web/_refresh"),
        ("POST", "/_refresh"),
    ] {
        let answer = probe(method, path, "8.11.0").unwrap_or_else(|| panic!("{method} {path}"));
        assert_eq!((answer.status, answer.headers.len()), (200, 1), "{path}");
        serde_json::from_slice::<serde_json::Value>(&answer.body).unwrap();
    }
    let root = probe("GET", "/", "8.11.0").unwrap();
    assert!(String::from_utf8(root.body).unwrap().contains("\"version\":{\"number\":\"8.11.0\""));
    for (method, path) in [
        ("GET", "/_search"),
        ("DELETE", "/_ilm/policy/x"),
        ("POST", "/"),
        ("GET", "/web/_doc/1"),
        ("HEAD", "/logstash"),
        ("PUT", "/logstash"),
        ("DELETE", "/%3Cx%3E"),
        ("PUT", "/%3Cx%3E/_doc/1"),
    ] {
        assert_eq!(probe(method, path, "8.11.0"), None, "{method} {path}");
    }
}
