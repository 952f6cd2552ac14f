//! The JSON query and the query in text are one language in two spellings: a random JSON query, printed as text and
//! asked as text, gives the same figures.

use std::collections::HashMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value as Json;
use tidegauge_engine::Answer;
use tidegauge_lang::dataset_query::{Surroundings, translate};
use tidegauge_lang::tree::Program;
use tidegauge_lang::{parse_query, print_query, resolve, set_range};
use tidegauge_store::DatasetState;

use crate::properties::{Batch, batches, config, ndjson_of, of_events, of_groups, run_with};
use crate::support::body;
use crate::support::house::{House, Placement, START, Way, block_on};
use crate::support::naive::Query;
use crate::support::reply::{Group, Reply};

/// The text of a JSON query.
fn text_of(body: &Json) -> String {
    let around = Surroundings { now: START, data: None, window_seconds_max: 0 };
    let translated = translate("logs", &body::read(body), around).unwrap();
    print_query(&Program { statements: Vec::new(), query: translated.query })
}

/// The answer of a text over the range of time of a JSON query.
async fn ask(house: &House, state: &Arc<DatasetState>, body: &Json, text: &str) -> Result<Answer, String> {
    let around = Surroundings { now: START, data: None, window_seconds_max: 0 };
    let range = translate("logs", &body::read(body), around).unwrap().range;
    let (program, diagnostics) = parse_query(text);
    if let Some(first) = diagnostics.first() {
        return Err(first.render(text));
    }
    let mut resolved = resolve(program, &[], &HashMap::new()).map_err(|errors| errors[0].render(text))?;
    set_range(&mut resolved.query, range);
    house
        .ask_resolved(&[("logs", state)], resolved, Way::Uncached, House::options(Way::Uncached))
        .await
        .map_err(|errors| errors[0].render(text))
}

/// Where the two languages differ on purpose: `arg_max` has a column for each of its arguments in text and one for the
/// answer in JSON, so these are not compared.
fn is_comparable(call: &Json) -> bool {
    !matches!(call["op"].as_str(), Some("argmin" | "argmax"))
}

fn is_same(json: &Json, text: &Json, op: &str) -> bool {
    match (json, text) {
        // A sum of nothing is nothing in JSON and zero in text.
        (Json::Null, Json::Number(number)) => op == "sum" && number.as_f64() == Some(0.0),
        (Json::Number(a), Json::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            a == b || (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
        }
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b, op))
        }
        (a, b) => a == b,
    }
}

fn compare_groups(json: &[Group], text: &[Group], calls: &[Json]) -> Result<(), String> {
    if json.len() != text.len() {
        return Err(format!("{} groups as text, {} as JSON", text.len(), json.len()));
    }
    for (json, text) in json.iter().zip(text) {
        if (json.start, &json.keys) != (text.start, &text.keys) {
            return Err(format!(
                "{:?} {:?}, as JSON {:?} {:?}",
                text.start, text.keys, json.start, json.keys
            ));
        }
        for ((name, one), call) in json.results.iter().zip(calls) {
            let other = text.results.iter().find(|(known, _)| known == name).map(|(_, value)| value);
            let op = call["op"].as_str().unwrap_or_default();
            if !other.is_some_and(|other| is_same(one, other, op)) {
                return Err(format!("{name} is {other:?}, as JSON {one}"));
            }
        }
    }
    Ok(())
}

async fn check(house: &House, batches: &[Batch], queries: &[Query]) -> Result<(), String> {
    let requests: Vec<String> = batches.iter().map(ndjson_of).collect();
    for placement in [Placement::Buffer, Placement::Both, Placement::Merged] {
        let filled = house.filled(&requests, placement).await;
        for query in queries {
            let mut body = query.body.clone();
            if let Some(calls) = body["aggregations"].as_array_mut() {
                calls.retain(is_comparable);
            }
            // A number in text is one of rows where there is but one group over time, in JSON one of groups.
            if body["groupBy"].as_array().is_some_and(Vec::is_empty) {
                body["limit"] = Json::from(0);
            }
            let text = text_of(&body);
            let is_of_events = body["aggregations"].is_null();
            let json = house.ask(&filled.state, &body, Way::Uncached).await;
            let answer = ask(house, &filled.state, &body, &text).await;
            let outcome = match (json, answer) {
                (Ok(json), Ok(answer)) => {
                    let (mut json, mut text) = (json, Reply::new(&answer, &is_of_events));
                    // A sort in text is one of rows, in JSON one of groups whose rows stay in the order of time.
                    let place = |group: &Group| (group.start, format!("{:?}", group.keys));
                    json.series.sort_by_key(place);
                    text.series.sort_by_key(place);
                    let calls = body["aggregations"].as_array().cloned().unwrap_or_default();
                    let figures = |reply: &Reply| (reply.matched, reply.groups, reply.names.clone());
                    match () {
                        () if figures(&json) != figures(&text) => {
                            Err(format!("{:?}, as JSON {:?}", figures(&text), figures(&json)))
                        }
                        () if json.events != text.events => {
                            Err(format!("{:?}, as JSON {:?}", text.events, json.events))
                        }
                        () => compare_groups(&json.totals, &text.totals, &calls)
                            .and_then(|()| compare_groups(&json.series, &text.series, &calls)),
                    }
                }
                (Err(_), Err(_)) => Ok(()),
                (Ok(_), Err(why)) => Err(format!("as text it fails: {why}")),
                (Err(why), Ok(_)) => Err(format!("as JSON it fails: {why}")),
            };
            outcome
                .map_err(|why| format!("{why}\n{text}\n{body}\n  {placement:?}\n{}", requests.concat()))?;
        }
        house.forget(&filled);
    }
    Ok(())
}

fn run(queries: impl Strategy<Value = Vec<Query>>) {
    let house = block_on(House::new());
    run_with(config(), (batches(), queries), |(batches, queries)| {
        block_on(check(&house, &batches, &queries))
    });
}

#[test]
fn events_are_the_same_in_both_languages() {
    run(prop::collection::vec(of_events(), 1..6));
}

#[test]
fn groups_are_the_same_in_both_languages() {
    run(prop::collection::vec(of_groups(), 1..5));
}
