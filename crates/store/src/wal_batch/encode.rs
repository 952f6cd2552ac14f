//! Writes a batch from columns. The buffer is sized first, so that each value is copied once.

use std::sync::Arc;

use bytes::Bytes;
use tidegauge_model::{Column, Columns, Texts, Values};

use super::{BatchColumn, HEAD_BYTES, Receipt, VERSION, WalBatch, aligned, code_of};

/// Bytes before the name of a column: name length, kind, whether it is dense, count, bytes of its strings, spare.
const COLUMN_HEAD_BYTES: usize = 16;

/// Turns columns into batches.
pub(crate) struct Encoder {
    bytes: Vec<u8>,
    columns: Vec<BatchColumn>,
}

impl Encoder {
    pub(crate) fn encode(columns: &Columns, receipt: Receipt) -> WalBatch {
        let used = columns.columns.iter().filter(|column| !column.rows.is_empty());
        let mut encoder = Self {
            bytes: Vec::with_capacity(size_of_batch(columns, &receipt)),
            columns: Vec::with_capacity(used.clone().count()),
        };
        encoder.head(columns.rows(), used.clone().count(), &receipt);
        let times = encoder.fixed(bytemuck::cast_slice(&columns.times));
        for column in used {
            encoder.column(column, columns.rows());
        }
        WalBatch {
            bytes: Bytes::from(encoder.bytes),
            rows: columns.rows(),
            receipt: Arc::new(receipt),
            times,
            columns: encoder.columns,
        }
    }

    fn head(&mut self, rows: usize, columns: usize, receipt: &Receipt) {
        let none = super::IdempotencyKey::default();
        let key = receipt.key.as_ref().unwrap_or(&none);
        for number in [VERSION, short(rows), short(columns), short(key.key.len())] {
            self.bytes.extend_from_slice(&number.to_le_bytes());
        }
        self.bytes.extend_from_slice(&receipt.arrival.to_le_bytes());
        self.bytes.extend_from_slice(&receipt.raw_bytes.to_le_bytes());
        self.bytes.extend_from_slice(&key.fingerprint.to_le_bytes());
        self.bytes.extend_from_slice(&(key.answer.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(key.key.as_bytes());
        self.bytes.extend_from_slice(key.answer.as_bytes());
        self.align();
    }

    fn column(&mut self, column: &Column, rows: usize) {
        let count = column.rows.len();
        let is_dense = count == rows;
        let string_bytes = strings_of(&column.values).map_or(0, |strings| strings.bytes.len());
        self.bytes.extend_from_slice(&short(column.field.len()).to_le_bytes());
        self.bytes.extend_from_slice(&[code_of(column.values.kind()), u8::from(is_dense), 0, 0]);
        self.bytes.extend_from_slice(&short(count).to_le_bytes());
        self.bytes.extend_from_slice(&short(string_bytes).to_le_bytes());
        let name = self.fixed(column.field.as_bytes());
        let present = (!is_dense).then(|| self.fixed(bytemuck::cast_slice(&column.rows)));
        let (values, strings) = match &column.values {
            Values::Boolean(values) => (self.fixed(bytemuck::cast_slice(values)), 0..0),
            Values::Integer(values) => (self.fixed(bytemuck::cast_slice(values)), 0..0),
            Values::Float(values) => (self.fixed(bytemuck::cast_slice(values)), 0..0),
            Values::String(strings)
            | Values::Array(strings)
            | Values::Map(strings)
            | Values::LongInteger(strings) => {
                (self.fixed(bytemuck::cast_slice(&strings.ends)), self.fixed(&strings.bytes))
            }
        };
        let kind = column.values.kind();
        self.columns.push(BatchColumn { name, kind, count, rows: present, values, strings });
    }

    /// Copies a block and aligns what comes after it. Numbers lie as this machine has them in memory.
    fn fixed(&mut self, block: &[u8]) -> std::ops::Range<usize> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(block);
        let end = self.bytes.len();
        self.align();
        start..end
    }

    fn align(&mut self) {
        self.bytes.resize(aligned(self.bytes.len()), 0);
    }
}

/// The limits on a request keep every count far below this.
fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn strings_of(values: &Values) -> Option<&Texts> {
    match values {
        Values::String(strings)
        | Values::Array(strings)
        | Values::Map(strings)
        | Values::LongInteger(strings) => Some(strings),
        _ => None,
    }
}

fn size_of_batch(columns: &Columns, receipt: &Receipt) -> usize {
    let key = receipt.key.as_ref().map_or(0, |key| key.key.len() + key.answer.len());
    let head = HEAD_BYTES + aligned(key);
    let each = columns.columns.iter().filter(|column| !column.rows.is_empty()).map(|column| {
        let present = if column.rows.len() == columns.rows() { 0 } else { aligned(column.rows.len() * 4) };
        let values = match &column.values {
            Values::Boolean(values) => aligned(values.len()),
            Values::Integer(values) => values.len() * 8,
            Values::Float(values) => values.len() * 8,
            Values::String(strings)
            | Values::Array(strings)
            | Values::Map(strings)
            | Values::LongInteger(strings) => aligned(strings.ends.len() * 4) + aligned(strings.bytes.len()),
        };
        COLUMN_HEAD_BYTES + aligned(column.field.len()) + present + values
    });
    head + columns.times.len() * 8 + each.sum::<usize>()
}
