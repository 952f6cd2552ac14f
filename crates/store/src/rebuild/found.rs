//! Reads a segment file for all that the catalogue has to know of it.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use tidegauge_catalog::segments::NewSegment;
use tidegauge_model::{DatasetId, ErrorKind, SegmentId};

use crate::checksum::checksum;
use crate::gc::dataset_of;
use crate::objects::Objects;
use crate::segment::{Description, SegmentInput, footer_bytes, is_whole};
use crate::{Error, Result};

/// A segment file that can be read.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) description: Description,
    pub(super) segment: NewSegment,
    /// The sequences of its events.
    pub(super) sequences: BTreeSet<u64>,
}

impl Found {
    /// Up to which sequence events were in segments when this was one of them. Those that were deleted must not come
    /// back from the WAL.
    pub(super) fn flushed(&self) -> u64 {
        self.segment.max_sequence.max(self.description.flushed)
    }
}

/// Every readable segment, by dataset. What cannot be read is named in `skipped`.
pub(super) async fn find(
    objects: &Objects,
    skipped: &mut Vec<String>,
) -> Result<BTreeMap<DatasetId, Vec<Found>>> {
    let mut found: BTreeMap<DatasetId, Vec<Found>> = BTreeMap::new();
    let mut listed = objects.list().await?;
    listed.sort_by(|a, b| a.path.cmp(&b.path));
    for object in listed {
        let Some(dataset) = dataset_of(&object.path) else {
            skipped.push(format!("{}: not in the folder of a dataset", object.path));
            continue;
        };
        let bytes = objects.get(&object.path).await?;
        let path = object.path.clone();
        let read = tokio::task::spawn_blocking(move || read(path, bytes))
            .await
            .map_err(|source| Error::caused(ErrorKind::Internal, "reading was interrupted", source))?;
        match read {
            Ok(one) if one.description.origin.dataset == dataset.as_str() => {
                found.entry(dataset).or_default().push(one);
            }
            Ok(one) => {
                let other = one.description.origin.dataset;
                skipped.push(format!("{}: belongs to {other}", object.path));
            }
            Err(error) => skipped.push(format!("{}: {error}", object.path)),
        }
    }
    Ok(found)
}

fn read(path: String, bytes: Bytes) -> Result<Found> {
    if !is_whole(&bytes) {
        return Err(Error::corrupt("the file is damaged"));
    }
    let part = SegmentInput::open(bytes.clone())?;
    let description = part.description().clone();
    let id = SegmentId::parse(&description.segment)
        .filter(|id| path.ends_with(&format!("/{id}.parquet")))
        .ok_or_else(|| Error::corrupt(format!("the file is {} under another name", description.segment)))?;
    let identities = part.identities();
    let sequences: BTreeSet<u64> = identities.sequences.iter().copied().collect();
    let segment = NewSegment {
        id,
        path,
        rows: part.rows() as u64,
        bytes: bytes.len() as u64,
        raw_bytes: description.raw_bytes,
        footer_bytes: footer_bytes(&bytes),
        min_time: identities.times.iter().min().copied().unwrap_or_default(),
        max_time: identities.times.iter().max().copied().unwrap_or_default(),
        min_sequence: sequences.first().copied().unwrap_or_default(),
        max_sequence: sequences.last().copied().unwrap_or_default(),
        level: description.level,
        checksum: checksum(&bytes),
        stats: part.stats().encode()?,
        sidecar: None,
    };
    Ok(Found { description, segment, sequences })
}
