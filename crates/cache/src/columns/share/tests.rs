//! Both sides of after how many uses counts are halved, from few kept columns to very many.

use tidegauge_exec::InputColumn;
use tidegauge_store::BlockId;

use super::*;
use crate::columns::kept::of_column;

const EACH: usize = Frequencies::HALVED_AFTER_EACH;
const MIN: usize = Frequencies::HALVED_AFTER_MIN;
const MAX: usize = Frequencies::HALVED_AFTER_MAX;

#[test]
fn counts_are_halved_after_as_many_uses_as_there_are_columns() {
    let key = of_column(BlockId::Segment { segment: 1, row_group: 0 }, &InputColumn::Arrival);
    let other = of_column(BlockId::Segment { segment: 2, row_group: 0 }, &InputColumn::Arrival);
    for (kept, uses) in [
        (0, MIN),
        (MIN / EACH - 1, MIN),
        (MIN / EACH, MIN),
        (MIN / EACH + 1, MIN + EACH),
        (MAX / EACH - 1, MAX - EACH),
        (MAX / EACH, MAX),
        (MAX / EACH + 1, MAX),
        (usize::MAX, MAX),
    ] {
        let mut asked = Frequencies::default();
        asked.add(&other, kept);
        (2..uses).for_each(|_| asked.add(&key, kept));
        assert_eq!(asked.count(&key) as usize, uses - 2, "{kept} columns");
        assert_eq!(asked.count(&other), 1, "{kept} columns");
        asked.add(&key, kept);
        assert_eq!(asked.count(&key) as usize, (uses - 1) / 2, "{kept} columns");
        assert_eq!(asked.count(&other), 0, "{kept} columns");
        // And anew from there.
        (1..uses).for_each(|_| asked.add(&other, kept));
        assert_eq!(asked.count(&other) as usize, uses - 1, "{kept} columns");
    }
}
