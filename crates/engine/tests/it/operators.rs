//! The operators of the language, each over rows in the query and over a dataset.

mod expand;
mod extend_valid;
mod external;
mod make_series;
mod parse;
mod parse_kv;
mod redact;
mod sample;

use std::sync::Arc;

use serde_json::{Value as Json, json};
use tidegauge_engine::Answer;
use tidegauge_lang::Diagnostic;
use tidegauge_store::DatasetState;

use crate::support::house::{House, Placement, Way, block_on};
use crate::support::reply::value;

/// The answer as JSON: the names of the fields, then the rows.
async fn answer(
    house: &House,
    datasets: &[(&str, &Arc<DatasetState>)],
    text: &str,
    way: Way,
) -> Result<Json, String> {
    rows_of(house.ask_text(datasets, text, way).await)
}

fn rows_of(answer: Result<Answer, Vec<Diagnostic>>) -> Result<Json, String> {
    let answer = answer.map_err(|errors| {
        let error = &errors[0];
        format!("{} / {}", error.message, error.hint.as_deref().unwrap_or_default())
    })?;
    let table = &answer.tables[0];
    let names = table.fields.iter().map(|field| Json::from(field.name.as_str())).collect();
    let row = |row: usize| table.fields.iter().map(|field| value(field, row)).collect();
    Ok(Json::Array(std::iter::once(Json::Array(names)).chain((0..table.rows).map(row)).collect()))
}

/// Queries of no dataset with their answers.
fn check(cases: &[(&str, Json)]) {
    block_on(async {
        let house = House::new().await;
        for (text, expected) in cases {
            for way in [Way::Uncached, Way::Threads] {
                let found = answer(&house, &[], text, way).await;
                assert_eq!(found.as_ref(), Ok(expected), "{text}");
            }
        }
    });
}

/// Queries of no dataset with parts of what refuses them.
fn refuses(cases: &[(&str, &str)]) {
    block_on(async {
        let house = House::new().await;
        for (text, message) in cases {
            let error = answer(&house, &[], text, Way::Uncached).await.expect_err(text);
            assert!(error.contains(message), "{text}: {error}");
        }
    });
}

/// Queries of a dataset that is called `logs`, wherever its events lie.
fn check_dataset(events: &[Json], cases: &[(&str, Json)]) {
    let request = |events: &[Json]| events.iter().map(|event| format!("{event}\n")).collect::<String>();
    let requests: Vec<String> = events.chunks(3).map(request).collect();
    block_on(async {
        let house = House::new().await;
        for placement in Placement::ALL {
            let filled = house.filled(&requests, placement).await;
            for (text, expected) in cases {
                for way in Way::all(placement) {
                    let found = answer(&house, &[("logs", &filled.state)], text, *way).await;
                    assert_eq!(found.as_ref(), Ok(expected), "{text} {placement:?} {way:?}");
                }
            }
            house.forget(&filled);
        }
    });
}

/// Events with messages, a second apart.
fn messages(messages: &[&str]) -> Vec<Json> {
    let event = |(second, message): (usize, &&str)| json!({"_time": time(second), "message": message});
    messages.iter().enumerate().map(event).collect()
}

fn time(second: usize) -> String {
    format!("2026-07-01T10:{:02}:{:02}Z", second / 60, second % 60)
}
