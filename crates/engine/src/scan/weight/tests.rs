//! Both sides of what of a block is decoded at once, and of what a portion of it is.

use super::*;

#[test]
fn what_is_decoded_at_once_is_a_part_of_the_memory_up_to_its_limit() {
    let enough = WHOLE_BYTES_MAX * WHOLE_PART;
    for (memory, whole) in [
        (0, 0),
        (WHOLE_PART - 1, 0),
        (WHOLE_PART, 1),
        (enough - WHOLE_PART, WHOLE_BYTES_MAX - 1),
        (enough - 1, WHOLE_BYTES_MAX - 1),
        (enough, WHOLE_BYTES_MAX),
        (enough + WHOLE_PART, WHOLE_BYTES_MAX),
        (u64::MAX, WHOLE_BYTES_MAX),
    ] {
        assert_eq!(whole_bytes_of(memory), whole, "{memory}");
    }
}

#[test]
fn a_portion_has_the_rows_that_fit_and_one_at_least() {
    for portion in [PORTION_BYTES, MANY_PORTION_BYTES] {
        for (bytes, rows) in [
            (0, portion as usize * 128),
            (portion - 1, 128),
            (portion, 128),
            (portion + 1, 127),
            (portion * 64, 2),
            (portion * 64 + 1, 1),
            (portion * 128, 1),
            (portion * 128 + 1, 1),
            (u64::MAX, 1),
        ] {
            assert_eq!(rows_of_portion(portion, 128, bytes), rows, "{bytes} of {portion}");
        }
    }
}
