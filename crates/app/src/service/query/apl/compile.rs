//! From the text and what stands beside it in the request to the tree that is run: names settled, the range of time,
//! the order and the cursor in their places.

use std::collections::HashMap;

use tidegauge_lang::dataset_query::{
    NOT_A_CURSOR, NOT_A_TOKEN, Surroundings, allowed_range, continuation_row,
};
use tidegauge_lang::tree::{Cursor, ExprKind, Literal, NamePattern, Query, Stage, TimeRange};
use tidegauge_lang::{Resolved, dataset_names, parse_query, resolve, set_range};
use tidegauge_model::licence::Limits;
use tidegauge_model::{RowId, Rule, Timestamp, Violation};

use super::input::AplInput;
use super::views::Views;
use crate::app::App;
use crate::service::query::failure;
use crate::service::{Caller, Result};

/// What a condition that is always true is answered with; clients know the words.
const ALWAYS_TRUE: &str = "where clause always evaluates to TRUE, which will include all data";

/// A query that is ready to run at a moment.
pub(super) struct Placed {
    pub(super) query: Query,
    pub(super) range: TimeRange,
    pub(super) is_window_cut: bool,
}

/// A text whose names are settled.
pub(super) struct Understood {
    pub(super) resolved: Resolved,
    /// What the text itself reads, and what its views read for it.
    pub(super) direct: Vec<NamePattern>,
    pub(super) by_views: Vec<NamePattern>,
    /// The views that it names.
    pub(super) views: Vec<String>,
}

/// Reads the text and settles its names.
pub(super) async fn understood(app: &App, caller: &Caller, input: &AplInput) -> Result<Understood> {
    let mut resolved = resolved(input, &HashMap::new())?;
    let mut direct = dataset_names(&mut resolved.query);
    let views = Views::of(app, caller, &direct).await?;
    if views.is_empty() {
        return Ok(Understood { resolved, direct, by_views: Vec::new(), views: Vec::new() });
    }
    let resolved = self::resolved(input, &views.queries())?;
    direct.retain(|pattern| !pattern.plain().is_some_and(|name| views.has(name)));
    let by_views = views.reads();
    Ok(Understood { resolved, direct, by_views, views: views.names() })
}

fn resolved(input: &AplInput, views: &HashMap<String, Query>) -> Result<Resolved> {
    let text = input.text.as_str();
    let (program, diagnostics) = parse_query(text);
    if !diagnostics.is_empty() {
        return Err(failure::of_text(text, &diagnostics));
    }
    resolve(program, &input.variables, views).map_err(|diagnostics| failure::of_names(text, &diagnostics))
}

/// Puts the range of time, the default order and the cursor into a query.
pub(super) fn placed(
    resolved: &Resolved,
    input: &AplInput,
    limits: &Limits,
    now: Timestamp,
) -> Result<Placed> {
    let around = Surroundings {
        now: now.as_nanos(),
        data: None,
        window_seconds_max: u64::try_from(limits.max_query_window_seconds).unwrap_or(0),
    };
    let allowed = allowed_range(input.start_time.as_deref(), input.end_time.as_deref(), around)?;
    let range = input.part.unwrap_or(allowed.range);
    let mut query = resolved.query.clone();
    set_range(&mut query, range);
    if !input.default_order.is_empty() {
        add_order(&mut query, input);
    }
    if let Some(cursor) = cursor(input)? {
        query.stages.push(Stage::After(cursor));
    }
    Ok(Placed { query, range, is_window_cut: allowed.is_cut })
}

/// What a person should know of a query that is right nevertheless.
pub(super) fn warnings(query: &Query) -> Vec<String> {
    let is_true = |stage: &Stage| match stage {
        Stage::Filter(condition) => condition.kind == ExprKind::Literal(Literal::Boolean(true)),
        _ => false,
    };
    query.stages.iter().filter(|stage| is_true(stage)).map(|_| ALWAYS_TRUE.to_owned()).collect()
}

/// Orders single events where the text does not: before the stages that count or rename them.
fn add_order(query: &mut Query, input: &AplInput) {
    let is_of_events = |stage: &Stage| {
        matches!(
            stage,
            Stage::Filter(_)
                | Stage::Search(_)
                | Stage::Extend(_)
                | Stage::ExtendValid(_)
                | Stage::Parse(_)
                | Stage::ParseWhere(_)
                | Stage::ParseKeyValue(_)
                | Stage::Redact(_)
                | Stage::Sample(_)
        )
    };
    let ends = |stage: &Stage| {
        matches!(
            stage,
            Stage::Sort(_)
                | Stage::Order(_)
                | Stage::Top(_)
                | Stage::Summarize(_)
                | Stage::Count
                | Stage::Distinct(_)
                | Stage::MakeSeries(_)
                | Stage::GetSchema
        )
    };
    if query.stages.iter().any(ends) {
        return;
    }
    let place = query.stages.iter().position(|stage| !is_of_events(stage)).unwrap_or(query.stages.len());
    query.stages.insert(place, Stage::Sort(input.default_order.clone()));
}

fn cursor(input: &AplInput) -> std::result::Result<Option<Cursor>, Violation> {
    if let Some(token) = &input.continuation_token {
        let row = continuation_row(token)
            .ok_or_else(|| Violation::new("continuationToken", Rule::Pattern, NOT_A_TOKEN))?;
        return Ok(Some(Cursor { row, is_included: false }));
    }
    let Some(text) = &input.cursor else { return Ok(None) };
    let row = RowId::parse(text).ok_or_else(|| Violation::new("cursor", Rule::Pattern, NOT_A_CURSOR))?;
    Ok(Some(Cursor { row, is_included: input.includes_cursor }))
}

#[cfg(test)]
mod tests {
    use tidegauge_lang::tree::SortKey;

    use super::*;

    fn query(text: &str) -> Query {
        let (program, diagnostics) = parse_query(text);
        assert_eq!(diagnostics, Vec::new(), "{text}");
        program.query
    }

    #[test]
    fn events_are_ordered_before_they_are_counted_or_renamed() {
        let key = SortKey { field: "a".to_owned(), is_descending: false, ..SortKey::default() };
        let input = AplInput { default_order: vec![key], ..AplInput::default() };
        for (text, place) in [
            ("['d']", Some(0)),
            ("['d'] | where b > 1 | extend a = 1 | take 5", Some(2)),
            ("['d'] | project b | take 5", Some(0)),
            ("['d'] | sort by b", None),
            ("['d'] | summarize count() by b", None),
            ("['d'] | take 5 | count", None),
        ] {
            let mut query = query(text);
            add_order(&mut query, &input);
            let found = query
                .stages
                .iter()
                .position(|stage| matches!(stage, Stage::Sort(keys) if *keys == input.default_order));
            assert_eq!(found, place, "{text}");
        }
    }

    #[test]
    fn a_condition_that_is_always_true_is_told() {
        assert_eq!(warnings(&query("['d'] | where true")), [ALWAYS_TRUE]);
        assert!(warnings(&query("['d'] | where a == true")).is_empty());
    }

    #[test]
    fn a_cursor_is_a_row_id() {
        let cursor = |text: &str| {
            cursor(&AplInput { cursor: Some(text.to_owned()), includes_cursor: true, ..AplInput::default() })
        };
        let row = RowId { time: 5, sequence: 6, index: 7 };
        assert_eq!(cursor(&row.to_string()), Ok(Some(Cursor { row, is_included: true })));
        assert!(cursor("nothing like it").is_err());
        assert!(cursor(&row.to_string()[..38]).is_err());
    }
}
