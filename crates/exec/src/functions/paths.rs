//! What a path leads to in arrays and maps: `$[*].name`, `$.a['b c'][0]`.

use tidegauge_lang::tree::Type;

use super::call::{Call, Function, function, text_of_literal};
use super::elements::{members, write_array};
use crate::error::Result;
use crate::kernels::json;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[function("array_extract", 2, 2, extract)];

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Member(String),
    Element(i64),
    All,
}

/// All that the path leads to, as an array. What is neither array nor map comes as text.
fn extract(call: &Call<'_>) -> Result<Value> {
    let path = call.text(1)?;
    let fixed = match text_of_literal(path.as_ref()) {
        None => None,
        Some(path) => Some(read(path).ok_or_else(|| {
            let message = format!("`{}` cannot read the path `{path}`", call.name);
            call.invalid(message, "write it as in `$[*].name`")
        })?),
    };
    let run = call.texts(move |row, text| {
        let own;
        let steps = match &fixed {
            Some(steps) => steps,
            None => {
                own = read(row.text(1))?;
                &own
            }
        };
        write_array(text, &follow_all(row.text(0), steps), |value, text| {
            if value.starts_with(['[', '{', '"', 'n']) {
                text.push_str(value);
            } else {
                json::write_string(value, text);
            }
        });
        Some(())
    });
    call.result(Type::Array, [call.json(0)?, path], run)
}

/// Whether there is something at a path.
pub(super) fn leads_somewhere(value: &str, path: &str) -> bool {
    read(path).is_some_and(|steps| !follow_all(value, &steps).is_empty())
}

fn follow_all(value: &str, steps: &[Step]) -> Vec<String> {
    let mut found = vec![value.trim().to_owned()];
    for step in steps {
        found = found.iter().flat_map(|value| follow(value, step)).collect();
    }
    found
}

fn follow(value: &str, step: &Step) -> Vec<String> {
    let one = |found: Option<&str>| found.map(str::to_owned).into_iter().collect();
    match step {
        Step::Member(name) => one(json::member(value, name)),
        Step::Element(number) => one(json::element(value, *number)),
        Step::All => match json::elements(value) {
            Some(elements) => elements.map(str::to_owned).collect(),
            None => members(value).iter().flatten().map(|(_, value)| value.to_string()).collect(),
        },
    }
}

fn read(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.trim().strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let step;
        (step, rest) = match rest.strip_prefix('.') {
            Some(after) => {
                let end = after.find(['.', '[']).unwrap_or(after.len());
                let (name, after) = after.split_at(end);
                (if name == "*" { Step::All } else { Step::Member(name.to_owned()) }, after)
            }
            None => bracket(rest.strip_prefix('[')?)?,
        };
        if step == Step::Member(String::new()) {
            return None;
        }
        steps.push(step);
    }
    Some(steps)
}

/// What stands in brackets: a number, a name in quotes, or all.
fn bracket(rest: &str) -> Option<(Step, &str)> {
    for quote in ['\'', '"'] {
        if let Some(after) = rest.strip_prefix(quote) {
            let (name, after) = after.split_once(quote)?;
            return Some((Step::Member(name.to_owned()), after.strip_prefix(']')?));
        }
    }
    let (inside, after) = rest.split_once(']')?;
    let step = if inside.trim() == "*" { Step::All } else { Step::Element(inside.trim().parse().ok()?) };
    Some((step, after))
}
