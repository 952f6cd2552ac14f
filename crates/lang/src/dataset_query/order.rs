//! The order of an answer, and the places in it from which a client goes on: cursors and continuation tokens.

use tidegauge_model::{RowId, Rule, Violation};

use super::{DatasetQuery, NOT_A_CURSOR, NOT_A_TOKEN, continuation_row};
use crate::tree::{Cursor, SortKey, Summarize};

/// The field that events are in the order of unless another order is asked for.
const TIME: &str = "_time";

/// The order of events.
pub(super) fn of_events(query: &DatasetQuery) -> Result<Vec<SortKey>, Violation> {
    if query.order.is_empty() {
        return Ok(vec![SortKey { field: TIME.to_owned(), is_descending: true, ..SortKey::default() }]);
    }
    for (place, key) in query.order.iter().enumerate() {
        if key.field.is_empty() {
            return Err(Violation::required(format!("order.{place}.field")));
        }
    }
    let mut order = query.order.clone();
    // Times alone decide almost always; ids decide the rest, and further keys would only break paging.
    if order[0].field == TIME {
        order.truncate(1);
    }
    Ok(order)
}

/// The order of groups, by the names that their fields and aggregates have in the answer.
pub(super) fn of_groups(query: &DatasetQuery, summarize: &Summarize) -> Result<Vec<SortKey>, Violation> {
    if query.order.is_empty() {
        let first = summarize.aggregates.first().map(|aggregate| aggregate.name.clone());
        return Ok(first
            .into_iter()
            .map(|field| SortKey { field, is_descending: true, ..SortKey::default() })
            .collect());
    }
    let mut keys = Vec::with_capacity(query.order.len());
    for (place, key) in query.order.iter().enumerate() {
        let Some(field) = output_name(&key.field, query, summarize) else {
            return Err(unknown_name(place, query, summarize));
        };
        keys.push(SortKey { field, is_descending: key.is_descending, ..SortKey::default() });
    }
    Ok(keys)
}

/// The name in the answer of what an order calls by a group's field, a result's name, its operation or its field.
fn output_name(wanted: &str, query: &DatasetQuery, summarize: &Summarize) -> Option<String> {
    let is_output = summarize.keys.iter().any(|key| key.name == wanted)
        || summarize.aggregates.iter().any(|aggregate| aggregate.name == wanted);
    if is_output {
        return Some(wanted.to_owned());
    }
    let place = |is_meant: &dyn Fn(&super::Aggregation) -> bool| query.aggregations.iter().position(is_meant);
    let place = place(&|aggregation| aggregation.op.trim().eq_ignore_ascii_case(wanted))
        .or_else(|| place(&|aggregation| !wanted.is_empty() && aggregation.field == wanted))?;
    summarize.aggregates.get(place).map(|aggregate| aggregate.name.clone())
}

fn unknown_name(place: usize, query: &DatasetQuery, summarize: &Summarize) -> Violation {
    const SHOWN_MAX: usize = 20;
    let keys = summarize.keys.iter().map(|key| key.name.as_str());
    let names = summarize.aggregates.iter().map(|aggregate| aggregate.name.as_str());
    let fields = query.aggregations.iter().map(|aggregation| aggregation.field.as_str());
    let mut allowed: Vec<&str> = Vec::new();
    for name in keys.chain(names).chain(fields.filter(|field| !matches!(*field, "" | "*"))) {
        if !allowed.contains(&name) && allowed.len() < SHOWN_MAX {
            allowed.push(name);
        }
    }
    let problem = format!(
        "must be a field of groupBy, or the alias or field of an aggregation: one of [{}]",
        allowed.join(" ")
    );
    Violation::new(format!("order.{place}.field"), Rule::OneOf, problem)
}

/// Where the answer begins, if not at the start of its order.
pub(super) fn cursor(query: &DatasetQuery) -> Result<Option<Cursor>, Violation> {
    let present = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    if let Some(token) = present(&query.continuation_token) {
        check_order("continuationToken", query)?;
        let Some(row) = continuation_row(&token) else {
            return Err(Violation::new("continuationToken", Rule::Pattern, NOT_A_TOKEN));
        };
        return Ok(Some(Cursor { row, is_included: false }));
    }
    let Some(text) = present(&query.cursor) else { return Ok(None) };
    check_order("cursor", query)?;
    let Some(row) = RowId::parse(&text) else {
        return Err(Violation::new("cursor", Rule::Pattern, NOT_A_CURSOR));
    };
    Ok(Some(Cursor { row, is_included: query.includes_cursor }))
}

/// Rows have a place only in the order of time.
fn check_order(field: &str, query: &DatasetQuery) -> Result<(), Violation> {
    if !query.aggregations.is_empty() {
        let problem = "must be left out with aggregations: only events have pages";
        return Err(Violation::new(field, Rule::OneOf, problem));
    }
    match query.order.as_slice() {
        [] => Ok(()),
        [only] if only.field == TIME => Ok(()),
        _ => {
            let problem = "works only in the order of _time alone: order by _time, or leave it out";
            Err(Violation::new(field, Rule::OneOf, problem))
        }
    }
}
