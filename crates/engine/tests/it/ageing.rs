//! Which columns stay in memory follows what is asked for: what was asked for very often gives way in the end to what is
//! asked for now, and one that is asked for now and then pushes nothing out.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray};
use tidegauge_engine::testing::KeptColumns;
use tidegauge_store::BlockId;

/// Room for two columns of this many rows, and not for three.
const ROWS: usize = 64 << 10;
const BYTES_MAX: usize = 24 << 10;

fn block(number: u128) -> BlockId {
    BlockId::Segment { segment: number, row_group: 0 }
}

fn column() -> ArrayRef {
    Arc::new(BooleanArray::from(vec![true; ROWS]))
}

#[test]
fn what_was_asked_for_very_often_gives_way_to_what_is_asked_for_now() {
    let (kept, column) = (KeptColumns::new(BYTES_MAX), column());
    let times = 8_000;
    for _ in 0..times {
        kept.ask(block(1), &column);
        kept.ask(block(2), &column);
    }
    assert!(kept.ask(block(1), &column) && kept.ask(block(2), &column));
    for new in [3, 4] {
        let asked = (0..times).position(|_| kept.ask(block(new), &column));
        let asked =
            asked.expect("it gives way before the new one was asked for as often as the old one ever was");
        assert!(asked > 100, "what was asked for very often goes after {asked} questions");
    }
}

#[test]
fn what_is_asked_for_all_the_time_stays() {
    let (kept, column) = (KeptColumns::new(BYTES_MAX), column());
    for round in 0..40_000 {
        let was_kept = [1, 2].map(|number| kept.ask(block(number), &column)) == [true, true];
        assert!(was_kept || round == 0, "pushed out in round {round}");
        // Each of the others is asked for a few times and never again.
        kept.ask(block(1_000 + round / 3), &column);
    }
}
