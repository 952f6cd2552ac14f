//! Expressions: their text, the types that they may have, and their value for a row.

use std::cmp::Ordering;

use super::table::Table;
use super::value::{Kind, TypeSet, Val};
use crate::support::naive::text_test;

#[derive(Clone, Debug)]
pub(crate) enum Ex {
    Value(Val),
    Column(String),
    /// A value that has a name by `let`.
    Constant(String, Val),
    Arithmetic(&'static str, Box<Ex>, Box<Ex>),
    Negate(Box<Ex>),
    Compare(&'static str, Box<Ex>, Box<Ex>),
    And(Box<Ex>, Box<Ex>),
    Or(Box<Ex>, Box<Ex>),
    Not(Box<Ex>),
    /// An operator between a value and a text that stands in the query.
    Text(&'static str, Box<Ex>, String),
    /// Pairs of a condition and a value, and the value for the rest.
    Case(Vec<(Ex, Ex)>, Box<Ex>),
    Call(&'static str, Vec<Ex>),
    Between(Box<Ex>, Box<Ex>, Box<Ex>, bool),
    /// Whether a value is among others, which stand in the query or are a query themselves.
    In {
        value: Box<Ex>,
        text: String,
        among: Vec<Val>,
        operator: &'static str,
    },
}

/// The text of a value in a query.
pub(crate) fn literal(value: &Val) -> String {
    match value {
        Val::Null => "dynamic(null)".to_owned(),
        Val::Bool(value) => value.to_string(),
        Val::Int(value) if *value < 0 => format!("long({value})"),
        Val::Int(value) => value.to_string(),
        Val::Long(value) => value.to_string(),
        Val::Real(value) => format!("real({value:?})"),
        Val::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
        Val::Time(_) => format!("datetime({})", value.text().unwrap()),
        Val::Span(value) if value % 1_000_000_000 == 0 => format!("{}s", value / 1_000_000_000),
        Val::Span(value) => format!("timespan({value}ns)"),
        Val::List(_) => format!("dynamic({})", value.json()),
    }
}

pub(crate) fn name(name: &str) -> String {
    format!("['{name}']")
}

pub(crate) fn list(values: &[Val]) -> String {
    values.iter().map(literal).collect::<Vec<String>>().join(", ")
}

impl Ex {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Value(value) => literal(value),
            Self::Column(column) => name(column),
            Self::Constant(name, _) => name.clone(),
            Self::Arithmetic(operator, a, b) | Self::Compare(operator, a, b) => {
                format!("({} {operator} {})", a.text(), b.text())
            }
            Self::Negate(of) => format!("(-{})", of.text()),
            Self::And(a, b) => format!("({} and {})", a.text(), b.text()),
            Self::Or(a, b) => format!("({} or {})", a.text(), b.text()),
            Self::Not(of) => format!("not({})", of.text()),
            Self::Text(operator, of, needle) => {
                format!("({} {operator} {})", of.text(), literal(&Val::Text(needle.clone())))
            }
            Self::Case(pairs, rest) => {
                let function = if pairs.len() == 1 { "iff" } else { "case" };
                let pairs = pairs.iter().map(|(when, then)| format!("{}, {}", when.text(), then.text()));
                format!("{function}({}, {})", pairs.collect::<Vec<String>>().join(", "), rest.text())
            }
            Self::Call(function, arguments) => {
                let arguments = arguments.iter().map(Self::text).collect::<Vec<String>>();
                format!("{function}({})", arguments.join(", "))
            }
            Self::Between(of, low, high, is_negated) => {
                let operator = if *is_negated { "!between" } else { "between" };
                format!("({} {operator} ({} .. {}))", of.text(), low.text(), high.text())
            }
            Self::In { value, text, operator, .. } => format!("({} {operator} ({text}))", value.text()),
        }
    }

    /// The types that it may have in a table.
    pub(crate) fn kinds(&self, table: &Table) -> TypeSet {
        match self {
            Self::Value(value) | Self::Constant(_, value) => value.kind().into_iter().collect(),
            Self::Column(column) => table.kinds(column),
            Self::Arithmetic(operator, a, b) => arithmetic_kinds(operator, &a.kinds(table), &b.kinds(table)),
            Self::Negate(of) => number_kinds(&of.kinds(table)),
            Self::Compare(..)
            | Self::And(..)
            | Self::Or(..)
            | Self::Not(_)
            | Self::Text(..)
            | Self::Between(..)
            | Self::In { .. } => TypeSet::from([Kind::Bool]),
            Self::Case(pairs, rest) => {
                let values = pairs.iter().map(|(_, then)| then).chain([&**rest]);
                with_one_number(values.flat_map(|value| value.kinds(table)).collect())
            }
            Self::Call(function, arguments) => {
                let first = || arguments[0].kinds(table);
                match *function {
                    "isnull" | "isnotnull" | "isempty" | "isnotempty" => TypeSet::from([Kind::Bool]),
                    "strlen" if first().is_empty() => TypeSet::new(),
                    "toint" if first().is_empty() => TypeSet::new(),
                    "strlen" | "toint" => TypeSet::from([Kind::Int]),
                    "tolower" if first().is_empty() => TypeSet::new(),
                    "tolower" | "strcat" | "tostring" => TypeSet::from([Kind::Text]),
                    "coalesce" => {
                        with_one_number(arguments.iter().flat_map(|value| value.kinds(table)).collect())
                    }
                    "bin" if first().contains(&Kind::Time) => first(),
                    "bin" => {
                        let other = arguments[1].kinds(table);
                        arithmetic_kinds("/", &first(), &other)
                    }
                    other => panic!("no function is called {other}"),
                }
            }
        }
    }

    pub(crate) fn value(&self, table: &Table, row: &[Val]) -> Val {
        let of = |ex: &Self| ex.value(table, row);
        let truth = |value: Option<bool>| value.map_or(Val::Null, Val::Bool);
        match self {
            Self::Value(value) | Self::Constant(_, value) => value.clone(),
            Self::Column(column) => table.place(column).map_or(Val::Null, |place| row[place].clone()),
            Self::Arithmetic(operator, a, b) => {
                let is_whole = self.kinds(table) == TypeSet::from([Kind::Int]);
                arithmetic(operator, &of(a), &of(b), is_whole)
            }
            Self::Negate(inner) => {
                let is_whole = self.kinds(table) == TypeSet::from([Kind::Int]);
                match of(inner) {
                    Val::Int(value) if is_whole => value.checked_neg().map_or(Val::Null, Val::Int),
                    other => other.float().map_or(Val::Null, |value| Val::Real(-value)),
                }
            }
            Self::Compare(operator, a, b) => truth(compare(operator, &of(a), &of(b))),
            Self::And(a, b) => truth(and(known(&of(a)), known(&of(b)))),
            Self::Or(a, b) => {
                let not = |value: Option<bool>| value.map(|value| !value);
                truth(not(and(not(known(&of(a))), not(known(&of(b))))))
            }
            Self::Not(inner) => truth(known(&of(inner)).map(|value| !value)),
            Self::Text(operator, inner, needle) => Val::Bool(passes(operator, &of(inner), needle)),
            Self::Case(pairs, rest) => {
                let met = pairs.iter().find(|(when, _)| of(when) == Val::Bool(true));
                widened(of(met.map_or(rest, |(_, then)| then)), &self.kinds(table))
            }
            Self::Call(function, arguments) => {
                let values: Vec<Val> = arguments.iter().map(of).collect();
                call(function, &values, &self.kinds(table))
            }
            Self::Between(inner, low, high, is_negated) => {
                let value = of(inner);
                let inside = and(compare(">=", &value, &of(low)), compare("<=", &value, &of(high)));
                truth(inside.map(|inside| inside != *is_negated))
            }
            Self::In { value, among, operator, .. } => {
                let value = of(value);
                let is_folded = operator.ends_with('~');
                let equals = |other: &Val| match (is_folded, other) {
                    (true, Val::Text(text)) => passes("=~", &value, text),
                    _ => compare("==", &value, other) == Some(true),
                };
                Val::Bool(among.iter().any(equals) != operator.starts_with('!'))
            }
        }
    }
}

fn number_kinds(kinds: &TypeSet) -> TypeSet {
    match (kinds.contains(&Kind::Real) || kinds.contains(&Kind::Long), kinds.contains(&Kind::Int)) {
        (true, _) => TypeSet::from([Kind::Real]),
        (false, true) => TypeSet::from([Kind::Int]),
        (false, false) => TypeSet::new(),
    }
}

fn arithmetic_kinds(operator: &str, a: &TypeSet, b: &TypeSet) -> TypeSet {
    if a.is_empty() || b.is_empty() {
        return TypeSet::new();
    }
    match (a.contains(&Kind::Time), b.contains(&Kind::Time)) {
        (true, true) if operator == "-" => return TypeSet::from([Kind::Span]),
        (true, _) | (_, true) => return TypeSet::from([Kind::Time]),
        (false, false) => {}
    }
    let is_whole =
        number_kinds(a) == TypeSet::from([Kind::Int]) && number_kinds(b) == TypeSet::from([Kind::Int]);
    TypeSet::from([if is_whole { Kind::Int } else { Kind::Real }])
}

/// Integers are floats where floats stand beside them.
fn with_one_number(mut kinds: TypeSet) -> TypeSet {
    if kinds.contains(&Kind::Real) {
        kinds.remove(&Kind::Int);
    }
    kinds
}

fn widened(value: Val, kinds: &TypeSet) -> Val {
    match value {
        Val::Int(integer) if !kinds.contains(&Kind::Int) => Val::Real(integer as f64),
        other => other,
    }
}

fn known(value: &Val) -> Option<bool> {
    match value {
        Val::Bool(value) => Some(*value),
        _ => None,
    }
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Equality with one null is false and inequality true; between two nulls it is unknown, and so is any order.
fn compare(operator: &str, a: &Val, b: &Val) -> Option<bool> {
    let order = a.compare(b);
    match operator {
        "==" | "!=" => {
            let is_known = !(a.is_null() && b.is_null());
            is_known.then_some((order == Some(Ordering::Equal)) == (operator == "=="))
        }
        "<" => order.map(Ordering::is_lt),
        "<=" => order.map(Ordering::is_le),
        ">" => order.map(Ordering::is_gt),
        ">=" => order.map(Ordering::is_ge),
        other => panic!("no operator is {other}"),
    }
}

/// Integers overflow to null, and a division of integers by zero is null.
fn arithmetic(operator: &str, a: &Val, b: &Val, is_whole: bool) -> Val {
    match (a, b) {
        (Val::Time(a), Val::Time(b)) => return a.checked_sub(*b).map_or(Val::Null, Val::Span),
        (Val::Time(a), Val::Span(b)) => {
            let sum = if operator == "+" { a.checked_add(*b) } else { a.checked_sub(*b) };
            return sum.map_or(Val::Null, Val::Time);
        }
        _ => {}
    }
    if let (Val::Int(a), Val::Int(b), true) = (a, b, is_whole) {
        let result = match operator {
            "+" => a.checked_add(*b),
            "-" => a.checked_sub(*b),
            "*" => a.checked_mul(*b),
            "/" => a.checked_div(*b),
            _ => (*b != 0).then(|| a.wrapping_rem(*b)),
        };
        return result.map_or(Val::Null, Val::Int);
    }
    let (Some(a), Some(b)) = (a.float(), b.float()) else { return Val::Null };
    Val::Real(match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        _ => a % b,
    })
}

/// Tests of text, which null never passes, so that it always passes their negations.
fn passes(operator: &str, value: &Val, needle: &str) -> bool {
    let positive = operator.trim_start_matches('!');
    let is_negated = operator.starts_with('!');
    let (test, is_case_sensitive) = match positive {
        "=~" | "~" => ("equals", false),
        "contains" => ("contains", false),
        "contains_cs" => ("contains", true),
        "startswith" => ("starts-with", false),
        "startswith_cs" => ("starts-with", true),
        "endswith" => ("ends-with", false),
        "endswith_cs" => ("ends-with", true),
        "has" => ("has", false),
        "has_cs" => ("has", true),
        "matches regex" => ("regexp", true),
        other => panic!("no operator is {other}"),
    };
    text_test(test, needle, is_case_sensitive)(&value.json()) != is_negated
}

fn call(function: &str, values: &[Val], kinds: &TypeSet) -> Val {
    let first = &values[0];
    let is_empty = |value: &Val| value.is_null() || *value == Val::Text(String::new());
    match function {
        "isnull" => Val::Bool(first.is_null()),
        "isnotnull" => Val::Bool(!first.is_null()),
        "isempty" => Val::Bool(is_empty(first)),
        "isnotempty" => Val::Bool(!is_empty(first)),
        "strlen" => first.text().map_or(Val::Null, |text| Val::Int(text.chars().count() as i64)),
        "tolower" => first.text().map_or(Val::Null, |text| Val::Text(text.to_lowercase())),
        "strcat" => Val::Text(values.iter().filter_map(Val::text).collect()),
        "tostring" => Val::Text(first.text().unwrap_or_default()),
        "toint" => match first {
            Val::Int(value) => Val::Int(*value),
            Val::Bool(value) => Val::Int(i64::from(*value)),
            Val::Real(value) if value.abs() < 9.2e18 => Val::Int(value.trunc() as i64),
            Val::Text(text) => {
                let whole = text.trim().parse::<i64>().ok();
                let real = || text.trim().parse::<f64>().ok().map(|value| value.trunc() as i64);
                whole.or_else(real).map_or(Val::Null, Val::Int)
            }
            _ => Val::Null,
        },
        // Of texts the first that is not empty; the last stands even if it is.
        "coalesce" => {
            let found = values.iter().find(|value| !is_empty(value));
            let last = || values.iter().rev().find(|value| !value.is_null());
            widened(found.or_else(last).cloned().unwrap_or(Val::Null), kinds)
        }
        "bin" => match (first, &values[1]) {
            (Val::Time(time), Val::Span(size)) => Val::Time(time.div_euclid(*size).saturating_mul(*size)),
            (Val::Int(value), Val::Int(size)) if kinds.contains(&Kind::Int) => {
                value.div_euclid(*size).checked_mul(*size).map_or(Val::Null, Val::Int)
            }
            (value, size) => match (value.float(), size.float()) {
                (Some(value), Some(size)) => Some((value / size).floor() * size)
                    .filter(|bin| bin.is_finite())
                    .map_or(Val::Null, Val::Real),
                _ => Val::Null,
            },
        },
        other => panic!("no function is called {other}"),
    }
}
