//! What the store reads from disks, as bytes, for the fuzz targets: WAL files, batches, templates and segments. Nobody
//! else should use it.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, LargeStringArray};
use bytes::Bytes;
use tidegauge_model::{Column, Columns, DatasetId, FieldKind, SegmentId};

use crate::arrays;
pub use crate::blocks::testing::OpenSegment;
use crate::buffered_batch::BufferedBatch;
use crate::column_key::ColumnKey;
use crate::merge::{Merge, Rows};
use crate::merge_input::MergeInput;
use crate::rows::rows_of;
use crate::segment::{self, CompactionTier, Job, Origin, SegmentInput};
use crate::wal::{DatasetKey, WalSettings, encode_file, recover};
use crate::wal_batch::{Encoder, WalBatch};
use crate::{Damage, Receipt, Result, StoredRow, Templates};

/// A record of the WAL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalRecord {
    pub dataset: DatasetId,
    pub sequence: u64,
    /// Up to where the file was on the disk when this was written.
    pub synced: u64,
    pub payload: Vec<u8>,
}

/// What a log held.
#[derive(Clone, Debug)]
pub struct RecoveredWal {
    /// Datasets, sequences and batches.
    pub records: Vec<(DatasetId, u64, Vec<u8>)>,
    pub damage: Vec<Damage>,
    pub last_sequence: u64,
}

/// A WAL file with these records. The second number is where each ends.
pub fn wal_file(first: u64, acknowledged: u64, records: &[WalRecord]) -> Result<(Vec<u8>, Vec<usize>)> {
    let keyed: Vec<(DatasetKey, &WalRecord)> =
        records.iter().map(|record| Ok((DatasetKey::of(&record.dataset)?, record))).collect::<Result<_>>()?;
    let records =
        keyed.iter().map(|(key, record)| (*key, record.sequence, record.synced, &record.payload[..]));
    Ok(encode_file(first, acknowledged, records))
}

/// Reads the WAL in a folder as a start does, and puts damaged parts aside.
pub fn recover_wal(folder: &Path) -> Result<RecoveredWal> {
    let settings = WalSettings {
        folder: folder.join("log"),
        quarantine: folder.join("quarantine"),
        file_bytes: 1 << 20,
    };
    let mut records = Vec::new();
    let recovered = recover(&settings, &mut |dataset, sequence, payload| {
        records.push((dataset, sequence, payload.encoded().to_vec()));
    })?;
    Ok(RecoveredWal { records, damage: recovered.damage, last_sequence: recovered.last_sequence })
}

/// The batch of some events.
pub fn encode_wal_batch(columns: &Columns, receipt: Receipt) -> Vec<u8> {
    Encoder::encode(columns, receipt).encoded().to_vec()
}

/// The events of a batch.
pub fn decode_wal_batch(bytes: &[u8]) -> Result<(Columns, Receipt)> {
    let payload = WalBatch::decode(Bytes::copy_from_slice(bytes))?;
    let mut columns = Vec::new();
    for column in payload.columns() {
        let field = Arc::<str>::from(payload.name(column));
        let array = arrays::of_batch(&payload, column)?;
        columns.push(arrays::to_column(&field, column.kind(), &array)?);
    }
    let columns = Columns { times: payload.times().into_owned(), columns };
    Ok((columns, payload.receipt().as_ref().clone()))
}

pub fn encode_templates(templates: &Templates) -> Result<Vec<u8>> {
    templates.encode()
}

/// The templates of so many rows; none where they have a form that is not known.
pub fn decode_templates(bytes: &[u8], rows: usize) -> Result<Option<Templates>> {
    Templates::decode(bytes, rows)
}

/// All fields in the strings of `_rest`.
pub fn decode_overflow(strings: &[Option<&str>]) -> Result<Vec<Column>> {
    segment::decode_overflow(&overflow_array(strings))
}

/// One field in the strings of `_rest`.
pub fn decode_overflow_field(strings: &[Option<&str>], field: &str, kind: FieldKind) -> Result<Column> {
    segment::decode_overflow_field(&overflow_array(strings), field, kind)
}

fn overflow_array(strings: &[Option<&str>]) -> ArrayRef {
    Arc::new(strings.iter().copied().collect::<LargeStringArray>())
}

/// A segment with the events of these requests, whose sequences count from 1.
pub fn encode_segment(requests: &[Columns]) -> Result<Vec<u8>> {
    let batches = (1..).zip(requests).map(|(sequence, columns)| {
        let receipt = Receipt { arrival: 1_000_000 * sequence as i64, raw_bytes: 100, key: None };
        MergeInput::Buffered(Arc::new(BufferedBatch { sequence, payload: Encoder::encode(columns, receipt) }))
    });
    let merge = Merge::new(batches.collect())?;
    let (own, _) = segment::promoted(&merge);
    let column = |(number, ((field, kind), _)): (u32, &(ColumnKey, u64))| {
        let (field, name) = (field.to_string(), format!("{field}:{}", kind.as_str()));
        tidegauge_catalog::columns::DatasetColumn { number, field, kind: *kind, name }
    };
    let columns: Vec<_> = (100..).zip(&own).map(column).collect();
    let dataset = "dataset_01890a5dac96774bbcceb302099a8057".to_owned();
    let origin = Origin { org: "org_1".to_owned(), dataset, name: "fuzzed".to_owned() };
    let groups = [(SegmentId::from(SEGMENT), Rows::Range(0..merge.rows()))];
    let job = Job {
        merge: &merge,
        groups: &groups,
        columns: &columns,
        origin: &origin,
        level: 0,
        flushed: requests.len() as u64,
        replaces: Vec::new(),
        tier: CompactionTier::Fresh,
    };
    let mut encoded = segment::encode(&job)?;
    Ok(encoded.pop().map(|encoded| encoded.bytes).unwrap_or_default())
}

/// The segment that [`encode_segment`] writes.
pub const SEGMENT: &str = "segment_01890a5dac96774bbcceb302099a8057";

/// Whether a segment file is as it was written, and whether its footer alone is.
pub fn is_whole(bytes: &[u8]) -> (bool, bool) {
    let length = usize::try_from(segment::footer_bytes(bytes) + segment::TAIL_BYTES).unwrap_or(usize::MAX);
    let footer = bytes.len().checked_sub(length).map(|start| &bytes[start..]);
    (segment::is_whole(bytes), footer.is_some_and(segment::is_footer_whole))
}

/// The events of a segment file that is taken for whole.
pub fn segment_rows(bytes: &[u8]) -> Result<Vec<StoredRow>> {
    let input = SegmentInput::open(Bytes::copy_from_slice(bytes))?;
    rows_of(vec![MergeInput::Segment(Box::new(input))])
}

/// Opens a file for queries, of which the catalogue knows what was written, so many rows.
pub async fn open_segment(bytes: &[u8], written: &[u8], rows: u64) -> Result<OpenSegment> {
    crate::blocks::testing::open(SegmentId::from(SEGMENT), bytes, written, rows).await
}
