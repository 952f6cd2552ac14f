//! A batch: the events of one request as the bytes that go to the write-ahead log and that the buffer is read from, so that
//! events are encoded once on their way in. Columns lie one after the other, each aligned to eight bytes; a column
//! that every event has stores no row numbers. Reading and writing the WAL's records is left to `log`.

mod decode;
mod encode;

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use tidegauge_model::{FieldKind, Timestamp};

pub(crate) use decode::BatchValues;
pub(crate) use encode::Encoder;

/// Layout version, the first number of a batch.
pub(crate) const VERSION: u32 = 1;

/// How many bytes come before the idempotency key: version, rows, columns, key length, arrival, raw bytes,
/// fingerprint, answer length and its padding.
pub(crate) const HEAD_BYTES: usize = 48;

/// What travels with the events of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// When the request came in, in nanoseconds since 1970.
    pub arrival: i64,
    /// Bytes of the request's body, uncompressed.
    pub raw_bytes: u64,
    /// Under which key a repetition of the request is known.
    pub key: Option<IdempotencyKey>,
}

impl Receipt {
    pub(crate) fn arrived(&self) -> Timestamp {
        Timestamp::from_nanos(self.arrival)
    }
}

/// The key that a caller gave a request, and what to answer to a repetition of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub key: String,
    /// A hash of the body: the same key with another body is a mistake of the caller.
    pub fingerprint: u64,
    /// The answer that the first request got.
    pub answer: String,
}

/// The events of one request, in the form in which they are written to the WAL.
#[derive(Clone, Debug)]
pub(crate) struct WalBatch {
    bytes: Bytes,
    rows: usize,
    receipt: Arc<Receipt>,
    times: Range<usize>,
    columns: Vec<BatchColumn>,
}

/// Where one column lies in its batch.
#[derive(Clone, Debug)]
pub(crate) struct BatchColumn {
    name: Range<usize>,
    kind: FieldKind,
    count: usize,
    /// Absent when every event has a value.
    rows: Option<Range<usize>>,
    /// The fixed-size values, or where each text ends.
    values: Range<usize>,
    /// The bytes of strings; empty for other kinds.
    strings: Range<usize>,
}

impl WalBatch {
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn receipt(&self) -> &Arc<Receipt> {
        &self.receipt
    }

    /// How much memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len() + self.columns.len() * size_of::<BatchColumn>()
    }

    pub(crate) fn encoded(&self) -> &Bytes {
        &self.bytes
    }

    /// A part of the batch that outlives it, without a copy.
    pub(crate) fn shared(&self, part: &[u8]) -> Bytes {
        self.bytes.slice_ref(part)
    }

    pub(crate) fn columns(&self) -> &[BatchColumn] {
        &self.columns
    }
}

/// Rounds up to the alignment of columns.
pub(crate) fn aligned(position: usize) -> usize {
    position.next_multiple_of(8)
}

pub(crate) fn code_of(kind: FieldKind) -> u8 {
    match kind {
        FieldKind::Boolean => 1,
        FieldKind::Integer => 2,
        FieldKind::Float => 3,
        FieldKind::String => 4,
        FieldKind::Array => 5,
        FieldKind::Map => 6,
        FieldKind::LongInteger => 7,
    }
}

#[cfg(test)]
mod tests;
