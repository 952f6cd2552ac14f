//! The axis of a series: what it is made of, where its stretches begin, and how the start of a stretch is written.

use std::fmt::Write;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use tidegauge_bind::Scope;
use tidegauge_exec::Value;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::{cellwise, convert, json, times};
use tidegauge_exec::words::type_names;
use tidegauge_lang::Diagnostic;
use tidegauge_lang::tree::{Expr, MakeSeries, Type};

use crate::{Error, Result};

/// What is cut in stretches, and where. Stretches have numbers; the one that begins at the origin is 0.
#[derive(Debug)]
pub(super) struct Axis {
    of: Typed,
    origin: Point,
    step: Point,
    /// The number of the first stretch; none where it is the first that a series has.
    pub(super) first: Option<i64>,
    /// The number behind the last stretch.
    pub(super) end: Option<i64>,
}

/// A place on the axis, or a distance: whole numbers also for times and timespans.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Point {
    Whole(i64),
    Real(f64),
}

impl Point {
    fn real(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Real(number) => number,
        }
    }
}

impl Axis {
    pub(super) fn new(scope: &mut Scope, make: &MakeSeries) -> Result<Self> {
        let value = scope.bind(&make.axis)?;
        let of = of_kind(&value, &[Type::Datetime, Type::Timespan]);
        let of = match of {
            Some(of) => of,
            None if value.is_null() => tidegauge_exec::kernels::logic::null(Type::Datetime),
            None => value.number()?.ok_or_else(|| {
                let message =
                    format!("a series goes along times or numbers, and this is {}", type_names(&value));
                wrong(&make.axis, message, "make it a time with `todatetime`, or a number with `toreal`")
            })?,
        };
        let step = point(scope, &make.step, step_kind(of.kind))?;
        if step.real() <= 0.0 {
            return Err(wrong(
                &make.step,
                "the step must be above zero",
                "write a length such as `1h` or `10`",
            ));
        }
        let bound = |expr: &Option<Expr>| expr.as_ref().map(|expr| point(scope, expr, of.kind)).transpose();
        let (from, to) = (bound(&make.from)?, bound(&make.to)?);
        let mut axis = Self { of, origin: Point::Whole(0), step, first: None, end: None };
        if make.is_range {
            axis.first = from.and_then(|from| axis.number(from));
            axis.end = to.and_then(|to| axis.number(to)).map(|last| last.saturating_add(1));
            return Ok(axis);
        }
        axis.origin = from.unwrap_or(Point::Whole(0));
        axis.first = from.map(|_| 0);
        axis.end = to.and_then(|to| {
            let number = axis.number(to)?;
            Some(if axis.begins_at(number, to) { number } else { number.saturating_add(1) })
        });
        Ok(axis)
    }

    /// The number of the stretch that a place lies in.
    fn number(&self, place: Point) -> Option<i64> {
        numbers(self.origin, self.step)(place)
    }

    fn begins_at(&self, number: i64, place: Point) -> bool {
        match (self.origin, self.step, place) {
            (Point::Whole(origin), Point::Whole(step), Point::Whole(place)) => {
                i128::from(origin) + i128::from(number) * i128::from(step) == i128::from(place)
            }
            _ => self.real_start(number) == place.real(),
        }
    }

    fn real_start(&self, number: i64) -> f64 {
        self.origin.real() + number as f64 * self.step.real()
    }

    /// The number of each row's stretch; null for rows outside of the axis.
    pub(super) fn place(&self) -> Result<Typed> {
        let number = numbers(self.origin, self.step);
        let (first, end) = (self.first.unwrap_or(i64::MIN), self.end.unwrap_or(i64::MAX));
        let is_real = self.of.kind == Type::Float;
        let run = cellwise::integers(move |array, row| {
            let point = match is_real {
                true => Point::Real(array.as_primitive::<Float64Type>().value(row)),
                false => Point::Whole(array.as_primitive::<Int64Type>().value(row)),
            };
            number(point).filter(|number| (first..end).contains(number))
        });
        Ok(Typed::call("stretch", Type::Integer, vec![self.of.clone()], run)?)
    }

    /// Writes where a stretch begins, as JSON.
    pub(super) fn write_start(&self, number: i64, text: &mut String) {
        let (Point::Whole(origin), Point::Whole(step)) = (self.origin, self.step) else {
            return json::write_number_key(self.real_start(number), text);
        };
        let start = origin.saturating_add(number.saturating_mul(step));
        match self.of.kind {
            Type::Datetime => {
                text.push('"');
                times::write_datetime(start, text);
                text.push('"');
            }
            Type::Timespan => {
                text.push('"');
                times::write_timespan(start, text);
                text.push('"');
            }
            _ => {
                let _ = write!(text, "{start}");
            }
        }
    }
}

/// Counts stretches from an origin on.
fn numbers(origin: Point, step: Point) -> impl Fn(Point) -> Option<i64> + Send + Sync + 'static {
    move |place| match (place, origin, step) {
        (Point::Whole(place), Point::Whole(origin), Point::Whole(step)) => {
            let distance = i128::from(place) - i128::from(origin);
            i64::try_from(distance.div_euclid(i128::from(step))).ok()
        }
        _ => convert::truncated(((place.real() - origin.real()) / step.real()).floor()),
    }
}

fn of_kind(value: &Value, kinds: &[Type]) -> Option<Typed> {
    kinds.iter().find_map(|kind| value.of_type(*kind)).cloned()
}

/// The type of distances on an axis.
fn step_kind(kind: Type) -> Type {
    if kind == Type::Datetime { Type::Timespan } else { kind }
}

/// A place or a distance that stands in the query.
fn point(scope: &Scope, expr: &Expr, kind: Type) -> Result<Point> {
    let mut constants = Scope::without_dataset(scope.surroundings().clone());
    let value = constants.bind(expr)?;
    let typed = match kind {
        Type::Datetime | Type::Timespan => of_kind(&value, &[kind]),
        _ => value.number()?,
    };
    let literal = typed.as_ref().and_then(Typed::as_literal).filter(|literal| literal.is_valid(0));
    match (literal, typed.as_ref().map(|typed| typed.kind)) {
        (Some(literal), Some(Type::Float)) => Ok(Point::Real(literal.as_primitive::<Float64Type>().value(0))),
        (Some(literal), Some(_)) => Ok(Point::Whole(literal.as_primitive::<Int64Type>().value(0))),
        _ => {
            let (what, hint) = match kind {
                Type::Datetime => ("a time", "write a time such as `ago(1d)` or `datetime(2026-07-01)`"),
                Type::Timespan => ("a timespan", "write a length of time such as `1h`"),
                _ => ("a number", "write a number"),
            };
            Err(wrong(expr, format!("this must be {what} for the axis of the series"), hint))
        }
    }
}

/// The text of a literal.
pub(super) fn text_of(typed: &Typed) -> Option<String> {
    let literal = typed.as_literal()?;
    let texts = literal.as_string_view_opt()?;
    Some(if texts.is_valid(0) { texts.value(0).to_owned() } else { "null".to_owned() })
}

fn wrong(expr: &Expr, message: impl Into<String>, hint: &str) -> Error {
    Error::Invalid(vec![Diagnostic::new(message, expr.span).with_hint(hint)])
}
