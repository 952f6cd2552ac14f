//! The forms that only queries in text have.

use arrow_array::cast::AsArray;
use arrow_array::types::{DurationNanosecondType, TimestampNanosecondType};
use arrow_ipc::reader::StreamReader;
use arrow_schema::{DataType, TimeUnit};

use super::*;

fn text() -> TextQuery {
    TextQuery {
        range: TimeRange { start: i64::MIN, end: NOON },
        warnings: vec!["a, b".to_owned()],
        cursor: Some("row".to_owned()),
        includes_cursor: true,
    }
}

#[test]
fn rows_stand_below_the_names_of_their_fields() {
    let answer = events();
    let csv = String::from_utf8(whole(write_csv(&shown(&answer)))).unwrap();
    let expected = concat!(
        "_time,_sysTime,status,ok,took,span,tags,nothing\r\n",
        "2026-06-01T12:00:00.000000001Z,2026-06-01T12:00:01Z,200,true,2.0,1m30s,\"[1,\"\"a\"\"]\",\r\n",
        "2026-06-01T12:00:00Z,2026-06-01T12:00:01Z,\"304\n\",false,,,\"{\"\"k\"\":null}\",\r\n",
    );
    assert_eq!(csv, expected);
    assert!(whole(write_csv(&shown(&Answer::default()))).is_empty());
}

#[test]
fn each_row_is_an_object_on_its_line() {
    let answer = events();
    let ndjson = String::from_utf8(whole(write_ndjson(&shown(&answer)))).unwrap();
    let rows: Vec<Value> = ndjson.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(keys(&rows[0]), ["_time", "_sysTime", "status", "ok", "took", "span", "tags", "nothing"]);
    assert_eq!((&rows[0]["tags"], &rows[1]["status"]), (&json!([1, "a"]), &json!("304\n")));
    assert_eq!((&rows[1]["took"], &rows[1]["nothing"]), (&Value::Null, &Value::Null));
}

#[test]
fn tables_of_rows_have_the_values_of_tables_of_columns() {
    let answer = events();
    let (_, value) = read(write_tabular_rows(&Shown { text: Some(&text()), ..shown(&answer) }));
    assert_eq!(value["format"], "tabular-rows");
    let table = &value["tables"][0];
    assert_eq!(keys(table), ["name", "sources", "fields", "order", "groups", "range", "rows"]);
    // A query in text says in which order its fields stand.
    assert_eq!(table["fields"][0]["name"], "_time");
    assert_eq!(table["rows"][1][2], "304\n");
    assert_eq!(table["rows"][0].as_array().unwrap().len(), 8);
}

#[test]
fn arrow_has_the_types_that_it_knows() {
    let answer = events();
    let bytes = whole(write_arrow(&shown(&answer)));
    let mut reader = StreamReader::try_new(bytes.as_slice(), None).unwrap();
    let batch = reader.next().unwrap().unwrap();
    assert!(reader.next().is_none());
    let schema = batch.schema();
    let kinds: Vec<(&str, &DataType, &str)> = schema
        .fields()
        .iter()
        .map(|field| (field.name().as_str(), field.data_type(), field.metadata()["tidegauge.type"].as_str()))
        .collect();
    let time = DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into()));
    let span = DataType::Duration(TimeUnit::Nanosecond);
    let expected = [
        ("_time", &time, "datetime"),
        ("_sysTime", &time, "datetime"),
        ("status", &DataType::Utf8, "integer|string"),
        ("ok", &DataType::Boolean, "boolean"),
        ("took", &DataType::Float64, "float"),
        ("span", &span, "timespan"),
        ("tags", &DataType::Utf8, "array|map"),
        ("nothing", &DataType::Null, "unknown"),
    ];
    assert_eq!(kinds, expected);
    assert_eq!(batch.column(0).as_primitive::<TimestampNanosecondType>().value(0), NOON + 1);
    assert_eq!(batch.column(5).as_primitive::<DurationNanosecondType>().value(0), 90 * SECOND);
    assert!(batch.column(5).is_null(1));
    let texts = |column: usize| batch.column(column).as_string::<i32>().iter().collect::<Vec<_>>();
    assert_eq!(texts(2), [Some("200"), Some("304\n")]);
    assert_eq!(texts(6), [Some(r#"[1,"a"]"#), Some(r#"{"k":null}"#)]);
}

#[test]
fn an_answer_without_tables_is_a_stream_without_rows() {
    let bytes = whole(write_arrow(&shown(&Answer::default())));
    let mut reader = StreamReader::try_new(bytes.as_slice(), None).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().num_rows(), 0);
}

#[test]
fn the_legacy_form_repeats_what_was_understood() {
    let (answer, text) = (groups(), text());
    let (_, value) =
        legacy(&Shown { text: Some(&text), datasets: &web("status", "integer"), ..shown(&answer) });
    let expected =
        ["format", "status", "matches", "buckets", "fieldsMeta", "request", "datasetNames", "fieldsMetaMap"];
    assert_eq!(keys(&value), expected);
    let request = json!({
        "startTime": "0001-01-01T00:00:00Z", "endTime": "2026-06-01T12:00:00Z", "resolution": "10s",
        "aggregations": [{"op": "count", "field": "*", "alias": "n", "argument": null}], "groupBy": ["status"],
        "filter": null, "order": [], "limit": 4, "virtualFields": [], "project": [], "cursor": "row",
        "includeCursor": true, "continuationToken": "",
    });
    assert_eq!(value["request"], request);
    let warning = json!({"priority": "warn", "count": 1, "code": "apl_ab_1", "msg": "a, b"});
    assert_eq!(value["status"]["messages"], json!([warning]));
}

#[test]
fn groups_without_buckets_are_totals_and_what_was_made_of_groups_is_rows() {
    let text = text();
    let mut answer = groups();
    answer.tables.truncate(1);
    answer.tables[0].bucket = None;
    let shown_of = |answer: &Answer| legacy(&Shown { text: Some(&text), ..shown(answer) }).1;
    let value = shown_of(&answer);
    assert_eq!(value["matches"], json!([]));
    assert_eq!(value["buckets"]["series"], json!([]));
    assert_eq!(value["buckets"]["totals"].as_array().unwrap().len(), 4);
    let mut answer = groups();
    answer.tables[0].groups.clear();
    answer.tables[0].fields.iter_mut().for_each(|field| field.aggregate = None);
    let value = shown_of(&answer);
    assert_eq!(value["matches"].as_array().unwrap().len(), 4);
    assert_eq!(value["matches"][0]["data"]["n"], 1);
    assert_eq!(value["buckets"], json!({"series": [], "totals": []}));
}

#[test]
fn long_answers_are_the_same_in_every_form() {
    // More than is put away at once, and more rows than Arrow gets at once.
    let rows = 20_000;
    let names: Vec<String> = (0..rows).map(|row| format!("a name of some length, number {row}")).collect();
    let name = (Type::String, Arc::new(StringViewArray::from_iter_values(&names)) as ArrayRef);
    let number = integers((0..rows).map(|row| (row % 3 > 0).then_some(row)).collect());
    let fields = vec![field("name", vec![name]), field("number", vec![number])];
    let rows = names.len();
    let answer =
        Answer { tables: vec![Table { name: MAIN, rows, fields, ..Table::default() }], ..Answer::default() };
    let shown = Shown { text: Some(&text()), ..shown(&answer) };
    let number_of = |row: usize| if row.is_multiple_of(3) { Value::Null } else { json!(row) };

    let (_, by_columns) = tabular(&shown);
    let (_, by_rows) = read(write_tabular_rows(&shown));
    let (_, matches) = legacy(&shown);
    let lines = String::from_utf8(whole(write_ndjson(&shown))).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let csv = String::from_utf8(whole(write_csv(&shown))).unwrap();
    let csv: Vec<&str> = csv.split_terminator("\r\n").skip(1).collect();
    assert_eq!((lines.len(), csv.len()), (rows, rows));
    for (row, name) in names.iter().enumerate() {
        let number = number_of(row);
        let columns = &by_columns["tables"][0]["columns"];
        assert_eq!((&columns[0][row], &columns[1][row]), (&json!(name), &number));
        assert_eq!(by_rows["tables"][0]["rows"][row], json!([name, number]));
        assert_eq!(matches["matches"][row]["data"], json!({ "name": name, "number": number }));
        assert_eq!(lines[row], json!({ "name": name, "number": number }));
        let shown = if number.is_null() { String::new() } else { number.to_string() };
        assert_eq!(csv[row], format!("\"{name}\",{shown}"));
    }

    let bytes = whole(write_arrow(&shown));
    let mut start = 0;
    for batch in StreamReader::try_new(bytes.as_slice(), None).unwrap() {
        let batch = batch.unwrap();
        let texts = batch.column(0).as_string::<i32>();
        assert!((0..batch.num_rows()).all(|row| texts.value(row) == names[start + row]));
        assert!((0..batch.num_rows()).all(|row| batch.column(1).is_null(row) == ((start + row) % 3 == 0)));
        start += batch.num_rows();
    }
    assert_eq!(start, rows);
}
