//! Functions of times: their parts, the edges of days, weeks, months and years, and what lies between them.

use tidegauge_lang::tree::Type;

use super::calendar::{Part, SECOND, Stretch, day_of_week};
use super::call::{Call, Function, function, literal_integer, text_of_literal};
use super::rows::{self, Row};
use crate::error::Result;
use crate::expr::Typed;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("now", 0, 1, |call| moved(call, 1)),
    function("ago", 1, 1, |call| moved(call, -1)),
    function("startofhour", 1, 2, |call| edge(call, |time, offset| Stretch::Hour.start(time, offset))),
    function("startofday", 1, 2, |call| edge(call, |time, offset| Stretch::Day.start(time, offset))),
    function("startofweek", 1, 2, |call| edge(call, |time, offset| Stretch::Week.start(time, offset))),
    function("startofmonth", 1, 2, |call| edge(call, |time, offset| Stretch::Month.start(time, offset))),
    function("startofyear", 1, 2, |call| edge(call, |time, offset| Stretch::Year.start(time, offset))),
    function("endofday", 1, 2, |call| edge(call, |time, offset| Stretch::Day.end(time, offset))),
    function("endofweek", 1, 2, |call| edge(call, |time, offset| Stretch::Week.end(time, offset))),
    function("endofmonth", 1, 2, |call| edge(call, |time, offset| Stretch::Month.end(time, offset))),
    function("endofyear", 1, 2, |call| edge(call, |time, offset| Stretch::Year.end(time, offset))),
    function("hourofday", 1, 1, |call| part(call, |time| Part::Hour.of(time))),
    function("dayofweek", 1, 1, |call| part(call, |time| Some(day_of_week(time)))),
    function("dayofmonth", 1, 1, |call| part(call, |time| Part::Day.of(time))),
    function("dayofyear", 1, 1, |call| part(call, |time| Part::DayOfYear.of(time))),
    function("week_of_year", 1, 1, |call| part(call, |time| Part::WeekOfYear.of(time))),
    function("weekofyear", 1, 1, |call| part(call, |time| Part::WeekOfYear.of(time))),
    function("getmonth", 1, 1, |call| part(call, |time| Part::Month.of(time))),
    function("monthofyear", 1, 1, |call| part(call, |time| Part::Month.of(time))),
    function("getyear", 1, 1, |call| part(call, |time| Part::Year.of(time))),
    function("datetime_add", 3, 3, add),
    function("datetime_diff", 3, 3, difference),
    function("datetime_part", 2, 2, named_part),
    function("unixtime_seconds_todatetime", 1, 1, |call| from_unix(call, SECOND)),
    function("unixtime_milliseconds_todatetime", 1, 1, |call| from_unix(call, 1_000_000)),
    function("unixtime_microseconds_todatetime", 1, 1, |call| from_unix(call, 1_000)),
    function("unixtime_nanoseconds_todatetime", 1, 1, |call| from_unix(call, 1)),
];

/// The moment of the query, moved by a timespan if there is one.
fn moved(call: &Call<'_>, sign: i64) -> Result<Value> {
    let now = call.now;
    if call.count() == 0 {
        return Ok(Typed { kind: Type::Datetime, ..literal_integer(now) }.into());
    }
    let run = rows::integers(move |row| now.checked_add(row.integer(0).checked_mul(sign)?));
    call.result(Type::Datetime, [call.timespan(0)?], run)
}

fn edge(call: &Call<'_>, edge: fn(i64, i64) -> Option<i64>) -> Result<Value> {
    let run = rows::integers(move |row| edge(row.integer(0), row.integer(1)));
    call.result(Type::Datetime, [call.datetime(0)?, call.integer_or(1, 0)?], run)
}

fn part(call: &Call<'_>, part: fn(i64) -> Option<i64>) -> Result<Value> {
    call.result(Type::Integer, [call.datetime(0)?], rows::integers(move |row| part(row.integer(0))))
}

/// How a row says which part is meant: almost always all the same.
fn part_of_row(
    call: &Call<'_>,
    name: Option<&Typed>,
) -> Result<impl Fn(Row<'_, '_>) -> Option<Part> + use<>> {
    let fixed = match text_of_literal(name) {
        None => None,
        Some(name) => match Part::read(name) {
            None => {
                let hint = "write year, quarter, month, week, day, hour, minute, second, millisecond, \
                    microsecond or nanosecond";
                return Err(call.invalid(format!("`{}` does not know the part `{name}`", call.name), hint));
            }
            part => part,
        },
    };
    Ok(move |row: Row<'_, '_>| fixed.or_else(|| Part::read(row.text(0))))
}

fn add(call: &Call<'_>) -> Result<Value> {
    let name = call.text(0)?;
    let part = part_of_row(call, name.as_ref())?;
    let run = rows::integers(move |row| part(row)?.add(row.integer(1), row.integer(2)));
    call.result(Type::Datetime, [name, call.integer(1)?, call.datetime(2)?], run)
}

fn difference(call: &Call<'_>) -> Result<Value> {
    let name = call.text(0)?;
    let part = part_of_row(call, name.as_ref())?;
    let run = rows::integers(move |row| part(row)?.between(row.integer(1), row.integer(2)));
    call.result(Type::Integer, [name, call.datetime(1)?, call.datetime(2)?], run)
}

fn named_part(call: &Call<'_>) -> Result<Value> {
    let name = call.text(0)?;
    let part = part_of_row(call, name.as_ref())?;
    let run = rows::integers(move |row| part(row)?.of(row.integer(1)));
    call.result(Type::Integer, [name, call.datetime(1)?], run)
}

/// So many of a unit after 1970, without a fraction.
fn from_unix(call: &Call<'_>, unit: i64) -> Result<Value> {
    call.result(
        Type::Datetime,
        [call.integer(0)?],
        rows::integers(move |row| row.integer(0).checked_mul(unit)),
    )
}
