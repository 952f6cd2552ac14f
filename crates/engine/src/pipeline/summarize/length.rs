//! How long the range of time is that rates are computed over.

use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use datafusion_execution::TaskContext;
use tidegauge_aggregates as aggregates;
use tidegauge_exec::expr::Typed;
use tidegauge_lang::tree::{TimeRange, Type};

use crate::groups::{self, GroupedRows};
use crate::plan::{GroupsPlan, PlannedAggregate, Shape};
use crate::{AggregateInfo, Result};

/// How long the range is; an open one is as long as the events in it. Not a number where nothing is known.
pub(super) fn seconds_of(range: Option<TimeRange>, times: Option<(i64, i64)>) -> f64 {
    let range = range.unwrap_or(TimeRange::ALL);
    let start = if range.start == i64::MIN { times.map(|(first, _)| first) } else { Some(range.start) };
    let end = if range.end == i64::MAX { times.map(|(_, last)| last) } else { Some(range.end) };
    let (Some(start), Some(end)) = (start, end) else { return f64::NAN };
    // Times are too large to be subtracted as floats: that counts in steps of 256 ns.
    let nanoseconds = i128::from(end) - i128::from(start);
    (nanoseconds.max(1) as f64) / 1e9
}

/// The first and the last time of rows.
pub(super) async fn times_of(
    time: &Typed,
    rows: &GroupedRows,
    context: &Arc<TaskContext>,
) -> Result<Option<(i64, i64)>> {
    let extreme = |name: &'static str, function| PlannedAggregate {
        name: name.to_owned(),
        info: AggregateInfo { name, fields: Vec::new(), arguments: Vec::new() },
        function,
        arguments: vec![time.clone()],
        shape: Shape::As(Type::Datetime),
    };
    let aggregates = vec![extreme("min", aggregates::min()), extreme("max", aggregates::max())];
    let plan = GroupsPlan::new(Vec::new(), aggregates);
    let answer = groups::run(&plan, rows, Arc::clone(context), 1, f64::NAN, None).await?;
    let fields = answer.tables.iter().flat_map(|table| &table.fields);
    let arrays = fields.filter_map(|field| field.values.first()).map(|(_, array)| array);
    let times = arrays.filter(|array| array.len() == 1 && array.is_valid(0));
    let times: Vec<i64> = times.map(|array| array.as_primitive::<Int64Type>().value(0)).collect();
    Ok(match times.as_slice() {
        [first, last] => Some((*first, *last)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_ranges_are_as_long_as_they_are() {
        let start = 1_780_000_000_000_000_001;
        let length = |end| seconds_of(Some(TimeRange { start, end }), None);
        assert_eq!(length(start + 100), 1e-7);
        assert_eq!(length(start), 1e-9);
        assert_eq!(
            seconds_of(Some(TimeRange { start: i64::MIN + 1, end: i64::MAX - 1 }), None),
            u64::MAX as f64 / 1e9
        );
        assert!(seconds_of(None, None).is_nan());
    }
}
