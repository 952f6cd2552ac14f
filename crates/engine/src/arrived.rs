//! The rows that came with some requests: those that arrived since a moment, whatever their own times are.

use arrow_buffer::BooleanBuffer;
use tidegauge_exec::expr::Picked;
use tidegauge_store::Block;

use crate::Result;

/// Which requests rows are wanted of, by their sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// The last one that is not wanted.
    pub after: u64,
    /// The last one that is.
    pub until: u64,
}

impl Arrived {
    /// Those of the picked rows of a block that came with such a request.
    pub(crate) async fn keep(self, block: &Block, picked: Picked) -> Result<Picked> {
        let sequences = block.sequences().await?;
        let count = picked.count();
        let is_wanted = BooleanBuffer::collect_bool(count, |place| {
            let sequence = sequences[picked.row(place) as usize];
            sequence > self.after && sequence <= self.until
        });
        Ok(picked.keep(&is_wanted))
    }
}
