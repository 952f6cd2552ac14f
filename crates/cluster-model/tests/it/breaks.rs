//! What goes wrong without each rule.

use crate::rules::{Rule, Rules};

#[test]
#[expect(clippy::print_stderr, reason = "")]
fn survey() {
    let count = crate::asked("N").unwrap_or(3000);
    for rule in Rule::ALL {
        let mut counts = std::collections::BTreeMap::new();
        let mut first = 0;
        for seed in 1..=count {
            if let Some(wrong) = crate::live(Rules::without(rule), crate::Tape::of_seed(seed), false).wrong {
                if first == 0 {
                    first = seed;
                }
                *counts.entry(format!("{:?}", wrong.kind)).or_insert(0) += 1;
            }
        }
        eprintln!("{rule:?}: first {first} {counts:?}");
    }
}
