//! How many things of a list to answer with.

use tidegauge_model::{Rule, Violation};

const LIMIT_DEFAULT: i64 = 100;
const LIMIT_MAX: i64 = 1_000;

/// The number that was asked for, or the usual one.
pub fn limit(given: Option<i64>) -> Result<i64, Violation> {
    let limit = given.unwrap_or(LIMIT_DEFAULT);
    let rule = match limit {
        ..1 => Rule::Minimum,
        1..=LIMIT_MAX => return Ok(limit),
        _ => Rule::Maximum,
    };
    Err(Violation::new("limit", rule, format!("must be between 1 and {LIMIT_MAX}")).in_query())
}
