//! The functions that a query calls by name, by family. Each family is a table of names with how many arguments they
//! take and how they bind. Which functions the language has, with their parameters in words, is told by `lang`.

mod arrays;
mod bags;
mod byte_counts;
mod calendar;
mod call;
mod conditions;
mod conversions;
mod datetimes;
mod elements;
mod encodings;
mod file_paths;
mod gamma;
mod genai;
mod hashes;
mod ip;
mod mathematics;
mod numbers;
mod pairs;
mod paths;
mod patterns;
mod randomness;
mod records;
mod rounding;
mod rows;
mod search;
mod series;
mod sets;
mod sorting;
mod sql;
mod strings;
mod templates;
mod types;
mod urls;

use tidegauge_lang::Span;

use crate::error::{Result, invalid};
use crate::lookup::Lookup;
use crate::notices::Notices;
use crate::value::Value;
use call::{Call, Function};

const FAMILIES: &[&[Function]] = &[
    conversions::FUNCTIONS,
    conditions::FUNCTIONS,
    types::FUNCTIONS,
    strings::FUNCTIONS,
    search::FUNCTIONS,
    patterns::FUNCTIONS,
    templates::FUNCTIONS,
    encodings::FUNCTIONS,
    urls::FUNCTIONS,
    records::FUNCTIONS,
    byte_counts::FUNCTIONS,
    datetimes::FUNCTIONS,
    mathematics::FUNCTIONS,
    numbers::FUNCTIONS,
    rounding::FUNCTIONS,
    arrays::FUNCTIONS,
    sorting::FUNCTIONS,
    paths::FUNCTIONS,
    sets::FUNCTIONS,
    bags::FUNCTIONS,
    hashes::FUNCTIONS,
    series::of_one::FUNCTIONS,
    series::of_two::FUNCTIONS,
    series::fills::FUNCTIONS,
    series::filters::FUNCTIONS,
    series::transforms::FUNCTIONS,
    series::statistics::FUNCTIONS,
    ip::FUNCTIONS,
    pairs::FUNCTIONS,
    sql::FUNCTIONS,
    genai::FUNCTIONS,
    file_paths::FUNCTIONS,
    randomness::FUNCTIONS,
];

/// What functions know of the query that they are called in.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// The moment of the query, in nanoseconds since 1970.
    pub now: i64,
    pub lookup: &'a Lookup,
    pub notices: &'a Notices,
}

/// Calls a function; none where there is no such.
pub fn call(name: &str, arguments: &[Value], span: Span, around: Around<'_>) -> Result<Option<Value>> {
    let Some(function) = find(name) else { return Ok(None) };
    if !(function.least..=function.most).contains(&arguments.len()) {
        return Err(invalid(span, function.count_message(arguments.len())));
    }
    bind(function, arguments, span, around).map(Some)
}

/// As [`call`], with as many arguments as a row has fields.
pub fn call_with_many(
    name: &str,
    arguments: &[Value],
    span: Span,
    around: Around<'_>,
) -> Result<Option<Value>> {
    let Some(function) = find(name) else { return Ok(None) };
    bind(function, arguments, span, around).map(Some)
}

fn bind(function: &Function, arguments: &[Value], span: Span, around: Around<'_>) -> Result<Value> {
    let Around { now, lookup, notices } = around;
    let call = Call { name: function.name, span, now, lookup, notices, arguments };
    (function.bind)(&call)
}

/// Whether there is a function of this name. Names are case-sensitive.
pub fn is_known(name: &str) -> bool {
    find(name).is_some()
}

/// Whether a function can be called with so many arguments. None where there is no such function.
pub fn takes(name: &str, count: usize) -> Option<bool> {
    find(name).map(|function| (function.least..=function.most).contains(&count))
}

/// The name of every function, family after family.
pub fn names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().copied().flatten().map(|function| function.name)
}

fn find(name: &str) -> Option<&'static Function> {
    FAMILIES.iter().copied().flatten().find(|function| function.name == name)
}
