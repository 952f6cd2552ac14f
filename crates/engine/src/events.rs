//! Events in an order, up to a limit. Rows are found first, by the columns of the filter and of the order alone; only
//! what the answer shows is read afterwards, for the found rows. In the order of time blocks are walked from the wanted
//! end, and the walk stops when no further block can have a row among the first.

mod fetch;
mod memory;
mod search;
mod slices;
mod sorted;
mod walk;

use std::sync::Arc;

use arrow_array::Array;

use tidegauge_exec::{ARRIVAL_FIELD, Message};
use tidegauge_lang::tree::Cursor;
use tidegauge_model::columns::TIME_FIELD;

use crate::answer::{Answer, Continuation, Field, Table};
use crate::plan::{EventOrder, EventsPlan};
use crate::scan::{After, Scan};
use crate::{Error, Result};

pub(crate) use fetch::{first_rows, rows_within};
pub(crate) use memory::Memory;
pub(crate) use search::Budget;
pub(crate) use slices::factor_after;

/// Narrows a scan to the rows after a cursor.
pub(crate) fn rows_after(plan: &EventsPlan) -> Option<After> {
    let Cursor { row, is_included } = plan.after?;
    let EventOrder::Time { is_descending } = plan.order else { return None };
    Some(After { row, is_included, is_descending })
}

/// Finds the events and reads what is asked of them.
pub(crate) async fn run(plan: &EventsPlan, scan: &Arc<Scan>, budget: Budget) -> Result<Answer> {
    let mut finds = match &plan.order {
        EventOrder::Time { is_descending } => walk::run(scan, *is_descending, plan.limit, &budget).await?,
        EventOrder::Columns(columns) => sorted::run(scan, columns, plan.limit, &budget).await?,
    };
    if finds.cut_at.is_some() && finds.rows.is_empty() {
        return Err(Error::Time { seconds: budget.seconds });
    }
    let (mut fields, read) = fetch::fields(plan, scan, &finds.rows, &budget).await?;
    if plan.shows_only_present {
        let is_present =
            |field: &Field| field.values.iter().any(|(_, array)| array.null_count() < array.len());
        fields.retain(|field| field.name == TIME_FIELD || field.name == ARRIVAL_FIELD || is_present(field));
    }
    let kept = budget.answer_bytes_max.map_or(read, |max| fetch::rows_within(&fields, read, max));
    let fields = fetch::first_rows(fields, kept);
    let mut answer = Answer::default();
    let is_by_time = matches!(plan.order, EventOrder::Time { .. });
    if kept < finds.rows.len() {
        finds.cut_at = finds.rows.get(kept.wrapping_sub(1)).map(|last| last.id);
        finds.rows.truncate(kept);
        if !is_by_time {
            // In this order there is no place to go on from.
            answer.messages.push(Message::RowsCut(kept as u64));
        }
    }
    let ids = || finds.rows.iter().map(|found| found.id);
    let of_cursor = plan.after.map(|cursor| (cursor.row, cursor.row));
    if let EventOrder::Time { is_descending } = plan.order {
        // By the order of the answer and not of ids, so that each can be gone on from.
        let ends = ids().next().zip(ids().next_back());
        let ends = ends.map(|(first, last)| if is_descending { (last, first) } else { (first, last) });
        answer.figures.row_ids = ends.or(of_cursor);
        answer.continues_at = finds.cut_at.map(|after| Continuation { after });
    }
    answer.tables.push(Table {
        name: "0",
        rows: finds.rows.len(),
        fields,
        row_ids: ids().collect(),
        order: plan.sorted_by.clone(),
        ..Table::default()
    });
    Ok(answer)
}
