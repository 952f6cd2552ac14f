//! The blocks of one segment file that is in memory, for the fuzz targets.

use std::sync::Arc;

use tidegauge_catalog::segments::Segment;
use tidegauge_model::{DatasetId, SegmentId};

use super::footer::Footer;
use super::segment::SegmentBlock;
use super::{Block, FooterCache, Place};
use crate::Result;
use crate::checksum::checksum;
use crate::objects::Objects;
use crate::segment::footer_bytes;

const PATH: &str = "segment.parquet";

/// An open segment.
#[derive(Debug)]
pub struct OpenSegment {
    pub blocks: Vec<Block>,
    /// What is read beside the footer is kept as long as this is.
    _keeper: Arc<FooterCache>,
}

/// Opens a file of which the catalogue knows what was written, so many rows.
pub(crate) async fn open(id: SegmentId, bytes: &[u8], written: &[u8], rows: u64) -> Result<OpenSegment> {
    let objects = Arc::new(Objects::in_memory());
    objects.put(PATH, bytes.to_vec()).await?;
    let segment = Segment {
        id,
        dataset: DatasetId::from("dataset_1"),
        path: PATH.to_owned(),
        rows,
        bytes: written.len() as u64,
        raw_bytes: 0,
        footer_bytes: footer_bytes(written),
        min_time: i64::MIN,
        max_time: i64::MAX,
        min_sequence: 0,
        max_sequence: u64::MAX,
        level: 0,
        checksum: checksum(written),
        sidecar: None,
        added: 0,
        removed: None,
    };
    let keeper = Arc::new(FooterCache::new(1 << 20));
    let footer = Footer::open(&objects, &Arc::new(segment), Arc::downgrade(&keeper)).await?;
    let footer = keeper.keep(Arc::new(footer));
    let block = |group: usize| Block(Place::Segment(SegmentBlock::new(&footer, group)));
    Ok(OpenSegment { blocks: (0..footer.group_count()).map(block).collect(), _keeper: keeper })
}
