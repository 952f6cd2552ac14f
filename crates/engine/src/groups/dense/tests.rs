//! Both sides of what a thread keeps before it hands its states on.

use super::*;

#[test]
fn a_thread_hands_on_beyond_its_groups_and_beyond_its_values() {
    for (groups, values, wanted) in [
        (0, 0, false),
        (GROUPS_MAX, 0, false),
        (GROUPS_MAX, VALUES_MAX, false),
        (GROUPS_MAX + 1, 0, true),
        (1, VALUES_MAX - 1, false),
        (1, VALUES_MAX, false),
        (1, VALUES_MAX + 1, true),
    ] {
        assert_eq!(are_too_many(groups, values), wanted, "{groups} groups, {values} values");
    }
}
