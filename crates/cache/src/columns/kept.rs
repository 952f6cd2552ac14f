//! What of blocks is kept, in which form, and how much memory that takes.

use std::sync::Arc;

use arrow_array::{Array, StringArray};
use tidegauge_exec::InputColumn;
use tidegauge_exec::expr::{Codes, Input};
use tidegauge_store::{BlockId, Templates};

use super::narrow::Narrow;
use crate::templates::Texts;

pub(super) type Key = (BlockId, What);

/// What of a block is kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum What {
    Column(InputColumn),
    /// The templates of a field's texts.
    Templates(Arc<str>),
}

/// It, as it is kept.
#[derive(Clone, Debug)]
pub enum Kept {
    Column(Input),
    /// Texts without what is the same in all of their template.
    Texts(Arc<Texts>),
    /// Texts one after the other, without the views that a column of texts has.
    Packed(StringArray),
    /// Numbers in half of the bytes.
    Narrow(Arc<Narrow>),
    /// None where its texts are too different to have any.
    Templates(Option<Arc<Templates>>),
}

pub(super) fn of_column(block: BlockId, column: &InputColumn) -> Key {
    (block, What::Column(column.clone()))
}

/// How much memory it takes.
pub(super) fn memory_of(kept: &Kept) -> usize {
    /// What an entry costs besides its values.
    const ENTRY_BYTES: usize = 256;
    ENTRY_BYTES
        + match kept {
            Kept::Templates(templates) => templates.as_ref().map_or(0, |templates| templates.memory_bytes()),
            Kept::Texts(texts) => texts.memory_bytes(),
            Kept::Packed(texts) => texts.get_array_memory_size(),
            Kept::Narrow(numbers) => numbers.memory_bytes(),
            Kept::Column(Input::Plain(array)) => array.get_array_memory_size(),
            Kept::Column(Input::Coded { codes, values, nulls }) => {
                let codes = match codes {
                    Codes::U8(codes) => codes.len(),
                    Codes::U16(codes) => codes.len() * 2,
                    Codes::U32(codes) => codes.len() * 4,
                };
                codes + values.get_array_memory_size() + nulls.as_ref().map_or(0, |nulls| nulls.len() / 8)
            }
            Kept::Column(Input::Absent(_)) => 0,
        }
}
