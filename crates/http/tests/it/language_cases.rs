//! Worked cases of the language from a file, asked over HTTP as clients do.

use serde_json::{Value, json};

use crate::app::TestApp;
use crate::case_file::{cases, compare, refused};

pub(crate) async fn run(app: TestApp) {
    let cases = cases();
    let mut failed = Vec::new();
    // What brings files along needs somebody who hands them out.
    for case in cases.iter().filter(|case| case.get("files").is_none()) {
        // So many questions in one second would be too many.
        app.clock.advance(std::time::Duration::from_secs(1));
        if let Err(reason) = check(&app, case).await {
            failed.push(format!("{}: {}\n  {reason}", case["id"], case["apl"]));
        }
    }
    assert!(failed.is_empty(), "{} of {} cases fail:\n{}", failed.len(), cases.len(), failed.join("\n"));
}

async fn check(app: &TestApp, case: &Value) -> Result<(), String> {
    let (path, body) = ("/v1/query/_apl?format=tabular", json!({"apl": case["apl"]}));
    let answer = app.send("POST", path, Some(&app.owner_token), Some(&body)).await;
    let text = answer.text.clone();
    if let Some(part) = case["error"].as_str() {
        let body = answer.json();
        let said = [&body["message"], &body["detail"], &body["detail"]["message"]];
        let said: Vec<&str> = said.into_iter().filter_map(Value::as_str).collect();
        return refused(part, (answer.status != 200).then_some(said.join("\n").as_str()));
    }
    if answer.status != 200 {
        return Err(text);
    }
    let answer = answer.json();
    let table = &answer["tables"][0];
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (fields, columns) = (list(&table["fields"]), list(&table["columns"]));
    let names: Vec<&str> = fields.iter().filter_map(|field| field["name"].as_str()).collect();
    let rows = columns.first().map_or(0, |column| list(column).len());
    let row = |row: usize| Value::Array(columns.iter().map(|column| column[row].clone()).collect());
    compare(case, &names, (0..rows).map(row).collect())
}
