//! The answers of queries in text as JSON: columns and rows of each table.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use tidegauge_engine::{Answer, Table};
use tidegauge_store::DatasetState;

use super::house::{House, Way};
use super::reply::value;

/// The rows of a table.
pub(crate) fn rows(table: &Table) -> Json {
    let row = |row: usize| Json::Array(table.fields.iter().map(|field| value(field, row)).collect());
    Json::Array((0..table.rows).map(row).collect())
}

/// A table by its name: its columns and its rows.
pub(crate) fn table(answer: &Answer, name: &str) -> Option<Json> {
    let table = answer.tables.iter().find(|table| table.name == name)?;
    let columns: Vec<&str> = table.fields.iter().map(|field| field.name.as_str()).collect();
    Some(json!({"columns": columns, "rows": rows(table)}))
}

/// Checks the rows of queries that need no dataset.
pub(crate) async fn check(house: &House, cases: &[(&str, Json)]) {
    for (apl, expected) in cases {
        let answer = ask(house, None, apl, Way::Threads).await;
        assert_eq!(&rows(&answer.tables[0]), expected, "{apl}");
    }
}

/// Checks a part of the message that refuses a query.
pub(crate) async fn check_refused(house: &House, cases: &[(&str, &str)]) {
    for (apl, expected) in cases {
        let Err(errors) = house.ask_text(&[], apl, Way::Threads).await else { panic!("{apl} is answered") };
        let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        assert!(messages.iter().any(|message| message.contains(expected)), "{apl}: {messages:?}");
    }
}

/// Asks a query, of the dataset `logs` if there is one.
pub(crate) async fn ask(house: &House, logs: Option<&Arc<DatasetState>>, apl: &str, way: Way) -> Answer {
    let datasets: Vec<(&str, &Arc<DatasetState>)> = logs.into_iter().map(|logs| ("logs", logs)).collect();
    house.ask_text(&datasets, apl, way).await.unwrap_or_else(|errors| {
        let errors: Vec<String> = errors.iter().map(|error| error.render(apl)).collect();
        panic!("{}", errors.join("\n"))
    })
}
