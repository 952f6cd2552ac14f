//! Kernels that compute one value for each row. Unless they say otherwise, a row in which an argument is null gives
//! null. Texts are written into one buffer that all rows share. One that is too long is null, and that is told.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringViewBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

use crate::error::{Error, Result};
use crate::expr::{At, Kernel, Values};
use crate::notices::Message;
use crate::notices::Notices;

/// The longest text that a function makes. What would be longer is null.
pub(super) const TEXT_BYTES_MAX: usize = 16 << 20;

/// Where a function tells that a text would have been too long.
#[derive(Clone)]
pub(super) struct Told {
    pub(super) function: &'static str,
    pub(super) notices: Notices,
}

impl Told {
    /// What is given up half-way is too long as well.
    fn look_at(&self, text: &str) {
        if text.len() > TEXT_BYTES_MAX {
            self.too_long();
        }
    }

    #[cold]
    pub(super) fn too_long(&self) {
        let (function, limit) = (self.function, TEXT_BYTES_MAX as u64);
        self.notices.tell(Message::NullBeyond { function, limit, unit: "bytes of text" });
    }
}

/// How much the texts of one call may take for the rows at hand, in MiB.
const ARRAY_MIB_MAX: usize = 512;

/// The arguments of one row.
#[derive(Clone, Copy)]
pub(super) struct Row<'a, 'b> {
    columns: &'b [Column<'a>],
    row: usize,
}

struct Column<'a> {
    cells: Cells<'a>,
    is_scalar: bool,
}

enum Cells<'a> {
    Texts(&'a StringViewArray),
    Integers(&'a Int64Array),
    Floats(&'a Float64Array),
    Booleans(&'a BooleanArray),
    /// An array without values.
    Nothing,
}

impl<'a> Column<'a> {
    fn of(values: &'a Values) -> Self {
        let array = values.array();
        let cells = match array.data_type() {
            DataType::Utf8View => Cells::Texts(array.as_string_view()),
            DataType::Int64 => Cells::Integers(array.as_primitive::<Int64Type>()),
            DataType::Float64 => Cells::Floats(array.as_primitive::<Float64Type>()),
            DataType::Boolean => Cells::Booleans(array.as_boolean()),
            _ => Cells::Nothing,
        };
        Self { cells, is_scalar: matches!(values, Values::Scalar(_)) }
    }

    fn place(&self, row: usize) -> usize {
        if self.is_scalar { 0 } else { row }
    }
}

impl<'a> Row<'a, '_> {
    pub(super) fn count(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn is_null(&self, argument: usize) -> bool {
        let column = &self.columns[argument];
        let place = column.place(self.row);
        match &column.cells {
            Cells::Texts(texts) => texts.is_null(place),
            Cells::Integers(integers) => integers.is_null(place),
            Cells::Floats(floats) => floats.is_null(place),
            Cells::Booleans(booleans) => booleans.is_null(place),
            Cells::Nothing => true,
        }
    }

    /// The bytes of all texts among the arguments.
    fn text_bytes(&self) -> usize {
        let of = |column: &Column<'_>| match column.cells {
            Cells::Texts(texts) => {
                let place = column.place(self.row);
                if texts.is_valid(place) { texts.value(place).len() } else { 0 }
            }
            _ => 0,
        };
        self.columns.iter().map(of).sum()
    }

    /// The text of an argument, which is one of those that lie in arrays of text.
    pub(super) fn text(&self, argument: usize) -> &'a str {
        let column = &self.columns[argument];
        match column.cells {
            Cells::Texts(texts) => texts.value(column.place(self.row)),
            _ => "",
        }
    }

    pub(super) fn integer(&self, argument: usize) -> i64 {
        let column = &self.columns[argument];
        match column.cells {
            Cells::Integers(integers) => integers.value(column.place(self.row)),
            _ => 0,
        }
    }

    pub(super) fn float(&self, argument: usize) -> f64 {
        let column = &self.columns[argument];
        match column.cells {
            Cells::Floats(floats) => floats.value(column.place(self.row)),
            _ => 0.0,
        }
    }
}

/// Where arrays of results are built.
trait Builder<T> {
    fn of_rows(rows: usize) -> Self;
    fn append(&mut self, value: Option<T>) -> Result<()>;

    /// The bytes of the texts so far. Other values take no more than they did as arguments.
    fn bytes(&self) -> usize {
        0
    }

    fn end(self) -> ArrayRef;
}

/// Goes over the rows. Nulls are passed to the function only if it takes them.
fn each_row<T, B: Builder<T>>(
    values: &[Values],
    at: At<'_>,
    takes_nulls: bool,
    mut compute: impl FnMut(Row<'_, '_>, &mut B, bool) -> Result<()>,
) -> Result<ArrayRef> {
    let columns: Vec<Column<'_>> = values.iter().map(Column::of).collect();
    let mut builder = B::of_rows(at.rows);
    let nulls = if takes_nulls { None } else { nulls(values, at.rows) };
    for row in 0..at.rows {
        let is_null = nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        let (bytes, arguments) = (builder.bytes(), Row { columns: &columns, row });
        let Some(allowance) = at.allowance else {
            compute(arguments, &mut builder, is_null)?;
            continue;
        };
        let read = if is_null { 0 } else { arguments.text_bytes() };
        let _working = allowance.borrow(read, row)?;
        compute(arguments, &mut builder, is_null)?;
        let made = builder.bytes() - bytes;
        if made > 0 {
            allowance.take(made, row)?;
        }
        allowance.look(read, row)?;
    }
    Ok(builder.end())
}

/// In which rows an argument is null.
fn nulls(values: &[Values], rows: usize) -> Option<NullBuffer> {
    let mut union = None;
    for value in values {
        match value {
            Values::Scalar(scalar) if scalar.is_null(0) => return Some(NullBuffer::new_null(rows)),
            Values::Scalar(_) => {}
            Values::Array(array) => union = NullBuffer::union(union.as_ref(), array.logical_nulls().as_ref()),
        }
    }
    union
}

struct Texts {
    builder: StringViewBuilder,
    bytes: usize,
}

impl Builder<&str> for Texts {
    fn of_rows(rows: usize) -> Self {
        Self { builder: StringViewBuilder::with_capacity(rows), bytes: 0 }
    }

    fn append(&mut self, value: Option<&str>) -> Result<()> {
        let value = value.filter(|text| text.len() <= TEXT_BYTES_MAX);
        self.bytes += value.map_or(0, str::len);
        if self.bytes > ARRAY_MIB_MAX << 20 {
            return Err(Error::Memory { limit: ARRAY_MIB_MAX as u64 });
        }
        self.builder.append_option(value);
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn end(mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
    }
}

impl Builder<i64> for Int64Builder {
    fn of_rows(rows: usize) -> Self {
        Self::with_capacity(rows)
    }

    fn append(&mut self, value: Option<i64>) -> Result<()> {
        self.append_option(value);
        Ok(())
    }

    fn end(mut self) -> ArrayRef {
        Arc::new(self.finish())
    }
}

impl Builder<f64> for Float64Builder {
    fn of_rows(rows: usize) -> Self {
        Self::with_capacity(rows)
    }

    fn append(&mut self, value: Option<f64>) -> Result<()> {
        self.append_option(value);
        Ok(())
    }

    fn end(mut self) -> ArrayRef {
        Arc::new(self.finish())
    }
}

impl Builder<bool> for BooleanBuilder {
    fn of_rows(rows: usize) -> Self {
        Self::with_capacity(rows)
    }

    fn append(&mut self, value: Option<bool>) -> Result<()> {
        self.append_option(value);
        Ok(())
    }

    fn end(mut self) -> ArrayRef {
        Arc::new(self.finish())
    }
}

/// A kernel that writes a text, or gives none for null.
pub(super) fn texts(
    told: Told,
    write: impl Fn(Row<'_, '_>, &mut String) -> Option<()> + Send + Sync + 'static,
) -> Kernel {
    texts_with(told, || (), move |(), row, text| write(row, text))
}

/// As [`texts`], with something that the rows at hand share.
pub(super) fn texts_with<S>(
    told: Told,
    begin: impl Fn() -> S + Send + Sync + 'static,
    write: impl Fn(&mut S, Row<'_, '_>, &mut String) -> Option<()> + Send + Sync + 'static,
) -> Kernel {
    Arc::new(move |values: &[Values], at| {
        let (mut shared, mut text) = (begin(), String::new());
        each_row(values, at, false, |row, builder: &mut Texts, is_null| {
            text.clear();
            let is_there = !is_null && write(&mut shared, row, &mut text).is_some();
            told.look_at(&text);
            builder.append(is_there.then_some(text.as_str()))
        })
    })
}

/// As [`texts`], for a function that takes nulls.
pub(super) fn texts_of_all(
    told: Told,
    write: impl Fn(Row<'_, '_>, &mut String) -> Option<()> + Send + Sync + 'static,
) -> Kernel {
    Arc::new(move |values: &[Values], at| {
        let mut text = String::new();
        each_row(values, at, true, |row, builder: &mut Texts, _| {
            text.clear();
            let is_there = write(row, &mut text).is_some();
            told.look_at(&text);
            builder.append(is_there.then_some(text.as_str()))
        })
    })
}

/// A kernel that gives a part of one of the arguments.
pub(super) fn parts(cut: impl for<'a> Fn(Row<'a, '_>) -> Option<&'a str> + Send + Sync + 'static) -> Kernel {
    Arc::new(move |values: &[Values], at| {
        each_row(values, at, false, |row, builder: &mut Texts, is_null| {
            builder.append(if is_null { None } else { cut(row) })
        })
    })
}

pub(super) fn integers(compute: impl Fn(Row<'_, '_>) -> Option<i64> + Send + Sync + 'static) -> Kernel {
    computed::<i64, Int64Builder, ()>(|| (), move |(), row| compute(row))
}

pub(super) fn integers_with<S>(
    begin: impl Fn() -> S + Send + Sync + 'static,
    compute: impl Fn(&mut S, Row<'_, '_>) -> Option<i64> + Send + Sync + 'static,
) -> Kernel {
    computed::<i64, Int64Builder, S>(begin, compute)
}

pub(super) fn floats(compute: impl Fn(Row<'_, '_>) -> Option<f64> + Send + Sync + 'static) -> Kernel {
    computed::<f64, Float64Builder, ()>(|| (), move |(), row| compute(row))
}

pub(super) fn floats_with<S>(
    begin: impl Fn() -> S + Send + Sync + 'static,
    compute: impl Fn(&mut S, Row<'_, '_>) -> Option<f64> + Send + Sync + 'static,
) -> Kernel {
    computed::<f64, Float64Builder, S>(begin, compute)
}

pub(super) fn booleans(compute: impl Fn(Row<'_, '_>) -> Option<bool> + Send + Sync + 'static) -> Kernel {
    computed::<bool, BooleanBuilder, ()>(|| (), move |(), row| compute(row))
}

fn computed<T, B: Builder<T>, S>(
    begin: impl Fn() -> S + Send + Sync + 'static,
    compute: impl Fn(&mut S, Row<'_, '_>) -> Option<T> + Send + Sync + 'static,
) -> Kernel {
    Arc::new(move |values: &[Values], at| {
        let mut shared = begin();
        each_row(values, at, false, |row, builder: &mut B, is_null| {
            builder.append(if is_null { None } else { compute(&mut shared, row) })
        })
    })
}

/// A kernel for a function that takes nulls.
pub(super) fn booleans_of_all(compute: impl Fn(Row<'_, '_>) -> bool + Send + Sync + 'static) -> Kernel {
    Arc::new(move |values: &[Values], at| {
        each_row(values, at, true, |row, builder: &mut BooleanBuilder, _| builder.append(Some(compute(row))))
    })
}
