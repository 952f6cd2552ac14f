//! Worked cases of the language, asked of the engine: those of the project, and those of the file that
//! `TIDEGAUGE_CASES` names. Every function and every operator has some, one of them a call that is refused.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use regex::Regex;
use serde_json::Value as Json;
use tidegauge_engine::Files;
use tidegauge_lang::diagnostic::render_all;
use tidegauge_lang::{functions, stages};

use crate::case_file::{cases, cases_below, compare, refused};
use crate::golden_file::repository;
use crate::support::house::{House, Way, block_on};
use crate::support::reply::value;

/// The files that a case brings along, by their addresses.
struct Shelf(HashMap<String, Vec<u8>>);

impl Files for Shelf {
    fn read<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<Vec<u8>, String>> {
        let file = self.0.get(address).cloned();
        async move { file.ok_or_else(|| "there is no such file".to_owned()) }.boxed()
    }
}

#[test]
fn worked_cases_give_their_rows() {
    let cases = cases();
    let mut failed = Vec::new();
    block_on(async {
        let house = House::new().await;
        for case in &cases {
            if let Err(reason) = check(&house, case).await {
                failed.push(format!("{}: {}\n  {reason}", case["id"], case["apl"]));
            }
        }
    });
    assert!(failed.is_empty(), "{} of {} cases fail:\n{}", failed.len(), cases.len(), failed.join("\n"));
}

async fn check(house: &House, case: &Json) -> Result<(), String> {
    let apl = case["apl"].as_str().unwrap();
    let answer = match case["files"].as_object() {
        Some(files) => {
            let file = |(address, text): (&String, &Json)| {
                (address.clone(), text.as_str().unwrap().as_bytes().to_vec())
            };
            house.ask_files(apl, Arc::new(Shelf(files.iter().map(file).collect()))).await
        }
        None => house.ask_text(&[], apl, Way::Threads).await,
    };
    let answer = answer.map_err(|errors| render_all(&errors, apl));
    if let Some(part) = case["error"].as_str() {
        return refused(part, answer.as_ref().err().map(String::as_str));
    }
    let answer = answer?;
    let table = &answer.tables[0];
    let names: Vec<&str> = table.fields.iter().map(|field| field.name.as_str()).collect();
    let row = |row: usize| Json::Array(table.fields.iter().map(|field| value(field, row)).collect());
    compare(case, &names, (0..table.rows).map(row).collect())
}

#[test]
fn every_name_has_three_cases_and_one_where_it_is_refused() {
    let folder = repository().join("tests/language");
    let of_functions = cases_below(&folder.join("functions"));
    let of_operators = cases_below(&folder.join("operators"));
    let mut few = Vec::new();
    for function in functions::all() {
        let name = regex::escape(function.name);
        few.extend(missing(function.name, &format!(r"\b{name}\("), &of_functions));
    }
    for name in stages::operators().flat_map(|operator| operator.names) {
        let escaped = regex::escape(name);
        few.extend(missing(name, &format!(r"(^|[|;(])\s*{escaped}(\s|$)"), &of_operators));
    }
    assert!(few.is_empty(), "{} names have too few cases:\n{}", few.len(), few.join("\n"));
}

/// What a name lacks, where a pattern tells in which queries it stands.
fn missing(name: &str, pattern: &str, cases: &[Json]) -> Option<String> {
    let pattern = Regex::new(pattern).unwrap();
    let with_it = cases.iter().filter(|case| pattern.is_match(case["apl"].as_str().unwrap()));
    let (refused, answered): (Vec<&Json>, Vec<&Json>) = with_it.partition(|case| case.get("error").is_some());
    let is_enough = !refused.is_empty() && answered.len() >= 2;
    (!is_enough).then(|| format!("{name}: {} with rows, {} refused", answered.len(), refused.len()))
}

#[test]
fn no_two_cases_have_one_id() {
    let mut ids = BTreeSet::new();
    for case in cases_below(&repository().join("tests/language")) {
        let id = case["id"].as_str().unwrap().to_owned();
        assert!(ids.insert(id.clone()), "{id}");
    }
}
