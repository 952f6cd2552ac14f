//! Groups that are chosen when all are computed, by an order of columns that are made from those of the groups.

use std::sync::Arc;

use arrow_array::{ArrayRef, UInt32Array};
use arrow_ord::sort::{SortColumn, SortOptions, lexsort_to_indices};
use arrow_select::take::take;
use datafusion_common::DataFusionError;
use tidegauge_bind::Surroundings;
use tidegauge_exec::expr::{Input, Rows};
use tidegauge_lang::Span;
use tidegauge_lang::tree::{SortKey, Type};

use super::columns::{Column, shape};
use crate::Result;
use crate::answer::Table;
use crate::groups;
use crate::pipeline::relation::About;
use crate::pipeline::rows::of_table;
use crate::plan::comparable;

/// Groups that are chosen by columns of the result.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) by: Vec<SortKey>,
    pub(super) limit: usize,
}

impl Choice {
    /// Leaves the chosen groups in the tables: those by bucket, and those over all time.
    pub(super) fn make(
        &self,
        tables: &mut [Table],
        keys: usize,
        columns: Option<&[Column]>,
        around: &Surroundings,
    ) -> Result<()> {
        let [series, totals] = tables else { return Ok(()) };
        let chosen = self.order(totals, columns, around)?;
        pick(totals, &chosen)?;
        let rows = groups::in_order(&arrays(series, keys + 1), &arrays(totals, keys))?;
        pick(series, &rows)
    }

    /// The places of the chosen groups among those over all time, in their order.
    fn order(
        &self,
        totals: &Table,
        columns: Option<&[Column]>,
        around: &Surroundings,
    ) -> Result<UInt32Array> {
        let mut relation = of_table(totals, around, About::default())?;
        if let Some(columns) = columns {
            shape(&mut relation, columns)?;
        }
        let arrays = totals.fields.iter().flat_map(|field| &field.values);
        let inputs: Vec<Input> = arrays.map(|(_, array)| Input::Plain(Arc::clone(array))).collect();
        let rows = Rows::new(&inputs, totals.rows);
        let mut by = Vec::with_capacity(self.by.len() + 1);
        for key in &self.by {
            let value = relation.scope.field(&key.field, Span::default())?;
            // Lists and maps have no order.
            let has_order = |kind: &Type| !matches!(kind, Type::Array | Type::Map);
            let Some(sorted) = comparable(&value)?.filter(|sorted| has_order(&sorted.kind)) else { continue };
            let descending = key.is_descending;
            let options = Some(SortOptions { descending, nulls_first: !descending });
            by.push(SortColumn { values: sorted.evaluate(&rows)?.into_array(rows.count)?, options });
        }
        // Groups that are equal in this stay in the order of their keys. The rows that this gives have 32 bits as well.
        let end = u32::try_from(totals.rows)
            .map_err(|_| DataFusionError::ResourcesExhausted("too many groups to be sorted".to_owned()))?;
        let places: ArrayRef = Arc::new(UInt32Array::from_iter_values(0..end));
        by.push(SortColumn { values: places, options: None });
        Ok(lexsort_to_indices(&by, Some(self.limit))?)
    }
}

/// The columns of a table's first fields, which are keys and have one type each.
fn arrays(table: &Table, count: usize) -> Vec<ArrayRef> {
    let fields = table.fields.iter().take(count);
    fields.filter_map(|field| field.values.first()).map(|(_, array)| Arc::clone(array)).collect()
}

/// Leaves rows of a table, in this order.
fn pick(table: &mut Table, rows: &UInt32Array) -> Result<()> {
    for field in &mut table.fields {
        for (_, array) in &mut field.values {
            *array = take(array, rows, None)?;
        }
    }
    table.rows = rows.len();
    Ok(())
}
