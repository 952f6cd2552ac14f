//! Answers made by hand, and the exact text that clients get of them. Every text is read by a JSON reader too, and its
//! keys are compared with those that strict clients allow.

use std::sync::Arc;
use std::time::Duration;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray};
use serde_json::{Value, json};
use tidegauge_app::service::datasets::fields::DescribedField;
use tidegauge_app::service::query::{DescribedDataset, TextQuery};
use tidegauge_engine::{
    AggregateInfo, Answer, Continuation, Explanation, Field, Figures, Message, StepFigures, Table,
};
use tidegauge_lang::tree::{Bucket, SortKey, TimeRange, Type};
use tidegauge_model::RowId;

mod forms;

use super::shown::{MAIN, TOTALS};
use super::*;

const SECOND: i64 = 1_000_000_000;
/// 2026-06-01T12:00:00Z.
const NOON: i64 = 1_780_315_200 * SECOND;

fn field(name: &str, values: Vec<(Type, ArrayRef)>) -> Field {
    Field { name: name.to_owned(), aggregate: None, values }
}

fn times(values: &[i64]) -> Vec<(Type, ArrayRef)> {
    vec![(Type::Datetime, Arc::new(Int64Array::from(values.to_vec())) as ArrayRef)]
}

fn integers(values: Vec<Option<i64>>) -> (Type, ArrayRef) {
    (Type::Integer, Arc::new(Int64Array::from(values)))
}

fn texts(of: Type, values: Vec<Option<&str>>) -> (Type, ArrayRef) {
    (of, Arc::new(StringViewArray::from(values)))
}

fn described(name: &str, kind: &str) -> DescribedField {
    DescribedField {
        name: name.to_owned(),
        kind: kind.to_owned(),
        unit: "ms".to_owned(),
        hidden: false,
        description: "said \"so\"".to_owned(),
    }
}

fn web(field: &str, kind: &str) -> [DescribedDataset; 1] {
    [DescribedDataset { name: "web".to_owned(), is_told: true, fields: vec![described(field, kind)] }]
}

/// Two events with a value of each type.
fn events() -> Answer {
    let row = |index| RowId { time: NOON + i64::from(index), sequence: 7, index };
    let table = Table {
        name: MAIN,
        rows: 2,
        fields: vec![
            field("_time", times(&[NOON + 1, NOON])),
            field("_sysTime", times(&[NOON + SECOND, NOON + SECOND])),
            field(
                "status",
                vec![integers(vec![Some(200), None]), texts(Type::String, vec![None, Some("304\n")])],
            ),
            field("ok", vec![(Type::Boolean, Arc::new(BooleanArray::from(vec![Some(true), Some(false)])))]),
            field("took", vec![(Type::Float, Arc::new(Float64Array::from(vec![Some(2.0), Some(f64::NAN)])))]),
            field("span", vec![(Type::Timespan, Arc::new(Int64Array::from(vec![Some(90 * SECOND), None])))]),
            field(
                "tags",
                vec![
                    texts(Type::Array, vec![Some(r#"[1,"a"]"#), None]),
                    texts(Type::Map, vec![None, Some(r#"{"k":null}"#)]),
                ],
            ),
            field("nothing", Vec::new()),
        ],
        row_ids: vec![row(1), row(0)],
        order: vec![SortKey { field: "_time".to_owned(), is_descending: true, ..SortKey::default() }],
        range: Some(TimeRange { start: NOON, end: NOON + 60 * SECOND }),
        sources: vec!["web".to_owned()],
        ..Table::default()
    };
    let figures = Figures {
        elapsed: Duration::from_micros(1_500),
        rows_examined: 14,
        rows_matched: 2,
        blocks_examined: 3,
        has_unflushed: true,
        block_times: Some((NOON, NOON + SECOND)),
        row_ids: Some((row(0), row(1))),
        ..Figures::default()
    };
    Answer { tables: vec![table], figures, ..Answer::default() }
}

fn counted(name: &str, values: Vec<Option<i64>>) -> Field {
    let info = AggregateInfo { name: "count", fields: Vec::new(), arguments: Vec::new() };
    Field { name: name.to_owned(), aggregate: Some(info), values: vec![integers(values)] }
}

/// Groups by status: 200 twice in the first bucket and once in the third, "200" once in the first.
fn groups() -> Answer {
    let series = Table {
        name: MAIN,
        rows: 4,
        fields: vec![
            field("_time", times(&[NOON + 20 * SECOND, NOON, NOON, NOON])),
            field(
                "status",
                vec![
                    integers(vec![Some(200), None, Some(200), None]),
                    texts(Type::String, vec![None, Some("200"), None, Some("left out")]),
                ],
            ),
            counted("n", vec![Some(1), Some(1), Some(2), Some(5)]),
        ],
        groups: vec!["_time".to_owned(), "status".to_owned()],
        bucket: Some(Bucket { step: 10 * SECOND }),
        range: Some(TimeRange { start: NOON + 1, end: NOON + 30 * SECOND }),
        ..Table::default()
    };
    let topk =
        AggregateInfo { name: "topk", fields: vec!["remote_ip".to_owned()], arguments: vec!["1".to_owned()] };
    let totals = Table {
        name: TOTALS,
        rows: 2,
        fields: vec![
            field(
                "status",
                vec![integers(vec![Some(200), None]), texts(Type::String, vec![None, Some("200")])],
            ),
            counted("n", vec![Some(3), Some(1)]),
            Field {
                name: "TOPK".to_owned(),
                aggregate: Some(topk),
                values: vec![texts(Type::Array, vec![Some(r#"[{"key":"::1","count":3,"error":0}]"#), None])],
            },
        ],
        groups: vec!["status".to_owned()],
        ..Table::default()
    };
    let figures = Figures { groups: 3, rows_matched: 4, ..Figures::default() };
    Answer { tables: vec![series, totals], figures, ..Answer::default() }
}

fn shown(answer: &Answer) -> Shown<'_> {
    Shown {
        answer,
        datasets: &[],
        continuation_token: None,
        default_limit: None,
        is_window_cut: false,
        shows_nulls: true,
        text: None,
    }
}

fn whole(written: Result<Written, Error>) -> Vec<u8> {
    written.unwrap().whole().0
}

fn legacy(shown: &Shown<'_>) -> (String, Value) {
    read(write_legacy(shown))
}

fn tabular(shown: &Shown<'_>) -> (String, Value) {
    read(write_tabular(shown))
}

fn read(written: Result<Written, Error>) -> (String, Value) {
    let text = String::from_utf8(whole(written)).unwrap();
    let value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
    (text, value)
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn events_are_matches_with_every_field() {
    let (answer, fields) = (events(), web("status", "integer|string"));
    let (text, value) = legacy(&Shown { datasets: &fields, ..shown(&answer) });
    let expected = concat!(
        r#"{"format":"legacy","status":{"elapsedTime":1500,"blocksExamined":3,"rowsExamined":14,"rowsMatched":2,"#,
        r#""numGroups":0,"isPartial":false,"continuationToken":"","isEstimate":false,"cacheStatus":9,"#,
        r#""minBlockTime":"2026-06-01T12:00:00Z","maxBlockTime":"2026-06-01T12:00:01Z","#,
        r#""minCursor":"0dixp2g47pc00-0000000000000007-00000000","#,
        r#""maxCursor":"0dixp2g47pc01-0000000000000007-00000001","messages":[]},"#,
        r#""matches":[{"_time":"2026-06-01T12:00:00.000000001Z","_sysTime":"2026-06-01T12:00:01Z","#,
        r#""_rowId":"0dixp2g47pc01-0000000000000007-00000001","data":{"status":200,"ok":true,"took":2.0,"#,
        r#""span":"1m30s","tags":[1,"a"],"nothing":null}},"#,
        r#"{"_time":"2026-06-01T12:00:00Z","_sysTime":"2026-06-01T12:00:01Z","#,
        r#""_rowId":"0dixp2g47pc00-0000000000000007-00000000","data":{"status":"304\n","ok":false,"took":null,"#,
        r#""span":null,"tags":{"k":null},"nothing":null}}],"#,
        r#""buckets":{"series":[],"totals":[]},"#,
        r#""fieldsMeta":[{"name":"status","type":"integer|string","unit":"ms","hidden":false,"#,
        r#""description":"said \"so\""}]}"#,
    );
    assert_eq!(text, expected);
    assert_eq!(keys(&value), ["format", "status", "matches", "buckets", "fieldsMeta"]);
    assert_eq!(keys(&value["matches"][0]), ["_time", "_sysTime", "_rowId", "data"]);
}

#[test]
fn nulls_can_be_left_out() {
    let answer = events();
    let (_, value) = legacy(&Shown { shows_nulls: false, ..shown(&answer) });
    assert_eq!(keys(&value["matches"][0]["data"]), ["status", "ok", "took", "span", "tags"]);
    // What is not a number is a value of the event that JSON has no word for.
    assert_eq!(keys(&value["matches"][1]["data"]), ["status", "ok", "took", "tags"]);
    let mut bare = events();
    bare.tables[0].fields.truncate(2);
    let (_, value) = legacy(&Shown { shows_nulls: false, ..shown(&bare) });
    assert_eq!(value["matches"][0]["data"], json!({}));
}

#[test]
fn an_answer_without_anything_has_every_list() {
    let answer = Answer::default();
    let (_, value) = legacy(&shown(&answer));
    assert_eq!(value["matches"], json!([]));
    assert_eq!(value["buckets"], json!({"series": [], "totals": []}));
    assert_eq!(value["fieldsMeta"], json!([]));
    let status = json!({
        "elapsedTime": 1, "blocksExamined": 0, "rowsExamined": 0, "rowsMatched": 0, "numGroups": 0,
        "isPartial": false, "continuationToken": "", "isEstimate": false, "cacheStatus": 1,
        "minBlockTime": "0001-01-01T00:00:00Z", "maxBlockTime": "0001-01-01T00:00:00Z", "messages": [],
    });
    assert_eq!(value["status"], status);
    let (_, value) = tabular(&shown(&answer));
    assert_eq!(value["tables"], json!([]));
    assert_eq!(value["status"], status);
}

#[test]
fn groups_keep_their_number_in_every_bucket() {
    let answer = groups();
    let (_, value) = legacy(&shown(&answer));
    assert_eq!(value["matches"], json!([]));
    let count = |value: i64| json!([{"op": "n", "value": value}]);
    let entry = |id: u64, status: Value, n: i64| json!({"id": id, "group": {"status": status}, "aggregations": count(n)});
    let second = |second: i64| format!("2026-06-01T12:00:{second:02}Z");
    let bucket = |start: i64, groups: Value| json!({"startTime": second(start), "endTime": second(start + 10), "groups": groups});
    let expected = json!([
        bucket(0, json!([entry(1, json!(200), 2), entry(2, json!("200"), 1)])),
        bucket(10, json!([])),
        bucket(20, json!([entry(1, json!(200), 1)])),
    ]);
    assert_eq!(value["buckets"]["series"], expected);
    let top = json!([{"key": "::1", "count": 3, "error": 0}]);
    let expected = json!([
        {"id": 1, "group": {"status": 200}, "aggregations": [{"op": "n", "value": 3}, {"op": "TOPK", "value": top}]},
        {"id": 2, "group": {"status": "200"}, "aggregations": [{"op": "n", "value": 1}, {"op": "TOPK", "value": null}]},
    ]);
    assert_eq!(value["buckets"]["totals"], expected);
    assert_eq!(keys(&value["buckets"]["totals"][0]["aggregations"][0]), ["op", "value"]);
}

#[test]
fn a_single_group_without_keys_is_an_empty_object() {
    let mut answer = groups();
    for table in &mut answer.tables {
        table.fields.retain(|field| field.name != "status");
        table.rows = 1;
        table.fields.iter_mut().for_each(|field| {
            field.values.iter_mut().for_each(|(_, array)| *array = array.slice(0, 1));
        });
    }
    let (_, value) = legacy(&shown(&answer));
    assert_eq!(value["buckets"]["totals"][0]["group"], json!({}));
    assert_eq!(value["buckets"]["series"][2]["groups"][0]["id"], 1);
}

#[test]
fn buckets_without_groups_are_left_out_where_they_are_too_many() {
    let mut answer = groups();
    answer.tables[0].range = Some(TimeRange { start: NOON, end: NOON + 10_000 * SECOND });
    assert_eq!(legacy(&shown(&answer)).1["buckets"]["series"].as_array().unwrap().len(), 1_000);
    answer.tables[0].range = Some(TimeRange { start: NOON, end: NOON + 10_000 * SECOND + 1 });
    assert_eq!(legacy(&shown(&answer)).1["buckets"]["series"].as_array().unwrap().len(), 2);
    answer.tables[0].range = Some(TimeRange::ALL);
    assert_eq!(legacy(&shown(&answer)).1["buckets"]["series"].as_array().unwrap().len(), 2);
    answer.tables[0].range = Some(TimeRange { start: NOON, end: NOON });
    assert_eq!(legacy(&shown(&answer)).1["buckets"]["series"].as_array().unwrap().len(), 2);
}

#[test]
fn tables_hold_columns_in_the_order_of_their_fields() {
    let (answer, fields) = (events(), web("status", "integer|string"));
    let (_, value) = tabular(&Shown { datasets: &fields, ..shown(&answer) });
    assert_eq!(keys(&value), ["format", "status", "tables", "buckets", "datasetNames", "fieldsMetaMap"]);
    assert_eq!(value["buckets"], json!({"series": [], "totals": []}));
    assert_eq!(value["datasetNames"], json!(["web"]));
    assert_eq!(value["fieldsMetaMap"]["web"][0]["unit"], "ms");
    let table = &value["tables"][0];
    assert_eq!(keys(table), ["name", "sources", "fields", "order", "groups", "range", "columns"]);
    assert_eq!(table["sources"], json!([{"name": "web"}]));
    assert_eq!(table["order"], json!([{"field": "_time", "desc": true}]));
    assert_eq!(table["groups"], json!([]));
    let range = json!({"field": "_time", "start": "2026-06-01T12:00:00Z", "end": "2026-06-01T12:01:00Z"});
    assert_eq!(table["range"], range);
    let fields: Vec<(&str, &str)> = table["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| (field["name"].as_str().unwrap(), field["type"].as_str().unwrap()))
        .collect();
    let expected = [
        ("_sysTime", "datetime"),
        ("_time", "datetime"),
        ("status", "integer|string"),
        ("ok", "boolean"),
        ("took", "float"),
        ("span", "timespan"),
        ("tags", "array|map"),
        ("nothing", "unknown"),
    ];
    assert_eq!(fields, expected);
    let columns = json!([
        ["2026-06-01T12:00:01Z", "2026-06-01T12:00:01Z"],
        ["2026-06-01T12:00:00.000000001Z", "2026-06-01T12:00:00Z"],
        [200, "304\n"],
        [true, false],
        [2.0, null],
        ["1m30s", null],
        [[1, "a"], {"k": null}],
        [null, null],
    ]);
    assert_eq!(table["columns"], columns);
}

#[test]
fn tables_of_groups_say_how_they_were_made() {
    let answer = groups();
    let (_, value) = tabular(&shown(&answer));
    let (series, totals) = (&value["tables"][0], &value["tables"][1]);
    assert_eq!((&series["name"], &totals["name"]), (&json!("0"), &json!("_totals")));
    assert_eq!(series["buckets"], json!({"field": "_time", "size": 10_000_000_000_i64}));
    assert_eq!(series["groups"], json!([{"name": "_time"}, {"name": "status"}]));
    assert_eq!(series["fields"][0], json!({"name": "_time", "type": "datetime"}));
    assert_eq!(series["fields"][2], json!({"name": "n", "type": "integer", "agg": {"name": "count"}}));
    assert_eq!(keys(totals), ["name", "sources", "fields", "order", "groups", "columns"]);
    let agg = json!({"name": "topk", "fields": ["remote_ip"], "args": [1]});
    assert_eq!(totals["fields"][2]["agg"], agg);
}

#[test]
fn an_empty_table_has_an_empty_column_for_each_field() {
    let mut answer = events();
    let table = &mut answer.tables[0];
    table.rows = 0;
    table.row_ids.clear();
    table.fields.truncate(3);
    table.fields.iter_mut().for_each(|field| {
        field.values.iter_mut().for_each(|(_, array)| *array = array.slice(0, 0));
    });
    assert_eq!(tabular(&shown(&answer)).1["tables"][0]["columns"], json!([[], [], []]));
    assert_eq!(legacy(&shown(&answer)).1["matches"], json!([]));
}

#[test]
fn messages_say_what_to_know_and_only_what_is_so() {
    let codes = |shown: &Shown<'_>| {
        let (_, value) = legacy(shown);
        let messages = value["status"]["messages"].as_array().unwrap().clone();
        for message in &messages {
            assert_eq!(keys(message), ["priority", "count", "code", "msg"]);
        }
        messages.iter().map(|message| message["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mut answer = events();
    answer.messages = vec![
        Message::MissingField { name: "a".to_owned(), near: None },
        Message::FailedField("b".to_owned()),
    ];
    assert_eq!(codes(&shown(&answer)), ["missing_column", "virtual_field_finalize_error"]);
    answer.messages = vec![Message::NoPlaces];
    assert_eq!(codes(&shown(&answer)), ["no_geo_database"]);
    answer.messages.clear();
    assert_eq!(codes(&Shown { is_window_cut: true, ..shown(&answer) }), ["license_limit_for_query_warning"]);

    assert!(codes(&Shown { default_limit: Some(2), ..shown(&answer) }).is_empty());
    answer.figures.rows_matched = 3;
    assert_eq!(codes(&Shown { default_limit: Some(2), ..shown(&answer) }), ["default_limit_warning"]);
    assert!(codes(&Shown { default_limit: Some(1_000), ..shown(&answer) }).is_empty());
    let answer = groups();
    assert_eq!(codes(&Shown { default_limit: Some(2), ..shown(&answer) }), ["default_limit_warning"]);
    assert!(codes(&Shown { default_limit: Some(3), ..shown(&answer) }).is_empty());
}

#[test]
fn a_cut_answer_says_how_to_go_on() {
    let mut answer = events();
    answer.continues_at = Some(Continuation { after: RowId::MIN });
    let (_, value) = legacy(&Shown { continuation_token: Some("token"), ..shown(&answer) });
    assert_eq!(value["status"]["isPartial"], true);
    assert_eq!(value["status"]["continuationToken"], "token");
    assert_eq!(value["status"]["messages"][0]["code"], "answer_cut");
}

#[test]
fn an_explanation_is_there_for_who_asked() {
    let mut answer = events();
    answer.figures = Figures {
        blocks_examined: 2,
        blocks_skipped: 5,
        blocks_cached: 1,
        bytes_read: 10,
        bytes_total: 100,
        memory_peak: 7,
        ..Figures::default()
    };
    let step = StepFigures { name: "scan".to_owned(), rows: 9, elapsed: Duration::from_millis(2) };
    answer.explanation = Some(Explanation {
        plan: "limit 2\n  scan web".to_owned(),
        steps: vec![step],
        skipped: vec![("outside of the time range", 5)],
    });
    let expected = json!({
        "plan": "limit 2\n  scan web",
        "steps": [{"name": "scan", "rows": 9, "elapsedMicros": 2_000}],
        "blocks": {"examined": 2, "skipped": 5, "cached": 1},
        "skipped": [{"why": "outside of the time range", "blocks": 5}],
        "bytesRead": 10, "bytesTotal": 100, "memoryPeak": 7,
    });
    assert_eq!(legacy(&shown(&answer)).1["explain"], expected);
    assert_eq!(tabular(&shown(&answer)).1["explain"], expected);
}

#[test]
fn an_array_of_another_type_is_a_fault_and_not_a_panic() {
    let mut answer = events();
    answer.tables[0].fields[2].values[0].0 = Type::Boolean;
    assert!(write_legacy(&shown(&answer)).is_err());
    assert!(write_tabular(&shown(&answer)).is_err());
}
