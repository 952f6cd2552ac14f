//! The questions of `tests/queries`, asked over HTTP: the public answers are those of the engine.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::app::TestApp;
use crate::database::Backend;
use crate::golden_file::{Answer, EventLine, GroupLine, completed, differences, exact, repository};

pub(crate) fn run(backend: Backend) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let app = runtime.block_on(TestApp::start(backend));
    let mut datasets: HashMap<String, HashMap<i64, String>> = HashMap::new();
    let over_http = |name: &str, body: &Value| {
        let ids = datasets.entry(name.to_owned()).or_insert_with(|| filled(&runtime, &app, name));
        let body = completed(body, |number| ids[&number].clone());
        runtime.block_on(ask(&app, name, &body))
    };
    let problems = differences(over_http, &|_, _| false);
    assert!(problems.is_empty(), "{problems}");
}

/// Sends the events of a file and gives their identities by their numbers.
fn filled(runtime: &Runtime, app: &TestApp, name: &str) -> HashMap<i64, String> {
    let events = std::fs::read(repository().join(format!("tests/data/{name}.ndjson"))).unwrap();
    let headers = [("content-type", "application/x-ndjson")];
    let path = format!("/v1/datasets/{name}/ingest");
    let answer = runtime.block_on(app.send_bytes(&path, &headers, events));
    assert_eq!(answer.status, 200, "{answer:?}");
    let all = json!({
        "startTime": "2027-01-14T00:00:00Z", "endTime": "2027-01-15T00:00:00Z", "resolution": "auto",
        "project": [{"field": "id"}],
    });
    let path = format!("/v1/datasets/{name}/query");
    let answer = runtime.block_on(app.send("POST", &path, Some(&app.owner_token), Some(&all))).json();
    let id =
        |event: &Value| (event["data"]["id"].as_i64().unwrap(), event["_rowId"].as_str().unwrap().to_owned());
    answer["matches"].as_array().unwrap().iter().map(id).collect()
}

async fn ask(app: &TestApp, name: &str, body: &Value) -> Answer {
    // So many questions in one second would be too many.
    app.clock.advance(std::time::Duration::from_secs(1));
    let path = format!("/v1/datasets/{name}/query");
    let answer = app.send("POST", &path, Some(&app.owner_token), Some(body)).await;
    if answer.status != 200 {
        return Answer::Error(without_place(answer.json()["message"].as_str().unwrap_or_default()));
    }
    let answer = exact(&answer.text);
    if body["aggregations"].as_array().is_none_or(Vec::is_empty) {
        return Answer::Events(list(&answer["matches"]).iter().map(event).collect());
    }
    let groups = |start: Option<&Value>, groups: &Value| -> Vec<GroupLine> {
        list(groups).iter().map(|entry| group(start, entry, body)).collect()
    };
    let series = list(&answer["buckets"]["series"]);
    Answer::Groups {
        totals: groups(None, &answer["buckets"]["totals"]),
        series: series
            .iter()
            .flat_map(|bucket| groups(Some(&bucket["startTime"]), &bucket["groups"]))
            .collect(),
    }
}

/// What is wrong with an expression, without the words around it that say where.
fn without_place(message: &str) -> String {
    let starts = message.starts_with("the virtual field ") || message.starts_with("the query: ");
    let Some((_, rest)) = message.split_once(": ").filter(|_| starts) else { return message.to_owned() };
    rest.rsplit_once(" at line ").map_or(rest, |(problem, _)| problem).to_owned()
}

fn list(json: &Value) -> &[Value] {
    json.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn event(entry: &Value) -> EventLine {
    let data: BTreeMap<String, Value> = entry["data"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    EventLine { time: entry["_time"].as_str().unwrap().to_owned(), data }
}

fn group(start: Option<&Value>, entry: &Value, body: &Value) -> GroupLine {
    let mut keys: Vec<(String, Value)> = Vec::new();
    for name in list(&body["groupBy"]).iter().filter_map(Value::as_str) {
        if keys.iter().all(|(known, _)| known != name) {
            keys.push((name.to_owned(), entry["group"][name].clone()));
        }
    }
    let result = |result: &Value| (result["op"].as_str().unwrap().to_owned(), result["value"].clone());
    GroupLine {
        start: start.map(|time| time.as_str().unwrap().to_owned()),
        keys,
        results: list(&entry["aggregations"]).iter().map(result).collect(),
    }
}
