//! What the values of some fields are like behind a query: how many rows have them, how many there are, which are the
//! most frequent, and between which bounds they lie. Asked of the engine as one query in text, so that rights, limits and
//! costs are those of queries, and all fields are looked at in one pass.

use std::fmt::Write;

use tidegauge_model::{Rule, Violation};

use super::Queried;
use super::apl::{self, AplInput};
use super::quoting::quoted;
use crate::app::App;
use crate::service::{Caller, Result};

/// How many fields one request may ask for, and how many values of each.
const FIELDS_MAX: usize = 50;
const TOP_MAX: usize = 100;

/// Which fields of which rows are asked for.
#[derive(Debug)]
pub struct StatisticsInput {
    /// The query whose rows are looked at, with its range and its values.
    pub query: AplInput,
    pub fields: Vec<String>,
    /// How many of the most frequent values.
    pub top: usize,
}

/// Asks for the figures: one row, with the columns `rows` and, for the field at each place, those of [`Column`].
pub async fn ask(app: &App, caller: &Caller, input: StatisticsInput) -> Result<Queried> {
    check(&input)?;
    let text = text(&input.query.text, &input.fields, input.top);
    apl::query(app, caller, AplInput { text, ..input.query }).await
}

/// What is told of a field.
#[derive(Clone, Copy, Debug)]
pub enum Column {
    Present,
    Distinct,
    Top,
    Min,
    Median,
    Max,
}

impl Column {
    /// The name of the column of the field at a place.
    pub fn name(self, place: usize) -> String {
        let word = match self {
            Self::Present => "present",
            Self::Distinct => "distinct",
            Self::Top => "top",
            Self::Min => "min",
            Self::Median => "median",
            Self::Max => "max",
        };
        format!("{word}_{place}")
    }
}

fn check(input: &StatisticsInput) -> std::result::Result<(), Violation> {
    if input.fields.is_empty() {
        return Err(Violation::required("fields"));
    }
    if input.fields.len() > FIELDS_MAX {
        let problem = format!("should have at most {FIELDS_MAX} items");
        return Err(Violation::new("fields", Rule::TooManyItems, problem));
    }
    if let Some(place) = input.fields.iter().position(String::is_empty) {
        return Err(Violation::required(format!("fields.{place}")));
    }
    if !(1..=TOP_MAX).contains(&input.top) {
        return Err(Violation::new("top", Rule::Maximum, format!("must be between 1 and {TOP_MAX}")));
    }
    Ok(())
}

fn text(base: &str, fields: &[String], top: usize) -> String {
    // On a line of its own: the base may end in a comment.
    let mut text = format!("{base}\n| summarize ['rows'] = count()");
    for (place, field) in fields.iter().enumerate() {
        let field = quoted(field);
        let columns = [
            (Column::Present, format!("countif(isnotnull({field}))")),
            (Column::Distinct, format!("dcount({field})")),
            (Column::Top, format!("topk({field}, {top})")),
            (Column::Min, format!("min({field})")),
            // A field that never was a number has no percentile, and would refuse the others theirs.
            (Column::Median, format!("percentile(todouble({field}), 50)")),
            (Column::Max, format!("max({field})")),
        ];
        for (column, expression) in columns {
            // Writing to a text does not fail.
            let _ = write!(text, ", {} = {expression}", column.name(place));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_fields_stay_names() {
        let text = text("web // all", &["a'] | where true //".to_owned()], 3);
        assert!(
            text.starts_with("web // all\n| summarize ['rows'] = count(), present_0 = countif("),
            "{text}"
        );
        assert!(
            text.contains(r"topk(['a\'] | where true //'], 3)")
                || text.contains("topk([\"a'] | where true //\"], 3)"),
            "{text}"
        );
    }

    #[test]
    fn what_is_asked_for_has_bounds() {
        let of = |fields: usize, top| {
            let fields = (0..fields).map(|place| format!("f{place}")).collect();
            check(&StatisticsInput { query: AplInput::default(), fields, top })
                .map_err(|problem| problem.to_string())
        };
        assert!(of(1, 1).is_ok() && of(50, 100).is_ok());
        assert_eq!(of(0, 1).unwrap_err(), "fields in body is required");
        assert_eq!(of(51, 1).unwrap_err(), "fields in body should have at most 50 items");
        assert_eq!(of(1, 0).unwrap_err(), "top in body must be between 1 and 100");
        assert!(of(1, 101).is_err());
    }
}
