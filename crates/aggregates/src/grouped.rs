//! What the aggregates of this module share: an aggregate says what it keeps for a group, and the accumulators that
//! DataFusion drives, with and without groups, are made of that. A partial state is one `Binary` that begins with a
//! version, so that states of different processes and releases never mix unnoticed.

use std::fmt::Debug;
use std::hash::Hash;
use std::mem::size_of;
use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, FieldRef};
use datafusion_common::{DataFusionError, Result, ScalarValue};
use datafusion_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, Signature, Volatility,
};

use super::state::StateReader;

const STATE_VERSION: u8 = 1;

/// An aggregate with its settings.
pub(super) trait Aggregate: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    /// What is kept for one group.
    type Group: Debug + Default + Send + Sync + 'static;

    fn name(&self) -> &'static str;

    fn output_type(&self) -> DataType;

    /// Takes rows in. The group of each row lies within `groups`.
    fn update(
        &self,
        groups: &mut [Self::Group],
        inputs: &[ArrayRef],
        rows: &Rows<'_>,
        bytes: &mut Bytes,
    ) -> Result<()>;

    /// Takes in what `write_state` wrote of another group.
    fn merge(&self, group: &mut Self::Group, state: &mut StateReader<'_>, bytes: &mut Bytes) -> Result<()>;

    fn write_state(&self, group: &mut Self::Group, state: &mut Vec<u8>);

    fn evaluate(&self, groups: Vec<Self::Group>) -> Result<ArrayRef>;

    /// The memory of a group apart from the group itself. Asked often, so it must not walk through the group.
    fn heap_bytes(group: &Self::Group) -> usize;

    /// About what the answer of a group takes where that can be far more than what it is made of.
    fn answer_bytes(&self) -> usize {
        0
    }
}

/// Makes a function of an aggregate.
pub(super) fn function(aggregate: impl Aggregate, inputs: Inputs) -> Arc<AggregateUDF> {
    let signature = match inputs {
        Inputs::Exactly(count) => Signature::any(count, Volatility::Immutable),
        Inputs::AtLeastOne => Signature::variadic_any(Volatility::Immutable),
    };
    Arc::new(AggregateUDF::from(Function { aggregate, signature }))
}

/// How many columns a function takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Inputs {
    Exactly(usize),
    AtLeastOne,
}

/// The rows of a batch with the group of each.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    groups: &'a [usize],
    chosen: Option<NullBuffer>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(groups: &'a [usize], filter: Option<&BooleanArray>) -> Self {
        let chosen = filter.map(|filter| match filter.nulls() {
            Some(nulls) => NullBuffer::new(filter.values() & nulls.inner()),
            None => NullBuffer::new(filter.values().clone()),
        });
        Self { groups, chosen }
    }

    /// Calls `visit` with row and group of each row that the filter chose and that is not null.
    #[inline]
    pub(super) fn for_each(&self, nulls: Option<&NullBuffer>, mut visit: impl FnMut(usize, usize)) {
        match NullBuffer::union(self.chosen.as_ref(), nulls) {
            None => self.groups.iter().enumerate().for_each(|(row, group)| visit(row, *group)),
            Some(valid) => valid.valid_indices().for_each(|row| visit(row, self.groups[row])),
        }
    }
}

/// The memory of all groups of an accumulator, kept up to date by those who change a group.
#[derive(Debug, Default)]
pub(super) struct Bytes(usize);

impl Bytes {
    pub(super) fn replace(&mut self, before: usize, after: usize) {
        self.0 = (self.0 + after).saturating_sub(before);
    }
}

/// The type of an answer that may be an estimate: the answer, and whether it is one.
pub(super) fn estimate_type(value: DataType) -> DataType {
    DataType::Struct(
        vec![Field::new("value", value, true), Field::new("is_estimate", DataType::Boolean, false)].into(),
    )
}

/// A column of that type.
pub(super) fn estimates(value: ArrayRef, is_estimate: Vec<bool>) -> Result<ArrayRef> {
    let DataType::Struct(fields) = estimate_type(value.data_type().clone()) else {
        return Err(DataFusionError::Internal("an estimate is a struct".to_owned()));
    };
    let columns: Vec<ArrayRef> = vec![value, Arc::new(BooleanArray::from(is_estimate))];
    Ok(Arc::new(arrow_array::StructArray::try_new(fields, columns, None)?))
}

/// The column `input` as text, which all that is not a number comes as.
pub(super) fn texts(inputs: &[ArrayRef], input: usize) -> Result<&arrow_array::StringViewArray> {
    let column = &inputs[input];
    column.as_string_view_opt().ok_or_else(|| wrong_input(column.data_type(), "Utf8View"))
}

pub(super) fn floats(inputs: &[ArrayRef]) -> Result<&arrow_array::Float64Array> {
    inputs[0].as_primitive_opt().ok_or_else(|| wrong_input(inputs[0].data_type(), "Float64"))
}

/// Refuses what a column of bytes has no places for, which have 31 bits.
pub(super) fn check_room(written: usize, more: usize) -> Result<()> {
    match written.checked_add(more).is_some_and(|bytes| i32::try_from(bytes).is_ok()) {
        true => Ok(()),
        false => {
            Err(DataFusionError::ResourcesExhausted("the states of aggregates are too large".to_owned()))
        }
    }
}

pub(super) fn wrong_input(is: &DataType, expected: &str) -> DataFusionError {
    DataFusionError::Internal(format!("an aggregate was given {is}: cast it to {expected}"))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Function<A> {
    aggregate: A,
    signature: Signature,
}

impl<A: Aggregate> AggregateUDFImpl for Function<A> {
    fn name(&self) -> &str {
        self.aggregate.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.aggregate.output_type())
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let name = format_state_name(args.name, self.aggregate.name());
        Ok(vec![Arc::new(Field::new(name, DataType::Binary, true))])
    }

    fn accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(OneGroup::new(Groups::new(self.aggregate.clone(), 1))))
    }

    fn groups_accumulator_supported(&self, _: AccumulatorArgs) -> bool {
        true
    }

    fn create_groups_accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(Groups::new(self.aggregate.clone(), 0)))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }
}

#[derive(Debug)]
struct Groups<A: Aggregate> {
    aggregate: A,
    groups: Vec<A::Group>,
    bytes: Bytes,
}

impl<A: Aggregate> Groups<A> {
    fn new(aggregate: A, count: usize) -> Self {
        let groups = std::iter::repeat_with(A::Group::default).take(count).collect();
        Self { aggregate, groups, bytes: Bytes::default() }
    }

    fn take(&mut self, emit_to: EmitTo) -> Vec<A::Group> {
        let taken = emit_to.take_needed(&mut self.groups);
        let freed = taken.iter().map(A::heap_bytes).sum();
        self.bytes.replace(freed, 0);
        taken
    }

    fn write_states(&self, groups: Vec<A::Group>) -> Result<ArrayRef> {
        // A text that grows would take twice as much while it moves. What a group holds goes as soon as it is written.
        let bytes: usize = groups.iter().map(A::heap_bytes).sum();
        let mut column = BinaryBuilder::with_capacity(groups.len(), bytes.saturating_add(groups.len()));
        let mut state = Vec::new();
        for mut group in groups {
            state.clear();
            state.push(STATE_VERSION);
            self.aggregate.write_state(&mut group, &mut state);
            check_room(column.values_slice().len(), state.len())?;
            column.append_value(&state);
        }
        let mut column = column.finish();
        // States may be kept for long.
        column.shrink_to_fit();
        Ok(Arc::new(column))
    }
}

impl<A: Aggregate> GroupsAccumulator for Groups<A> {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.groups.resize_with(total_num_groups, A::Group::default);
        let rows = Rows::new(group_indices, opt_filter);
        self.aggregate.update(&mut self.groups, values, &rows, &mut self.bytes)
    }

    fn merge_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        total_num_groups: usize,
    ) -> Result<()> {
        self.groups.resize_with(total_num_groups, A::Group::default);
        let states = values[0]
            .as_binary_opt::<i32>()
            .ok_or_else(|| wrong_input(values[0].data_type(), "the Binary of a state"))?;
        for (state, group) in states.iter().zip(group_indices) {
            let Some((version, contents)) = state.and_then(<[u8]>::split_first) else { continue };
            if *version != STATE_VERSION {
                return Err(DataFusionError::Execution(format!(
                    "the partial result of {} has version {version}, this node knows {STATE_VERSION}: \
                     run one release on all nodes",
                    self.aggregate.name()
                )));
            }
            let mut reader = StateReader::new(contents);
            self.aggregate.merge(&mut self.groups[*group], &mut reader, &mut self.bytes)?;
        }
        Ok(())
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let taken = self.take(emit_to);
        self.aggregate.evaluate(taken)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let taken = self.take(emit_to);
        Ok(vec![self.write_states(taken)?])
    }

    /// Each row becomes a state of its own, for when most groups have one row and collecting them gains nothing.
    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        opt_filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let mut groups = Vec::new();
        groups.resize_with(values[0].len(), A::Group::default);
        let indices: Vec<usize> = (0..groups.len()).collect();
        let rows = Rows::new(&indices, opt_filter);
        self.aggregate.update(&mut groups, values, &rows, &mut Bytes::default())?;
        Ok(vec![self.write_states(groups)?])
    }

    fn size(&self) -> usize {
        let answers = self.groups.len().saturating_mul(self.aggregate.answer_bytes());
        self.groups.capacity() * size_of::<A::Group>() + self.bytes.0 + answers
    }
}

/// An accumulator for a query without groups, made of one for groups that has its one group already, since a query
/// over no rows at all has an answer too.
#[derive(Debug)]
pub(super) struct OneGroup<G> {
    groups: G,
    /// The group of each row of a batch.
    indices: Vec<usize>,
}

impl<G: GroupsAccumulator + Debug + Sync> OneGroup<G> {
    pub(super) fn new(groups: G) -> Self {
        Self { groups, indices: Vec::new() }
    }

    fn fit_indices(&mut self, rows: usize) {
        self.indices.resize(rows, 0);
    }
}

impl<G: GroupsAccumulator + Debug + Sync> Accumulator for OneGroup<G> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.fit_indices(values[0].len());
        self.groups.update_batch(values, &self.indices, None, 1)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.fit_indices(states[0].len());
        self.groups.merge_batch(states, &self.indices, 1)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let column = self.groups.evaluate(EmitTo::All)?;
        ScalarValue::try_from_array(&column, 0)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let columns = self.groups.state(EmitTo::All)?;
        columns.iter().map(|column| ScalarValue::try_from_array(column, 0)).collect()
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.indices.capacity() * size_of::<usize>() + self.groups.size()
    }
}
