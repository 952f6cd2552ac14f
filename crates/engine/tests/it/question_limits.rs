//! Both sides of the limits that a question reaches by itself: of how many parts an expression is computed, and how many
//! values of a list leave out blocks.

use std::sync::Arc;

use serde_json::json;
use tidegauge_lang::Diagnostic;
use tidegauge_store::DatasetState;

use crate::support::house::{House, Placement, SECOND, START, Way, block_on};
use crate::support::tables::{ask, rows};

/// So many arguments stand in one call.
const ARGUMENTS: usize = 60;

fn joined(argument: &str, count: usize) -> String {
    format!("strcat({})", vec![argument; count].join(", "))
}

/// Whether a text of so many parts, each of sixty letters, is made; where it is, it must be as long as they are.
async fn is_computed(house: &House, parts: usize) -> bool {
    let whole = joined("x", ARGUMENTS);
    let mut calls = vec![whole; parts / ARGUMENTS];
    calls.push(joined("x", parts % ARGUMENTS + 1));
    let text = format!(
        "datatable(s:string)['a', 'b'] | extend x = {} | project l = strlen(strcat('', {}))",
        joined("s", ARGUMENTS),
        calls.join(", ")
    );
    match house.ask_text(&[], &text, Way::Threads).await {
        Ok(answer) => {
            let length = (parts + 1) * ARGUMENTS;
            assert_eq!(rows(&answer.tables[0]), json!([[length], [length]]), "{parts} parts");
            true
        }
        Err(errors) => {
            let is_refused = |error: &Diagnostic| error.message.contains("computed of too many parts");
            assert!(errors.iter().any(is_refused), "{parts} parts: {errors:?}");
            false
        }
    }
}

/// Up to its limit an expression is computed right, and from the first part on that is too many it is refused.
#[test]
fn expressions_are_computed_up_to_their_limit_and_then_refused() {
    block_on(async {
        let house = House::new().await;
        // Each part weighs as much as its sixty arguments, or more, and the limit is 200,000.
        let (mut computed, mut refused) = (1, ARGUMENTS * (ARGUMENTS - 4));
        assert!(is_computed(&house, computed).await);
        assert!(!is_computed(&house, refused).await);
        while refused - computed > 1 {
            let middle = computed.midpoint(refused);
            if is_computed(&house, middle).await {
                computed = middle;
            } else {
                refused = middle;
            }
        }
    });
}

/// Three blocks with a hundred numbers each.
async fn numbered(house: &House) -> Arc<DatasetState> {
    let line = |number: i64| json!({"_time": START + number * SECOND, "n": number}).to_string() + "\n";
    let requests: Vec<String> =
        (0..3).map(|request| (request * 100..(request + 1) * 100).map(line).collect()).collect();
    house.filled(&requests, Placement::Segments).await.state
}

/// Blocks that have none of so many values are left out; of more values, every block is looked at.
#[test]
fn lists_leave_out_blocks_up_to_their_limit() {
    const LIST_MAX: usize = 1_000;
    block_on(async {
        let house = House::new().await;
        let state = numbered(&house).await;
        for (count, skipped) in [(LIST_MAX - 1, 2), (LIST_MAX, 2), (LIST_MAX + 1, 0)] {
            let others = (1_000_000..).map(|number: usize| number.to_string());
            let list: Vec<String> =
                ["5".to_owned(), "7".to_owned()].into_iter().chain(others).take(count).collect();
            let text = format!("logs | where n in ({}) | sort by n asc | project n", list.join(", "));
            for way in [Way::Uncached, Way::Cached, Way::Threads] {
                let answer = ask(&house, Some(&state), &text, way).await;
                assert_eq!(rows(&answer.tables[0]), json!([[5], [7]]), "{count} {way:?}");
                assert_eq!(answer.figures.blocks_skipped, skipped, "{count} {way:?}");
            }
        }
    });
}
