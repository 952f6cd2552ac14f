//! What the aggregates say of their memory: it grows with what they hold, has an end, and is given back.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, StringViewArray};
use arrow_schema::{Field, Schema};
use datafusion_expr::{AggregateUDF, EmitTo, GroupsAccumulator};
use datafusion_physical_expr::PhysicalExpr;
use datafusion_physical_expr::aggregate::AggregateExprBuilder;
use datafusion_physical_expr::expressions::Column;
use tidegauge_aggregates::{argmax, distinct, histogram, makelist, makeset, percentiles, topk};

use crate::numbers::Numbers;

const GROUPS: usize = 20;

/// An accumulator of its own, for what a plan cannot be made to do.
pub(crate) fn accumulator(function: &Arc<AggregateUDF>, inputs: &[ArrayRef]) -> Box<dyn GroupsAccumulator> {
    let field = |input: &ArrayRef| Field::new("input", input.data_type().clone(), true);
    let schema = Arc::new(Schema::new(inputs.iter().map(field).collect::<Vec<_>>()));
    let column = |index| -> Arc<dyn PhysicalExpr> { Arc::new(Column::new("input", index)) };
    AggregateExprBuilder::new(Arc::clone(function), (0..inputs.len()).map(column).collect())
        .schema(schema)
        .alias("answer")
        .build()
        .unwrap()
        .create_groups_accumulator()
        .unwrap()
}

/// Each aggregate with rows that make its groups as large as they get, and how many bytes a group then has at most.
fn cases() -> Vec<(Arc<AggregateUDF>, Vec<ArrayRef>, usize)> {
    let mut numbers = Numbers(8);
    let rows = 60_000;
    let floats: ArrayRef =
        Arc::new(Float64Array::from_iter_values((0..rows).map(|_| f64::from_bits(numbers.word()))));
    let whole: ArrayRef = Arc::new(Int64Array::from_iter_values((0..rows).map(|_| numbers.word() as i64)));
    let texts: ArrayRef = Arc::new(
        (0..rows).map(|_| Some(numbers.below(1_000_000_000).to_string())).collect::<StringViewArray>(),
    );
    let long: ArrayRef =
        Arc::new((0..rows).map(|row| Some("x".repeat(1000 + row % 7))).collect::<StringViewArray>());
    vec![
        (percentiles(&[50.0]), vec![Arc::clone(&floats)], 80_000),
        (histogram(10), vec![floats], 80_000),
        (topk(10), vec![Arc::clone(&texts)], 300_000),
        (distinct(), vec![Arc::clone(&whole)], 16_384),
        (argmax(), vec![whole, long], 4000),
        (makeset(100), vec![Arc::clone(&texts)], 20_000),
        (makelist(100), vec![texts], 4_000),
    ]
}

#[test]
fn memory_is_counted_bounded_and_given_back() {
    for (function, inputs, bytes_max) in cases() {
        let name = function.name();
        let rows = inputs[0].len();
        let indices: Vec<usize> = (0..rows).map(|row| row % GROUPS).collect();
        let mut groups = accumulator(&function, &inputs);
        let one: Vec<ArrayRef> = inputs.iter().map(|input| input.slice(0, GROUPS)).collect();
        groups.update_batch(&one, &indices[..GROUPS], None, GROUPS).unwrap();
        let small = groups.size();
        groups.update_batch(&inputs, &indices, None, GROUPS).unwrap();
        let large = groups.size();
        assert!(small < large && large <= GROUPS * (bytes_max + 256), "{name}: {small} to {large}");

        let mut merged = accumulator(&function, &inputs);
        let first = groups.state(EmitTo::First(GROUPS / 2)).unwrap();
        let left = groups.size();
        assert!(left < large * 6 / 10 && left > large * 4 / 10, "{name}: {left} of {large}");
        merged.merge_batch(&first, &indices[..GROUPS / 2], GROUPS).unwrap();
        let second = groups.state(EmitTo::All).unwrap();
        assert_eq!(groups.size(), 0, "{name} holds nothing any more");
        merged.merge_batch(&second, &indices[GROUPS / 2..GROUPS], GROUPS).unwrap();
        assert!(merged.size() <= large + large / 4, "{name}: {} of {large}", merged.size());
        assert_eq!(merged.evaluate(EmitTo::All).unwrap().len(), GROUPS);
        assert_eq!(merged.size(), 0, "{name} holds nothing any more");
    }
}

#[test]
fn damaged_states_are_refused() {
    for (function, inputs, _) in cases() {
        let mut groups = accumulator(&function, &inputs);
        groups.update_batch(&inputs, &vec![0; inputs[0].len()], None, 1).unwrap();
        let states = groups.state(EmitTo::All).unwrap();
        let state = states[0].as_any().downcast_ref::<arrow_array::BinaryArray>().unwrap().value(0).to_vec();
        for damaged in [&[2, 0, 0][..], &[1][..], &state[..state.len() - 1]] {
            let column: ArrayRef = Arc::new(arrow_array::BinaryArray::from(vec![damaged]));
            let result = accumulator(&function, &inputs).merge_batch(&[column], &[0], 1);
            assert!(result.is_err(), "{}: {} bytes", function.name(), damaged.len());
        }
    }
}
