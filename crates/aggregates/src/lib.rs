//! The aggregates of queries, as functions for DataFusion's aggregation, and what makes columns of their answers.
//! Each says which columns it takes and gives. Rows that are null in the first column are not counted in. Numbers
//! must come without NaN where a function of DataFusion itself is used, which is said there.

mod arg;
mod collect;
mod counters;
mod distinct;
mod extreme;
mod frequent;
mod grouped;
mod histogram;
mod linear;
mod percentiles;
mod phrases;
mod quantile;
mod sketch;
mod sketched;
mod spotlight;
mod state;
mod texts;
mod topk;
mod values;
mod whole;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{ArrayRef, Float64Array, Int64Array};
use arrow_schema::DataType;
use datafusion_expr::AggregateUDF;
use datafusion_functions_aggregate::average::avg_udaf;
use datafusion_functions_aggregate::count::count_udaf;
use datafusion_functions_aggregate::min_max::{max_udaf, min_udaf};
use datafusion_functions_aggregate::stddev::stddev_udaf;
use datafusion_functions_aggregate::sum::sum_udaf;
use datafusion_functions_aggregate::variance::var_samp_udaf;
use tidegauge_exec::Notices;

pub use self::collect::{LIST_DEFAULT, SET_DEFAULT};
pub use self::counters::{Along, settled};
use self::counters::{Counters, Histograms, Numbers};
use self::grouped::{Inputs, function};
use self::whole::{Outcome, Whole};

/// Percentiles by nearest rank, in the order given, of percentiles from 0 to 100.
///
/// `Float64` → `Struct{value: List<Float64>, is_estimate: Boolean}`. The list is null if there are no numbers. Exact
/// for up to 1024 numbers, then within 0.4 % of the value. NaN and infinities are left out.
pub fn percentiles(wanted: &[f64]) -> Arc<AggregateUDF> {
    function(percentiles::Percentiles::<percentiles::BySize>::new(wanted), Inputs::Exactly(1))
}

/// The same of times: exact for up to 1024, then within a 2048th of the time between the first and the last.
pub fn percentiles_of_times(wanted: &[f64]) -> Arc<AggregateUDF> {
    function(percentiles::Percentiles::<percentiles::ByDistance>::new(wanted), Inputs::Exactly(1))
}

/// The most frequent values.
///
/// `Utf8View` of JSON texts → `Struct{value: Utf8View, is_estimate: Boolean}`. The value is a JSON array of objects
/// with `key`, `count` and `error`, by count and key. Exact for up to 2000 different values or 20 times as many as
/// are asked for; above, a true count lies between `count - error` and `count`. It is no estimate if the errors are
/// zero and nothing else can be as frequent.
pub fn topk(wanted: usize) -> Arc<AggregateUDF> {
    function(topk::TopK::new(wanted), Inputs::Exactly(1))
}

/// The most frequent sequences of words.
///
/// `Utf8View` → `Struct{value: Utf8View, is_estimate: Boolean}`. The value is a JSON array of objects with `phrase` and
/// `count`, by count, number of words and text. Exact while a group has at most 10000 different sequences.
pub fn phrases(wanted: usize) -> Arc<AggregateUDF> {
    phrases_with(wanted, &Notices::default())
}

/// The same, which tells of texts and words that are too long.
pub fn phrases_with(wanted: usize, notices: &Notices) -> Arc<AggregateUDF> {
    function(phrases::Phrases::new(wanted, notices.clone()), Inputs::Exactly(1))
}

/// How the rows that a condition is true for differ from the others, field by field.
///
/// `Boolean` and `Utf8View` of JSON arrays with a value for each of these fields → `Struct{value: Utf8View, is_estimate:
/// Boolean}`. The value is a JSON array of an object for each field, the most different first; it is empty if there are
/// less than six rows of a kind. Fields of many different numbers are compared by their distribution, others by the
/// shares of their values. It is an estimate if a field had too many values to count them all.
pub fn spotlight(fields: &[String]) -> Arc<AggregateUDF> {
    spotlight_with(fields, &Notices::default())
}

/// The same, which tells of values that are too long or too many.
pub fn spotlight_with(fields: &[String], notices: &Notices) -> Arc<AggregateUDF> {
    function(spotlight::Spotlight::new(fields, notices.clone()), Inputs::Exactly(2))
}

/// Counts in bins of equal width between the least and the greatest number.
///
/// `Float64` → `Struct{value: Utf8View, is_estimate: Boolean}`. The value is a JSON array of objects with `from`,
/// `to` and `count`; empty if there are no numbers, of one bin if all are equal. Exact for up to 1024 numbers and for
/// whole ones of which the greatest is less than 4096 above the least; else what lies within a 2048th of the whole
/// range from a bound may be counted on its other side. NaN and infinities are left out.
pub fn histogram(bins: usize) -> Arc<AggregateUDF> {
    function(histogram::Histogram::new(bins), Inputs::Exactly(1))
}

/// The value beside the least key.
///
/// Key `Int64`, `Float64`, `Boolean`, `Utf8View` or `Timestamp(Nanosecond)`, and `Utf8View` of JSON text →
/// `Utf8View`, null if no row has a key. Of equal keys the smallest text wins.
pub fn argmin() -> Arc<AggregateUDF> {
    function(arg::Arg { is_max: false, has_rows_without_key: false, is_first: false }, Inputs::Exactly(2))
}

/// The value beside the greatest key, otherwise as [`argmin`].
pub fn argmax() -> Arc<AggregateUDF> {
    function(arg::Arg { is_max: true, has_rows_without_key: false, is_first: false }, Inputs::Exactly(2))
}

/// What is asked of the row with the least or the greatest key, otherwise as [`argmin`]. A row without a key is
/// better than none. Of rows with equal keys it is the first, where rows have an order.
pub fn arg_row(is_max: bool, is_first: bool) -> Arc<AggregateUDF> {
    function(arg::Arg { is_max, has_rows_without_key: true, is_first }, Inputs::Exactly(2))
}

/// The different values, by their text.
///
/// `Utf8View` of JSON texts → `Utf8View` of a JSON array. If there are more than `items_max` or more than 1 MiB of
/// them, the first by their text.
pub fn makeset(items_max: usize) -> Arc<AggregateUDF> {
    let items_max = u32::try_from(items_max).unwrap_or(u32::MAX);
    makeset_with(Some(items_max), &Notices::default())
}

/// As [`makeset`], which tells when values had no place that nobody asked to leave out. So many are asked for, if any
/// number is.
pub fn makeset_with(asked: Option<u32>, notices: &Notices) -> Arc<AggregateUDF> {
    function(collect::MakeSet::new(asked, notices.clone()), Inputs::Exactly(1))
}

/// All values, in the order of rows within a partition; partitions follow each other as they are done.
///
/// `Utf8View` of JSON texts → `Utf8View` of a JSON array, of at most `items_max` and 1 MiB.
pub fn makelist(items_max: usize) -> Arc<AggregateUDF> {
    makelist_with(items_max, &Notices::default())
}

/// As [`makelist`], which tells when values had no place that nobody asked to leave out.
pub fn makelist_with(items_max: usize, notices: &Notices) -> Arc<AggregateUDF> {
    function(collect::MakeList { items_max, notices: notices.clone() }, Inputs::Exactly(1))
}

/// How much the counters of series rose, over resets: see `counters`.
///
/// Times as `Int64`, `Float64`, `Utf8View` of what tells series apart, and `Boolean` for points that are increases by
/// themselves → `Struct{value: Float64, edges: Binary}`, from which [`settled`] makes the answer. The value is null if no
/// series has two points. Of points with equal times the greatest counts.
pub fn increase() -> Arc<AggregateUDF> {
    function(Counters(Numbers), Inputs::Exactly(4))
}

/// The same of histograms, `Utf8View` of JSON maps in the place of numbers and of the value.
pub fn histogram_increase() -> Arc<AggregateUDF> {
    function(Counters(Histograms), Inputs::Exactly(4))
}

/// A quantile, from 0 to 1, of all histograms together.
///
/// `Utf8View` of JSON maps → `Float64`, null if there is nothing in them, or if they cannot be put together.
pub fn histogram_quantile(share: f64) -> Arc<AggregateUDF> {
    function(quantile::OfHistograms(quantile::Share::new(share)), Inputs::Exactly(1))
}

/// The same of counts, `Float64`, of all that lies up to a bound, `Utf8View`. Null without infinity among the bounds.
pub fn bounds_quantile(share: f64) -> Arc<AggregateUDF> {
    function(quantile::OfBounds(quantile::Share::new(share)), Inputs::Exactly(2))
}

/// How many different values there are.
///
/// One or more columns of `Int64`, `Float64`, `Boolean`, `Utf8View` or `Timestamp(Nanosecond)`, counted as one →
/// `Struct{value: Int64, is_estimate: Boolean}`. Exact up to 1024, then with a standard error of 0.81 %. `1` and
/// `1.0` are equal.
pub fn distinct() -> Arc<AggregateUDF> {
    function(distinct::Distinct, Inputs::AtLeastOne)
}

/// The sum. `Int64` → `Decimal128(38, 0)`, exact, see [`split_sums`]; `Float64` → `Float64`, whose last digits depend
/// on the order of rows. Null if there are no values.
pub fn sum(input: &DataType) -> Arc<AggregateUDF> {
    match input {
        DataType::Int64 => Arc::new(AggregateUDF::from(Whole::new(Outcome::Sum))),
        _ => sum_udaf(),
    }
}

/// The average. `Int64` or `Float64` → `Float64`, of whole numbers from their exact sum. Null if there are no values.
pub fn avg(input: &DataType) -> Arc<AggregateUDF> {
    match input {
        DataType::Int64 => Arc::new(AggregateUDF::from(Whole::new(Outcome::Average))),
        _ => avg_udaf(),
    }
}

/// The average of times or timespans. `Int64` → `Int64`, rounded. Null if there are no values.
pub fn avg_time() -> Arc<AggregateUDF> {
    Arc::new(AggregateUDF::from(Whole::new(Outcome::WholeAverage)))
}

/// The least value. `Int64`, `Float64`, `Boolean` or `Utf8View` → the same, null if there are no values. `Float64`
/// must be finite: NaN would win or lose by the order of rows, and infinity alone would become the greatest number.
pub fn min() -> Arc<AggregateUDF> {
    min_udaf()
}

/// The least of integers and floats. `Int64` and `Float64` → `Struct{integer: Int64, float: Float64}`, of which at most
/// one is not null: the answer as it was sent. NaN is left out.
pub fn least() -> Arc<AggregateUDF> {
    function(extreme::Extreme::Min, Inputs::Exactly(2))
}

/// The greatest of integers and floats, otherwise as [`least`].
pub fn greatest() -> Arc<AggregateUDF> {
    function(extreme::Extreme::Max, Inputs::Exactly(2))
}

/// The greatest value, otherwise as [`min`].
pub fn max() -> Arc<AggregateUDF> {
    max_udaf()
}

/// How many rows are not null. Any type → `Int64`, never null.
pub fn count() -> Arc<AggregateUDF> {
    count_udaf()
}

/// The standard deviation of a sample. `Float64` → `Float64`, null for less than two values.
pub fn stdev() -> Arc<AggregateUDF> {
    stddev_udaf()
}

/// The variance of a sample. `Float64` → `Float64`, null for less than two values.
pub fn variance() -> Arc<AggregateUDF> {
    var_samp_udaf()
}

/// The answers in a column of an aggregate, and whether one of them is an estimate. Columns of aggregates that make
/// no estimates are given back as they are.
pub fn split_estimates(column: &ArrayRef) -> (ArrayRef, bool) {
    let parts = column.as_struct_opt().filter(|parts| parts.num_columns() == 2);
    let marked = parts.and_then(|parts| Some((parts.column(0), parts.column(1).as_boolean_opt()?)));
    match marked {
        Some((value, marks)) => (Arc::clone(value), marks.true_count() > 0),
        None => (Arc::clone(column), false),
    }
}

/// The answers of [`least`] and [`greatest`], integers and floats apart. None if the column is of another kind.
pub fn split_numbers(column: &ArrayRef) -> Option<(ArrayRef, ArrayRef)> {
    let parts = column.as_struct_opt()?;
    let is_number = parts.num_columns() == 2 && parts.column(1).data_type() == &DataType::Float64;
    is_number.then(|| (Arc::clone(parts.column(0)), Arc::clone(parts.column(1))))
}

/// Sums of [`sum`] over `Int64`: those that fit into 64 bits, and those that do not as fractions, if there are such.
/// In a row at most one of the two is not null. None if the column is of another kind.
pub fn split_sums(column: &ArrayRef) -> Option<(Int64Array, Option<Float64Array>)> {
    column.as_primitive_opt::<Decimal128Type>().map(whole::split_sums)
}
