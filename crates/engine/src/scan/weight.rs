//! How much memory columns take when they are decoded. A block is read at once as long as that is little; of one with
//! very long texts, so many rows are read at once that a question stays within its memory.

use std::sync::atomic::Ordering;

use tidegauge_exec::InputColumn;
use tidegauge_exec::expr::Picked;
use tidegauge_model::FieldKind;
use tidegauge_store::Block;

use super::Scan;

/// Columns of a block that take more are read in portions, or more than this part of what the query may have.
const WHOLE_BYTES_MAX: u64 = 128 << 20;
const WHOLE_PART: u64 = 8;

/// About what a portion takes, and one of very many columns: reading few rows of each takes longer.
const PORTION_BYTES: u64 = 8 << 20;
const MANY_PORTION_BYTES: u64 = 32 << 20;

/// More columns than these are read in portions even where none of them is large.
const COLUMNS_MANY: usize = 64;

/// A column with more bytes is not read whole where some rows of it are wanted, and is not kept.
const COLUMN_BYTES_MAX: u64 = 64 << 20;

/// What a value takes beside its text.
const VALUE_BYTES: u64 = 17;

/// Below this share of a block's rows, only those rows are decoded.
const FEW: usize = 32;

/// Columns of so few bytes for a row are decoded whole: it costs next to nothing, and the next query finds them.
const SMALL_ROW_BYTES: u64 = 2;

impl Scan {
    /// Counts what would be read of a block, `one` time or none.
    pub(super) fn look_at(&self, place: usize, one: u64) {
        let block = &self.blocks[place];
        let all: Vec<usize> = (0..self.inputs.len()).collect();
        let counters = &self.counters;
        counters.blocks_examined.fetch_add(one, Ordering::Relaxed);
        counters.rows_examined.fetch_add(one * block.rows() as u64, Ordering::Relaxed);
        let stored = self.inputs.iter().map(|column| stored_bytes(block, column));
        let stored = stored.fold(0, u64::saturating_add);
        counters.bytes_read.fetch_add(one * stored.min(block.stored_bytes()), Ordering::Relaxed);
        counters.bytes_decoded.fetch_add(one * self.decoded_bytes(place, &all), Ordering::Relaxed);
    }

    /// About the bytes of the inputs at these places, for all rows of a block.
    pub(crate) fn decoded_bytes(&self, block: usize, places: &[usize]) -> u64 {
        let block = &self.blocks[block];
        let mut is_rest_counted = false;
        let mut bytes = 0_u64;
        for place in places {
            let column = &self.inputs[*place];
            bytes = bytes.saturating_add((block.rows() as u64).saturating_mul(VALUE_BYTES));
            // All fields without a column of their own are in one.
            if is_in_overflow(column, block) && std::mem::replace(&mut is_rest_counted, true) {
                continue;
            }
            bytes = bytes.saturating_add(text_bytes(block, column));
        }
        bytes
    }

    /// About the bytes that are decoded for so many rows of a block beside them: columns that are read whole.
    pub(crate) fn bytes_beside(&self, block: usize, places: &[usize], rows: usize) -> usize {
        let of = &self.blocks[block];
        let is_whole = |place: &usize| self.is_read_whole(of, &self.inputs[*place], rows);
        let whole: Vec<usize> = places.iter().copied().filter(is_whole).collect();
        let others = of.rows().saturating_sub(rows) as f64 / of.rows().max(1) as f64;
        (self.decoded_bytes(block, &whole) as f64 * others) as usize
    }

    /// Whether columns are so many that those of a block are not decoded whole for some of its rows.
    pub(super) fn are_read_alone(&self, block: usize, places: &[usize], rows: usize) -> bool {
        rows < self.blocks[block].rows() && self.are_too_many(block, places)
    }

    /// Whether columns are so many that those of a block would not fit.
    pub(super) fn are_too_many(&self, block: usize, places: &[usize]) -> bool {
        places.len() > COLUMNS_MANY && self.decoded_bytes(block, places) > self.whole_bytes_max()
    }

    /// Into how many parts blocks are cut so that all columns that are read of one fit; one where they do. No more than
    /// the largest has rows: others would be empty.
    pub(super) fn parts_by_columns(&self) -> usize {
        if self.read.len() <= COLUMNS_MANY {
            return 1;
        }
        let largest = (0..self.blocks.len()).max_by_key(|block| self.blocks[*block].rows());
        let Some(largest) = largest else { return 1 };
        let bytes = self.decoded_bytes(largest, &self.read);
        match bytes > self.whole_bytes_max() {
            true => {
                let parts = usize::try_from(bytes.div_ceil(self.many_portion_bytes())).unwrap_or(usize::MAX);
                parts.min(self.blocks[largest].rows().max(1))
            }
            false => 1,
        }
    }

    fn many_portion_bytes(&self) -> u64 {
        MANY_PORTION_BYTES.min(self.whole_bytes_max()).max(1)
    }

    fn whole_bytes_max(&self) -> u64 {
        whole_bytes_of(self.pace.memory_max() as u64)
    }

    /// The picked rows of a block in portions that can be read at once; mostly all of them.
    pub(crate) fn portions(&self, block: usize, places: &[usize], picked: &Picked) -> Vec<Picked> {
        let (rows, count) = (self.blocks[block].rows().max(1) as u64, picked.count());
        let bytes = self.decoded_bytes(block, places);
        // A few columns are read whole in any case.
        let has_heavy = || places.iter().any(|place| is_heavy(&self.blocks[block], &self.inputs[*place]));
        let is_many = places.len() > COLUMNS_MANY;
        if bytes <= self.whole_bytes_max() || !(is_many || has_heavy()) {
            return vec![picked.clone()];
        }
        let portion = match is_many {
            true => self.many_portion_bytes(),
            false => PORTION_BYTES,
        };
        let of_each = rows_of_portion(portion, rows, bytes);
        let starts = (0..count).step_by(of_each);
        starts.map(|start| picked.slice(start..count.min(start.saturating_add(of_each)))).collect()
    }
}

/// How many bytes of a block are decoded at once for a query that may have so many.
fn whole_bytes_of(memory_max: u64) -> u64 {
    WHOLE_BYTES_MAX.min(memory_max / WHOLE_PART)
}

/// How many rows are in a portion of so many bytes, where so many rows take so many bytes; one at least.
fn rows_of_portion(portion: u64, rows: u64, bytes: u64) -> usize {
    usize::try_from(portion.saturating_mul(rows) / bytes.max(1)).unwrap_or(usize::MAX).max(1)
}

fn stored_bytes(block: &Block, column: &InputColumn) -> u64 {
    match column {
        InputColumn::Field(field, kind) => block.column_bytes(field, *kind),
        // Times and the like are small beside what queries read.
        InputColumn::Time
        | InputColumn::Arrival
        | InputColumn::Sequence
        | InputColumn::Index
        | InputColumn::Cursor
        | InputColumn::Template(_) => 0,
    }
}

fn text_bytes(block: &Block, column: &InputColumn) -> u64 {
    match column {
        InputColumn::Field(field, kind) => block.decoded_bytes(field, *kind),
        InputColumn::Time
        | InputColumn::Arrival
        | InputColumn::Sequence
        | InputColumn::Index
        | InputColumn::Cursor
        | InputColumn::Template(_) => 0,
    }
}

/// Whether a column is too large to be read whole where some rows of it are wanted.
pub(super) fn is_heavy(block: &Block, column: &InputColumn) -> bool {
    text_bytes(block, column) > COLUMN_BYTES_MAX
}

/// Whether only these rows of a block are decoded, and not all.
pub(super) fn is_few(rows: usize, block: &Block) -> bool {
    rows.saturating_mul(FEW) < block.rows()
}

/// Whether decoding a column whole would be felt: long texts, not numbers or words of a few.
pub(super) fn is_large(block: &Block, column: &InputColumn) -> bool {
    match column {
        InputColumn::Field(
            field,
            kind @ (FieldKind::String | FieldKind::Array | FieldKind::Map | FieldKind::LongInteger),
        ) => block.column_bytes(field, *kind) > (block.rows() as u64).saturating_mul(SMALL_ROW_BYTES),
        InputColumn::Cursor => true,
        InputColumn::Field(_, FieldKind::Boolean | FieldKind::Integer | FieldKind::Float)
        | InputColumn::Template(_)
        | InputColumn::Time
        | InputColumn::Arrival
        | InputColumn::Sequence
        | InputColumn::Index => false,
    }
}

/// Whether a column has no form of its own in a block.
pub(super) fn is_in_overflow(column: &InputColumn, block: &Block) -> bool {
    matches!(column, InputColumn::Field(field, kind) if block.is_in_overflow(field, *kind))
}

#[cfg(test)]
mod tests;
