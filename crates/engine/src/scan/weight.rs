//! How much memory columns take when they are decoded. A block is read at once as long as that is little; of one with
//! very long texts, so many rows are read at once that a question stays within its memory.

use tidegauge_store::Block;

use super::{Picked, Scan};
use crate::bind::InputColumn;

/// Columns of a block that take more are read in portions.
const WHOLE_BYTES_MAX: u64 = 128 << 20;

/// About what a portion takes.
const PORTION_BYTES: u64 = 8 << 20;

/// A column with more bytes is not read whole where some rows of it are wanted, and is not kept.
const COLUMN_BYTES_MAX: u64 = 64 << 20;

/// What a value takes beside its text.
const VALUE_BYTES: u64 = 17;

impl Scan {
    /// About the bytes of the inputs at these places, for all rows of a block.
    pub(crate) fn decoded_bytes(&self, block: usize, places: &[usize]) -> u64 {
        let block = &self.blocks[block];
        let mut is_rest_counted = false;
        let mut bytes = 0;
        for place in places {
            let column = &self.inputs[*place];
            bytes += block.rows() as u64 * VALUE_BYTES;
            // All fields without a column of their own are in one.
            if column.is_in_rest(block) && std::mem::replace(&mut is_rest_counted, true) {
                continue;
            }
            bytes += text_bytes(block, column);
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

    /// The picked rows of a block in portions that can be read at once; mostly all of them.
    pub(crate) fn portions(&self, block: usize, places: &[usize], picked: &Picked) -> Vec<Picked> {
        let (rows, count) = (self.blocks[block].rows().max(1) as u64, picked.count());
        let bytes = self.decoded_bytes(block, places);
        // Other columns are read whole in any case.
        let has_heavy = || places.iter().any(|place| is_heavy(&self.blocks[block], &self.inputs[*place]));
        if bytes <= WHOLE_BYTES_MAX || !has_heavy() {
            return vec![picked.clone()];
        }
        let of_each = PORTION_BYTES.saturating_mul(rows) / bytes;
        let of_each = usize::try_from(of_each).unwrap_or(usize::MAX).max(1);
        let starts = (0..count).step_by(of_each);
        starts.map(|start| picked.slice(start..count.min(start.saturating_add(of_each)))).collect()
    }
}

fn text_bytes(block: &Block, column: &InputColumn) -> u64 {
    match column {
        InputColumn::Field(field, kind) => block.decoded_bytes(field, *kind),
        InputColumn::Time | InputColumn::Arrival | InputColumn::Cursor | InputColumn::Template(_) => 0,
    }
}

/// Whether a column is too large to be read whole where some rows of it are wanted.
pub(super) fn is_heavy(block: &Block, column: &InputColumn) -> bool {
    text_bytes(block, column) > COLUMN_BYTES_MAX
}
