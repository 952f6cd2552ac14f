//! What the points of series hold, as far as counting needs to know.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::hash::Hash;

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use datafusion_common::Result;

use super::super::state::StateReader;

/// A kind of values that rise.
pub(crate) trait Kind: Copy + Debug + Default + Eq + Hash + Send + Sync + 'static {
    type Value: Clone + Debug + Send + Sync + 'static;
    /// Increases added up; nothing is none.
    type Sum: Debug + Default + Send + Sync + 'static;

    const NAME: &'static str;

    fn output_type() -> DataType;

    /// The values of a column, of which those that cannot be counted are none.
    fn reader(column: &ArrayRef) -> Result<impl Fn(usize) -> Option<Self::Value> + '_>;

    /// An order of its own, so that of two points of one time the same one stays, whatever came first.
    fn order(one: &Self::Value, other: &Self::Value) -> Ordering;

    /// How much was added since the point before. What fell began anew.
    fn since(value: &Self::Value, before: &Self::Value) -> Self::Value;

    fn heap_bytes(value: &Self::Value) -> usize;

    fn write(value: &Self::Value, before: Option<&Self::Value>, state: &mut Vec<u8>);

    fn read(before: Option<&Self::Value>, state: &mut StateReader<'_>) -> Result<Self::Value>;

    fn add(sum: &mut Self::Sum, increase: &Self::Value);

    fn write_sum(sum: &Self::Sum, state: &mut Vec<u8>);

    fn read_sum(state: &mut StateReader<'_>) -> Result<Self::Sum>;

    fn finish(sums: Vec<Self::Sum>) -> ArrayRef;
}
