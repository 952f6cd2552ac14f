//! Both sides of how many states are merged by numbers, and of when groups are put in order by a table of all cells.

use super::*;

#[test]
fn states_are_merged_by_numbers_up_to_their_limit() {
    let merged = [0, 1, STATES_MAX - 1, STATES_MAX, STATES_MAX + 1].map(are_few);
    assert_eq!(merged, [false, true, true, true, false]);
}

/// Rows of so many buckets in which the group of one rank occurs, and in the first bucket all groups.
fn rows_of(buckets: i64, ranks: u32) -> Vec<Row> {
    let first = (0..ranks).map(|rank| (Some(0), rank, 0, rank));
    let others = (1..buckets).map(|bucket| (Some(bucket), bucket as u32 % ranks, 1, bucket as u32));
    // Neither buckets nor ranks come in their order.
    let mut rows: Vec<Row> = first.chain(others).collect();
    rows.reverse();
    rows
}

#[test]
fn groups_are_in_the_same_order_with_a_table_of_all_cells_and_without() {
    let mut sides = [0, 0];
    for ranks in 1..=40_u32 {
        for buckets in [1, 2, 7, 8, 9, 15, 16, 17, 60] {
            let rows = rows_of(buckets, ranks);
            let has_table = buckets as usize * ranks as usize <= rows.len() * CELLS_FOR_EACH;
            sides[usize::from(has_table)] += 1;
            let mut wanted = rows.clone();
            wanted.sort_unstable();
            assert_eq!(in_order(rows, ranks as usize), wanted, "{buckets} buckets, {ranks} ranks");
        }
    }
    assert!(sides[0] > 0 && sides[1] > 0, "{sides:?}");
}
