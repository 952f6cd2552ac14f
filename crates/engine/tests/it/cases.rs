//! Worked cases of the language: a query and its rows, or part of what is said where it is refused, one case a line.
//! The files below `tests/language` are always run; another one is run by its path in `TIDEGAUGE_CASES`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use regex::Regex;
use serde_json::Value as Json;
use tidegauge_lang::diagnostic::render_all;
use tidegauge_lang::{functions, stages};

use crate::golden_file::repository;
use crate::support::house::{House, Way, block_on};
use crate::support::reply::value;

/// What a case says beside its query and its rows.
struct Rules {
    tolerance: f64,
    is_ordered: bool,
    is_set: bool,
    has_null_as_empty: bool,
    ignores_names: bool,
}

#[test]
fn worked_cases_give_their_rows() {
    #[expect(
        clippy::disallowed_methods,
        reason = "the path of a file of cases is told to the test from outside"
    )]
    let given = std::env::var("TIDEGAUGE_CASES").ok();
    let paths = own_files(&repository().join("tests/language")).into_iter().chain(given.map(PathBuf::from));
    let cases: Vec<Json> = paths.flat_map(|path| cases_of(&path)).collect();
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

#[test]
fn every_name_has_three_cases_and_one_where_it_is_refused() {
    let folder = repository().join("tests/language");
    let of_functions = own_cases(&folder.join("functions"));
    let of_operators = own_cases(&folder.join("operators"));
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

#[test]
fn no_two_cases_have_one_id() {
    let mut ids = BTreeSet::new();
    for case in own_cases(&repository().join("tests/language")) {
        let id = case["id"].as_str().unwrap().to_owned();
        assert!(ids.insert(id.clone()), "{id}");
    }
}

/// What a name lacks, where a pattern tells in which queries it stands.
fn missing(name: &str, pattern: &str, cases: &[Json]) -> Option<String> {
    let pattern = Regex::new(pattern).unwrap();
    let with_it = cases.iter().filter(|case| pattern.is_match(case["apl"].as_str().unwrap()));
    let (refused, answered): (Vec<&Json>, Vec<&Json>) = with_it.partition(|case| case.get("error").is_some());
    let is_enough = !refused.is_empty() && answered.len() >= 2;
    (!is_enough).then(|| format!("{name}: {} with rows, {} refused", answered.len(), refused.len()))
}

/// The files of cases below a folder.
fn own_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(own_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn own_cases(folder: &Path) -> Vec<Json> {
    own_files(folder).iter().flat_map(|path| cases_of(path)).collect()
}

fn cases_of(path: &Path) -> Vec<Json> {
    let Ok(text) = std::fs::read_to_string(path) else { panic!("no file {}", path.display()) };
    let case = |line: &str| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error} in {line}", path.display()))
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(case).collect()
}

async fn check(house: &House, case: &Json) -> Result<(), String> {
    let apl = case["apl"].as_str().unwrap();
    let answer = house.ask_text(&[], apl, Way::Threads).await.map_err(|errors| render_all(&errors, apl));
    if let Some(part) = case["error"].as_str() {
        return match answer {
            Err(rendered) if rendered.contains(part) => Ok(()),
            Err(rendered) => Err(format!("is refused in other words:\n{rendered}")),
            Ok(_) => Err("is not refused".to_owned()),
        };
    }
    let answer = answer?;
    let table = &answer.tables[0];
    let is = |name: &str| case[name].as_bool().unwrap_or(false);
    let rules = Rules {
        tolerance: case["tol"].as_f64().unwrap_or(0.0),
        is_ordered: is("ordered"),
        is_set: is("set"),
        has_null_as_empty: is("null_eq_empty"),
        ignores_names: is("ignore_names"),
    };
    let names: Vec<&str> = table.fields.iter().map(|field| field.name.as_str()).collect();
    let expected: Vec<&str> = case["columns"].as_array().unwrap().iter().filter_map(Json::as_str).collect();
    if !rules.ignores_names && names != expected {
        return Err(format!("columns {names:?}, not {expected:?}"));
    }
    let row = |row: usize| Json::Array(table.fields.iter().map(|field| value(field, row)).collect());
    let mut found: Vec<Json> = (0..table.rows).map(row).collect();
    let mut wanted = case["expect"].as_array().unwrap().clone();
    if !rules.is_ordered {
        found.sort_by_key(Json::to_string);
        wanted.sort_by_key(Json::to_string);
    }
    let is_same = found.len() == wanted.len()
        && if rules.is_ordered {
            found.iter().zip(&wanted).all(|(one, other)| is_equal(one, other, &rules))
        } else {
            let mut rest: Vec<&Json> = wanted.iter().collect();
            found.iter().all(|one| {
                let place = rest.iter().position(|other| is_equal(one, other, &rules));
                place.map(|place| rest.swap_remove(place)).is_some()
            })
        };
    if is_same {
        Ok(())
    } else {
        Err(format!("found {}\n  not   {}", Json::Array(found), Json::Array(wanted)))
    }
}

fn is_equal(found: &Json, wanted: &Json, rules: &Rules) -> bool {
    let is_empty = |value: &Json| value.is_null() || value.as_str() == Some("");
    match (found, wanted) {
        // Those of 64 bits differ by less than floats can tell.
        (Json::Number(one), Json::Number(other))
            if rules.tolerance == 0.0 && one.is_i64() && other.is_i64() =>
        {
            one == other
        }
        (Json::Number(one), Json::Number(other)) => {
            let (one, other) = (one.as_f64().unwrap_or(f64::NAN), other.as_f64().unwrap_or(f64::NAN));
            (one - other).abs() <= rules.tolerance.max(1e-9) * other.abs().max(1.0)
        }
        // What is no number is shown as null.
        (Json::Null, Json::String(text)) if text == "NaN" => true,
        (Json::Array(one), Json::Array(other)) => {
            if one.len() != other.len() {
                return false;
            }
            if rules.is_set {
                let has = |wanted: &Json| one.iter().any(|found| is_equal(found, wanted, rules));
                return other.iter().all(has);
            }
            one.iter().zip(other).all(|(one, other)| is_equal(one, other, rules))
        }
        (Json::Object(one), Json::Object(other)) => {
            let same = |(key, wanted): (&String, &Json)| {
                one.get(key).is_some_and(|found| is_equal(found, wanted, rules))
            };
            one.len() == other.len() && other.iter().all(same)
        }
        (one, other) => one == other || (rules.has_null_as_empty && is_empty(one) && is_empty(other)),
    }
}
