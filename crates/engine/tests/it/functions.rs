//! The functions that expressions call, each with literals and with columns: both must give the same.

mod addresses;
mod anything;
mod arrays;
mod conditions;
mod conversations;
mod conversions;
mod datetimes;
mod file_paths;
mod hashes;
mod language;
mod members;
mod numbers;
mod pairs;
mod patterns;
mod series;
mod sql;
mod strings;
mod texts;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray};
use tidegauge_engine::testing::{Column, evaluate, function_names, is_known_function};
use tidegauge_lang::Span;
use tidegauge_lang::tree::{Expr, ExprKind, Literal, Type};

/// The moment at which the expressions run: 2026-07-01T10:00:00Z.
const NOW: i64 = 1_782_900_000_000_000_000;

/// Calls with what they give: `strlen("tide") => 4;`.
macro_rules! cases {
    ($($name:ident($($argument:expr),* $(,)?) => $expected:expr;)*) => {
        $(crate::functions::check(
            stringify!($name),
            &[$(crate::functions::IntoLiteral::literal($argument)),*],
            &crate::functions::IntoLiteral::literal($expected),
        );)*
    };
}

/// Calls with a part of the message that refuses them.
macro_rules! refusals {
    ($($name:ident($($argument:expr),* $(,)?) => $message:expr;)*) => {
        $(crate::functions::refuses(
            stringify!($name),
            &[$(crate::functions::IntoLiteral::literal($argument)),*],
            $message,
        );)*
    };
}

pub(crate) use {cases, refusals};

/// Null, as an argument or as a result.
struct Null;
/// JSON, whatever type it has.
struct Json(&'static str);
struct Time(&'static str);
/// Nanoseconds.
struct Timespan(i64);

trait IntoLiteral {
    fn literal(self) -> Literal;
}

macro_rules! into_literal {
    ($($from:ty => |$value:pat_param| $literal:expr;)*) => {
        $(impl IntoLiteral for $from {
            fn literal(self) -> Literal {
                let $value = self;
                $literal
            }
        })*
    };
}

into_literal! {
    Null => |_| Literal::Null;
    bool => |value| Literal::Boolean(value);
    i64 => |value| Literal::Integer(value);
    f64 => |value| Literal::Float(value);
    &str => |value| Literal::String(value.to_owned());
    Json => |value| Literal::Dynamic(value.0.to_owned());
    Timespan => |value| Literal::Timespan(value.0);
    Time => |value| Literal::Datetime(nanoseconds(value.0));
}

fn nanoseconds(time: &str) -> i64 {
    let time = if time.contains('T') { time.to_owned() } else { format!("{time}T00:00:00Z") };
    let time: jiff::Timestamp = time.parse().unwrap();
    i64::try_from(time.as_nanosecond()).unwrap()
}

fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, Span::default())
}

fn call(name: &str, arguments: Vec<Expr>) -> Expr {
    expr(ExprKind::Call { function: name.to_owned(), arguments })
}

/// The results of all rows.
fn results(expr: &Expr, columns: &[Column], rows: usize) -> Result<Vec<Literal>, String> {
    let variants = evaluate(expr, columns, rows, NOW).map_err(|error| error.to_string())?;
    Ok((0..rows).map(|row| result(&variants, row)).collect())
}

/// The one that is not null among the types of a result.
fn result(variants: &[(Type, ArrayRef)], row: usize) -> Literal {
    let mut there = variants.iter().filter(|(_, array)| array.is_valid(row));
    let Some((kind, array)) = there.next() else { return Literal::Null };
    assert!(there.next().is_none(), "a row has values of two types");
    let integer = || array.as_primitive::<Int64Type>().value(row);
    let text = || array.as_string_view().value(row).to_owned();
    match kind {
        Type::Boolean => Literal::Boolean(array.as_boolean().value(row)),
        Type::Integer => Literal::Integer(integer()),
        Type::Float => Literal::Float(array.as_primitive::<Float64Type>().value(row)),
        Type::LongInteger => Literal::LongInteger(text()),
        Type::String => Literal::String(text()),
        Type::Datetime => Literal::Datetime(integer()),
        Type::Timespan => Literal::Timespan(integer()),
        Type::Array | Type::Map | Type::Dynamic => Literal::Dynamic(text()),
    }
}

/// Floats are equal up to their last digits.
fn is_equal(one: &Literal, other: &Literal) -> bool {
    match (one, other) {
        (Literal::Float(one), Literal::Float(other)) => {
            one == other || (one - other).abs() <= 1e-12 * one.abs().max(other.abs())
        }
        _ => one == other,
    }
}

/// The value and a null as a column. Null alone has no type and stays a literal.
fn column(place: usize, literal: &Literal) -> Option<Column> {
    let integers = |value: i64| -> ArrayRef { Arc::new(Int64Array::from(vec![Some(value), None])) };
    let texts = |value: &str| -> ArrayRef { Arc::new(StringViewArray::from(vec![Some(value), None])) };
    let (kind, values): (Type, ArrayRef) = match literal {
        Literal::Null => return None,
        Literal::Boolean(value) => (Type::Boolean, Arc::new(BooleanArray::from(vec![Some(*value), None]))),
        Literal::Integer(value) => (Type::Integer, integers(*value)),
        Literal::Float(value) => (Type::Float, Arc::new(Float64Array::from(vec![Some(*value), None]))),
        Literal::LongInteger(digits) => (Type::LongInteger, texts(digits)),
        Literal::String(value) => (Type::String, texts(value)),
        Literal::Datetime(value) => (Type::Datetime, integers(*value)),
        Literal::Timespan(value) => (Type::Timespan, integers(*value)),
        Literal::Dynamic(json) => (Type::Dynamic, texts(json)),
    };
    Some(Column { name: format!("column{place}"), kind, values })
}

/// The call with some of its arguments as columns.
fn with_columns(name: &str, arguments: &[Literal], is_column: impl Fn(usize) -> bool) -> (Expr, Vec<Column>) {
    let mut columns = Vec::new();
    let mut expressions = Vec::new();
    for (place, argument) in arguments.iter().enumerate() {
        expressions.push(match column(place, argument).filter(|_| is_column(place)) {
            Some(column) => {
                let field = expr(ExprKind::Field(column.name.clone()));
                columns.push(column);
                field
            }
            None => expr(ExprKind::Literal(argument.clone())),
        });
    }
    (call(name, expressions), columns)
}

fn check(name: &str, arguments: &[Literal], expected: &Literal) {
    assert!(is_known_function(name), "{name} is not known");
    let assert_is = |form: &str, found: &Literal, expected: &Literal| {
        assert!(is_equal(found, expected), "{name}({arguments:?}) with {form}: {found:?}, not {expected:?}");
    };
    let first = |(expr, columns): (Expr, Vec<Column>), rows: usize| {
        results(&expr, &columns, rows).unwrap_or_else(|error| panic!("{name}({arguments:?}): {error}"))
    };
    assert_is("literals", &first(with_columns(name, arguments, |_| false), 1)[0], expected);
    for place in 0..arguments.len() {
        let found = first(with_columns(name, arguments, |column| column == place), 2);
        assert_is(&format!("column {place}"), &found[0], expected);
    }
    // Where every column is null, the result is that of null literals.
    let of_columns = first(with_columns(name, arguments, |_| true), 2);
    let nulls = vec![Literal::Null; arguments.len()];
    let of_nulls = first(with_columns(name, &nulls, |_| false), 1);
    assert_is("columns", &of_columns[0], expected);
    if !arguments.is_empty() {
        assert_is("null columns", &of_columns[1], &of_nulls[0]);
    }
}

fn refuses(name: &str, arguments: &[Literal], message: &str) {
    for is_column in [false, true] {
        let (expr, columns) = with_columns(name, arguments, |_| is_column);
        let error = results(&expr, &columns, 2).unwrap_err();
        assert!(error.contains(message), "{name}({arguments:?}): {error}");
    }
}

#[test]
fn names_are_unique() {
    let names: Vec<&str> = function_names().collect();
    let unique: std::collections::BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), unique.len());
    assert!(!is_known_function("Strlen") && !is_known_function(""));
}

#[test]
fn unknown_functions_and_wrong_counts_are_told() {
    refusals! {
        nonsense() => "function 'nonsense' not found";
        strlen() => "`strlen` takes 1 argument, and 0 are given";
        pi(1) => "`pi` takes no arguments, and 1 are given";
        substring("a") => "`substring` takes 2 to 3 arguments, and 1 are given";
        iff(true, 1) => "`iff` takes 3 arguments, and 2 are given";
    }
}
