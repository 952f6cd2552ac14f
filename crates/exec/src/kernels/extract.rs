//! Several typed values taken out of one text at once. The text is read once for all of them, whatever uses them.

pub mod pairs;
pub mod pattern;

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, StructArray};
use arrow_schema::{DataType, Field, Fields};
use tidegauge_lang::tree::{Column, Type};

use super::cells;
use super::cells::Cell;
use crate::error::Result;
use crate::expr::{At, Kernel, Typed, Values};
use crate::types::arrow_type;

/// Takes a text apart.
pub trait Extract: Send + Sync + 'static {
    /// Puts what belongs to each column in its place, null at first. Gives whether the text has the wanted form.
    fn extract<'t>(&self, text: &'t str, found: &mut [Option<Found<'t>>]) -> bool;
}

/// What was found for a column: a text, or a value already.
#[derive(Clone, Debug)]
pub enum Found<'t> {
    Text(Cow<'t, str>),
    Cell(Cell<'t>),
}

/// What a text is taken apart into.
#[derive(Debug)]
pub struct Extracted {
    pub columns: Vec<Typed>,
    /// Whether the text has the wanted form.
    pub is_found: Typed,
}

/// Takes texts apart into columns. Where it is strict, a text of which one column does not have its type has not the
/// wanted form, and then all columns are null.
pub fn extracted(text: Typed, columns: &[Column], is_strict: bool, by: impl Extract) -> Result<Extracted> {
    let kinds: Arc<[Type]> = columns.iter().map(|column| column.kind).collect();
    let of_kinds = Arc::clone(&kinds);
    let run: Kernel = Arc::new(move |values: &[Values], At { rows, .. }| {
        all_columns(&values[0], rows, &of_kinds, is_strict, &by)
    });
    // An array of all columns together, which nothing but their parts reads.
    let shared = Typed::call("extract", Type::Dynamic, vec![text], run)?.shared();
    let part = |place: usize, kind: Type| {
        let run: Kernel =
            Arc::new(move |values: &[Values], _| Ok(Arc::clone(values[0].array().as_struct().column(place))));
        Typed::call("part", kind, vec![shared.clone()], run)
    };
    let columns = kinds.iter().enumerate().map(|(place, kind)| part(place, *kind));
    Ok(Extracted { columns: columns.collect::<Result<_>>()?, is_found: part(kinds.len(), Type::Boolean)? })
}

fn all_columns(
    texts: &Values,
    rows: usize,
    kinds: &[Type],
    is_strict: bool,
    by: &impl Extract,
) -> Result<ArrayRef> {
    let array = texts.array().as_string_view();
    let mut columns: Vec<cells::Column> = kinds.iter().map(|kind| cells::Column::of(*kind, rows)).collect();
    let mut are_found = Vec::with_capacity(rows);
    let mut found: Vec<Option<Found<'_>>> = vec![None; kinds.len()];
    let mut cells: Vec<Option<Cell<'_>>> = Vec::with_capacity(kinds.len());
    for row in 0..rows {
        let place = texts.place(row);
        let mut is_found = array.is_valid(place) && by.extract(array.value(place), &mut found);
        for (found, kind) in found.iter_mut().zip(kinds) {
            let cell = match found.take() {
                Some(Found::Cell(cell)) => Some(cell),
                Some(Found::Text(Cow::Borrowed(text))) => Cell::read(*kind, text),
                Some(Found::Text(Cow::Owned(text))) => Cell::of_owned(*kind, text),
                None => None,
            };
            is_found &= !is_strict || cell.is_some();
            cells.push(cell);
        }
        for (column, cell) in columns.iter_mut().zip(cells.drain(..)) {
            column.push(cell.filter(|_| is_found));
        }
        are_found.push(is_found);
    }
    let mut arrays: Vec<ArrayRef> = columns.into_iter().map(cells::Column::finish).collect();
    let mut fields: Vec<Field> = kinds.iter().map(|kind| Field::new("", arrow_type(*kind), true)).collect();
    arrays.push(Arc::new(BooleanArray::from(are_found)));
    fields.push(Field::new("", DataType::Boolean, true));
    Ok(Arc::new(StructArray::try_new(Fields::from(fields), arrays, None)?))
}
