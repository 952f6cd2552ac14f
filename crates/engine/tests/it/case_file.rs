//! Worked cases of the language: a query and its rows, one case a line, and the rules by which rows are compared. The
//! tests of the engine and those of the service share it.

use serde_json::Value as Json;

/// The cases of the project, and those of the file that `TIDEGAUGE_CASES` names.
pub(crate) fn cases() -> Vec<Json> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the path of a file of cases is told to the test from outside"
    )]
    let given = std::env::var("TIDEGAUGE_CASES").ok();
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/language/cases.jsonl");
    let mut cases = Vec::new();
    for path in [Some(own.to_owned()), given].into_iter().flatten() {
        let Ok(text) = std::fs::read_to_string(&path) else { panic!("no file {path}") };
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        cases.extend(lines.map(|line| serde_json::from_str::<Json>(line).unwrap()));
    }
    cases
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
