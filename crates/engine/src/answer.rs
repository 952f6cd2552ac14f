//! What a query answers: tables of Arrow columns with what is known of them, and the figures of the work. How an
//! answer looks to a client is left to the server.

use std::time::Duration;

use arrow_array::{Array, ArrayRef};
use tidegauge_exec::Message;
use tidegauge_lang::tree::{Bucket, SortKey, TimeRange, Type};
use tidegauge_model::RowId;

use crate::held::Held;

/// The answer to a question.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The table `0`, and beside groups over time buckets the table `_totals` with the groups over all time.
    pub tables: Vec<Table>,
    pub figures: Figures,
    pub messages: Vec<Message>,
    /// Where to go on, when a budget cut the answer: the rows from here on, in the order of the answer, are missing.
    pub continues_at: Option<Continuation>,
    /// What was planned and done, for those who ask.
    pub explanation: Option<Explanation>,
    /// What the query has until its answer is written.
    pub held: Held,
}

impl Answer {
    /// What its columns take. Columns that share memory are counted each.
    pub(crate) fn memory_bytes(&self) -> usize {
        let fields = self.tables.iter().flat_map(|table| &table.fields);
        fields.flat_map(|field| &field.values).map(|(_, array)| array.get_array_memory_size()).sum()
    }
}

/// A table: fields of equal length.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub name: &'static str,
    pub rows: usize,
    pub fields: Vec<Field>,
    /// The identity of each row, where rows are events.
    pub row_ids: Vec<RowId>,
    pub order: Vec<SortKey>,
    /// The names of the fields that are keys of groups, the time bucket among them.
    pub groups: Vec<String>,
    pub bucket: Option<Bucket>,
    /// The range of time that was looked at.
    pub range: Option<TimeRange>,
    /// The names of the datasets that rows came from.
    pub sources: Vec<String>,
}

/// A field of a table.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    /// What it was computed by.
    pub aggregate: Option<AggregateInfo>,
    /// Its values, one array for each type that occurs. In a row at most one of them is not null. Strings are
    /// `Utf8View`, times and timespans `Int64` nanoseconds, arrays, maps and dynamic values `Utf8View` of JSON text.
    pub values: Vec<(Type, ArrayRef)>,
}

/// How an aggregate was called.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateInfo {
    /// The name in the contract: `count`, `distinct`, `topk`, …
    pub name: &'static str,
    pub fields: Vec<String>,
    /// JSON texts.
    pub arguments: Vec<String>,
}

/// What the work was. Measured, never estimated.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub elapsed: Duration,
    /// Rows in the time range that were looked at.
    pub rows_examined: u64,
    pub rows_matched: u64,
    /// Blocks that were read in part or whole, and those that could be left out.
    pub blocks_examined: u64,
    pub blocks_skipped: u64,
    /// Of the examined, those whose columns were in memory already.
    pub blocks_cached: u64,
    /// Blocks whose groups were kept from an earlier query.
    pub blocks_kept: u64,
    /// Bytes read from files.
    pub bytes_read: u64,
    /// About the bytes that columns would take in memory, of a dry run.
    pub bytes_decoded: u64,
    /// Bytes of all segments that have events in the time range.
    pub bytes_total: u64,
    pub groups: u64,
    /// Whether events were read that are in no segment yet.
    pub has_unflushed: bool,
    /// Bounds of the time of the examined blocks.
    pub block_times: Option<(i64, i64)>,
    /// The row at the old end of the answer and the one at its new end, where rows are events in the order of time.
    pub row_ids: Option<(RowId, RowId)>,
    /// Whether a value of the answer comes from a sketch and may differ from the exact one.
    pub is_estimate: bool,
    pub memory_peak: u64,
}

/// Where an answer that was cut goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Continuation {
    /// The last row that is part of the answer so far, or that all of it lies before.
    pub after: RowId,
}

/// What was planned and what each step took.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// The plan, one step on a line, the source last.
    pub plan: String,
    pub steps: Vec<StepFigures>,
    /// Why blocks were left out, with how many.
    pub skipped: Vec<(&'static str, u64)>,
}

/// The work of one step, over all threads.
#[derive(Clone, Debug)]
pub struct StepFigures {
    pub name: String,
    pub rows: u64,
    pub elapsed: Duration,
}
