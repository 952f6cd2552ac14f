//! Worked cases of the language: a query and its rows, or part of what is said where it is refused, one case a line,
//! and the rules by which rows are compared. The tests of the engine and those of the service share it.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

/// The cases of the project, which lie below `tests/language`, and those of the file that `TIDEGAUGE_CASES` names.
pub(crate) fn cases() -> Vec<Json> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the path of a file of cases is told to the test from outside"
    )]
    let given = std::env::var("TIDEGAUGE_CASES").ok();
    // This is part of the tests of several packages.
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|it| it.join("tests/language"));
    let mut cases = cases_below(&folders.find(|folder| folder.is_dir()).unwrap());
    cases.extend(given.iter().flat_map(|path| cases_of(Path::new(path))));
    cases
}

/// The cases of all files below a folder.
pub(crate) fn cases_below(folder: &Path) -> Vec<Json> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        if path.is_dir() {
            cases.extend(cases_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            cases.extend(cases_of(&path));
        }
    }
    cases
}

fn cases_of(path: &Path) -> Vec<Json> {
    let Ok(text) = std::fs::read_to_string(path) else { panic!("no file {}", path.display()) };
    let case = |line: &str| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error} in {line}", path.display()))
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(case).collect()
}

/// Compares what is said about a query, if it is refused, with the part of it that a case has.
pub(crate) fn refused(part: &str, said: Option<&str>) -> Result<(), String> {
    match said {
        Some(said) if said.contains(part) => Ok(()),
        Some(said) => Err(format!("is refused in other words than {part:?}:\n{said}")),
        None => Err("is not refused".to_owned()),
    }
}

/// What a case says beside its query and its rows.
struct Rules {
    tolerance: f64,
    is_ordered: bool,
    is_set: bool,
    has_null_as_empty: bool,
    ignores_names: bool,
}

/// Compares the columns and rows that were found with those of a case.
pub(crate) fn compare(case: &Json, names: &[&str], mut found: Vec<Json>) -> Result<(), String> {
    let is = |name: &str| case[name].as_bool().unwrap_or(false);
    let rules = Rules {
        tolerance: case["tol"].as_f64().unwrap_or(0.0),
        is_ordered: is("ordered"),
        is_set: is("set"),
        has_null_as_empty: is("null_eq_empty"),
        ignores_names: is("ignore_names"),
    };
    let expected: Vec<&str> = case["columns"].as_array().unwrap().iter().filter_map(Json::as_str).collect();
    if !rules.ignores_names && names != expected {
        return Err(format!("columns {names:?}, not {expected:?}"));
    }
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
        // Integers differ by less than floats can tell.
        (Json::Number(one), Json::Number(other))
            if rules.tolerance == 0.0 && !one.is_f64() && !other.is_f64() =>
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
