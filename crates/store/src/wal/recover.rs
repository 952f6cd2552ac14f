//! Reads the WAL after a stop, however it came about. A record that was cut off at the end is dropped: it was never
//! acknowledged. So is one that was refused, as a later file tells. Damage elsewhere is copied to the quarantine folder
//! and reported with dataset and sequences, and what stands around it is recovered. So are the records of a file whose head
//! is damaged: each has a checksum of its own.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use hashbrown::HashSet;
use tidegauge_model::DatasetId;

use super::file::{FILE_HEAD_BYTES, FileHead};
use super::file_start::FileStart;
use super::record::{DatasetKey, Head};
use super::shared::WalSettings;
use crate::disk::{Disk, make_folder_on, sync_folder, write_file};
use crate::wal_batch::WalBatch;
use crate::{Error, Result};

/// A damaged part is copied to a file with one, and what is known of it is said in a file of the same name with the other.
pub(crate) const COPY_EXTENSION: &str = "bin";
pub(crate) const REPORT_EXTENSION: &str = "txt";

/// What is said of a part whose dataset is not known begins so, after the sequences.
pub(crate) const UNKNOWN_DATASET: &str = "an unknown dataset";

/// What the WAL held.
#[derive(Debug, Default)]
pub(crate) struct Recovered {
    pub(crate) files: Vec<RecoveredFile>,
    pub(crate) damage: Vec<Damage>,
    /// The last sequence that was given away, as far as it is known here.
    pub(crate) last_sequence: u64,
    /// The sequence of the last record that was found.
    pub(crate) last_found: u64,
}

#[derive(Debug)]
pub(crate) struct RecoveredFile {
    pub(crate) path: PathBuf,
    pub(crate) last_sequence: u64,
    pub(crate) bytes: u64,
    /// The sequences of events that nobody took over.
    pub(crate) orphaned: HashSet<u64>,
}

/// A part of the WAL that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    pub file: PathBuf,
    /// Where in the file, in bytes.
    pub from: u64,
    pub to: u64,
    /// Known when only the events are damaged and not what names them.
    pub dataset: Option<DatasetId>,
    /// The sequences that may be lost. None are where the first is behind the last: then the head of a file is damaged,
    /// and all its records were found.
    pub first_sequence: u64,
    pub last_sequence: u64,
    /// Where a copy of the damaged bytes is.
    pub quarantined: PathBuf,
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let dataset = self.dataset.as_ref().map_or(UNKNOWN_DATASET, DatasetId::as_str);
        let (first, last) = (self.first_sequence, self.last_sequence);
        let (file, from, to) = (self.file.display(), self.from, self.to);
        if first > last {
            return write!(
                f,
                "no events are missing, but bytes {from} to {to} of {file}, its head, cannot be read"
            );
        }
        write!(f, "sequences {first} to {last} of {dataset} cannot be read: bytes {from} to {to} of {file}")
    }
}

/// Reads every file of the WAL, oldest first, and hands each record to `visit` with its dataset and sequence. Puts
/// damaged parts aside and cuts what was never acknowledged.
pub(crate) fn recover(
    settings: &WalSettings,
    visit: &mut dyn FnMut(DatasetId, u64, WalBatch),
) -> Result<Recovered> {
    read_files(settings, true, visit)
}

/// Reads every file of the WAL and changes nothing.
pub(crate) fn look_at(
    settings: &WalSettings,
    visit: &mut dyn FnMut(DatasetId, u64, WalBatch),
) -> Result<Recovered> {
    read_files(settings, false, visit)
}

fn read_files(
    settings: &WalSettings,
    may_change: bool,
    visit: &mut dyn FnMut(DatasetId, u64, WalBatch),
) -> Result<Recovered> {
    let mut recovered = Recovered::default();
    let paths = wal_files(&settings.folder)?;
    let beginnings = paths.iter().map(|path| FileStart::of(path)).collect::<std::io::Result<Vec<_>>>();
    let beginnings = beginnings.map_err(|source| Error::disk("read the write-ahead log", source))?;
    for (index, path) in paths.iter().enumerate() {
        let bytes = std::fs::read(path).map_err(|source| Error::disk("read the write-ahead log", source))?;
        let (is_first, beginning) = (index == 0, beginnings[index]);
        let before = recovered.last_sequence;
        if let Some(head) = beginning.head {
            if may_change && !is_first && before < head.acknowledged {
                recovered.damage.push(missing_end(settings, path, before, head)?);
            }
            recovered.last_sequence = before.max(beginning.given_before());
        }
        let mut reader = FileReader {
            bytes: &bytes,
            is_last: index + 1 == paths.len(),
            later: &beginnings[index + 1..],
            previous: recovered.last_sequence,
            last_found: recovered.last_found,
            spans: Vec::new(),
        };
        let mut first_found = None;
        let end = reader.read(&mut |dataset, sequence, payload| {
            first_found.get_or_insert(sequence);
            visit(dataset, sequence, payload);
        });
        (recovered.last_sequence, recovered.last_found) = (reader.previous, reader.last_found);
        let mut spans = std::mem::take(&mut reader.spans);
        if let Some(found) = first_found.filter(|_| beginning.head.is_none()) {
            spans.insert(0, damaged_head(if is_first { found } else { before + 1 }, found));
        }
        recovered.last_sequence = recovered.last_sequence.max(beginning.given_before());
        for span in spans.into_iter().filter(|_| may_change) {
            recovered.damage.push(quarantine(settings, path, &bytes, span)?);
        }
        if reader.is_last && may_change {
            shorten(&*settings.disk, path, end)?;
        }
        recovered.files.push(RecoveredFile {
            path: path.clone(),
            last_sequence: recovered.last_sequence,
            bytes: end,
            orphaned: HashSet::new(),
        });
    }
    Ok(recovered)
}

/// Whether anything was ever written in a folder.
pub(crate) fn has_files(folder: &Path) -> Result<bool> {
    Ok(!wal_files(folder)?.is_empty())
}

/// A WAL file without the records that are not among these.
pub(super) fn with_only(bytes: &[u8], sequences: &HashSet<u64>) -> Vec<u8> {
    let start = bytes.len().min(FILE_HEAD_BYTES as usize);
    let mut kept = bytes[..start].to_vec();
    let mut reader =
        FileReader { bytes, is_last: false, later: &[], previous: 0, last_found: 0, spans: Vec::new() };
    let mut next = Some(start);
    while let Some(position) = next.filter(|position| *position < bytes.len()) {
        next = match reader.record(position) {
            Some((head, _)) => {
                let end = position + head.record_bytes();
                if sequences.contains(&head.sequence) {
                    kept.extend_from_slice(&bytes[position..end.min(bytes.len())]);
                }
                reader.previous = head.sequence;
                Some(end)
            }
            None => reader.next_record(position),
        };
    }
    kept
}

fn wal_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let list = || -> std::io::Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "log") {
                paths.push(path);
            }
        }
        paths.sort();
        Ok(paths)
    };
    list().map_err(|source| Error::disk("list the write-ahead log", source))
}

/// A part of a file that holds no record.
struct Span {
    from: usize,
    to: usize,
    dataset: Option<DatasetKey>,
    first_sequence: u64,
    last_sequence: u64,
    /// Whether it is known to be a loss. Else it is if a record, which may come much later, says that it was on the disk.
    is_loss: bool,
}

struct FileReader<'a> {
    bytes: &'a [u8],
    is_last: bool,
    /// Of the files behind it, in their order.
    later: &'a [FileStart],
    previous: u64,
    /// The sequence of the last record, here or in a file before.
    last_found: u64,
    spans: Vec<Span>,
}

impl FileReader<'_> {
    /// Reads the records and returns where they end.
    fn read(&mut self, visit: &mut dyn FnMut(DatasetId, u64, WalBatch)) -> u64 {
        let mut position = FILE_HEAD_BYTES as usize;
        let mut end = position.min(self.bytes.len());
        let mut synced = FILE_HEAD_BYTES;
        while position < self.bytes.len() {
            match self.record(position) {
                Some((head, _)) if self.is_refused(&head, position) => break,
                Some((head, payload)) => {
                    visit(head.dataset.id(), head.sequence, payload);
                    (self.previous, self.last_found) = (head.sequence, head.sequence);
                    synced = synced.max(head.synced);
                    position += head.record_bytes();
                    end = position;
                }
                None => {
                    // Most often it is the space that was taken in advance, which is large.
                    let next = if self.has_data(position) { self.next_record(position) } else { None };
                    self.note_gap(position, next);
                    let Some(next) = next else { break };
                    position = next;
                }
            }
        }
        self.spans.retain(|span| span.is_loss || (span.from as u64) < synced);
        end as u64
    }

    /// The record at a position, if a whole one stands there that is newer than what came before.
    fn record(&self, position: usize) -> Option<(Head, WalBatch)> {
        let head = Head::decode(self.bytes.get(position..)?)?;
        let start = position + super::record::HEAD_BYTES;
        let payload = self.bytes.get(start..start + head.payload_bytes as usize)?;
        if head.sequence <= self.previous || crc32fast::hash(payload) != head.payload_checksum {
            return None;
        }
        let payload = WalBatch::decode(Bytes::copy_from_slice(payload)).ok()?;
        Some((head, payload))
    }

    /// Whether a record is the first of a write whose sync failed: then a new file is begun, which says so. That it was
    /// refused does not mean that it could be taken away, and its request may have been repeated since.
    fn is_refused(&self, head: &Head, position: usize) -> bool {
        let certain = self.later.iter().find(|later| later.is_certain);
        let Some(acknowledged) = certain.and_then(FileStart::acknowledged) else { return false };
        let is_behind = self.last_found <= acknowledged && acknowledged < head.sequence;
        is_behind && self.is_last_write(position)
    }

    /// Whether none of the records from a position on was written after a sync of what stands there.
    fn is_last_write(&self, position: usize) -> bool {
        let mut at = position;
        while let Some(head) = self.bytes.get(at..).and_then(Head::decode) {
            if head.synced > position as u64 {
                return false;
            }
            at += head.record_bytes();
        }
        true
    }

    fn next_record(&self, from: usize) -> Option<usize> {
        (from.next_multiple_of(8)..self.bytes.len()).step_by(8).skip(1).find(|at| self.record(*at).is_some())
    }

    /// Notes a stretch without records, unless it is the end of the file. It may be a write that was cut off, or damage.
    fn note_gap(&mut self, from: usize, next: Option<usize>) {
        let to = next.unwrap_or(self.bytes.len());
        if next.is_none() && !self.has_data(from) {
            return;
        }
        let next_head = next.and_then(|at| Head::decode(&self.bytes[at..]));
        // A file that was closed was closed at its last acknowledged record, unless the disk refused that too.
        let said = self.later.iter().find_map(FileStart::acknowledged);
        let is_complete = said.is_some_and(|acknowledged| acknowledged == self.last_found);
        let is_loss = !self.is_last && next.is_none() && !is_complete;
        let own = Head::decode(&self.bytes[from..]);
        let first_sequence = own.map_or(self.previous.saturating_add(1), |head| head.sequence);
        let last_sequence = next_head.map_or(first_sequence, |head| head.sequence - 1);
        let dataset = own.map(|head| head.dataset).filter(|_| first_sequence == last_sequence);
        self.spans.push(Span { from, to, dataset, first_sequence, last_sequence, is_loss });
    }

    fn has_data(&self, from: usize) -> bool {
        const ZEROS: [u8; 4096] = [0; 4096];
        self.bytes[from..].chunks(ZEROS.len()).any(|chunk| chunk != &ZEROS[..chunk.len()])
    }
}

/// The head of a file with records cannot be read. It would say what was acknowledged before: what is missing between
/// those sequences and the first record may be lost.
fn damaged_head(first_sequence: u64, found: u64) -> Span {
    let to = FILE_HEAD_BYTES as usize;
    let last_sequence = found.saturating_sub(1);
    Span { from: 0, to, dataset: None, first_sequence, last_sequence, is_loss: true }
}

/// The files before this one end before what was acknowledged when it was begun.
fn missing_end(settings: &WalSettings, path: &Path, last: u64, head: FileHead) -> Result<Damage> {
    let (first_sequence, last_sequence) = (last + 1, head.acknowledged);
    let span = Span { from: 0, to: 0, dataset: None, first_sequence, last_sequence, is_loss: true };
    quarantine(settings, path, &[], span)
}

fn quarantine(settings: &WalSettings, path: &Path, bytes: &[u8], span: Span) -> Result<Damage> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let copy = settings.quarantine.join(format!("{name}-{}.{COPY_EXTENSION}", span.from));
    let report = copy.with_extension(REPORT_EXTENSION);
    let damage = Damage {
        file: path.to_owned(),
        from: span.from as u64,
        to: span.to as u64,
        dataset: span.dataset.map(DatasetKey::id),
        first_sequence: span.first_sequence,
        last_sequence: span.last_sequence,
        quarantined: copy.clone(),
    };
    let said = format!("{damage}\n");
    let disk = &*settings.disk;
    let keep = || -> std::io::Result<()> {
        make_folder_on(disk, &settings.quarantine)?;
        // What an earlier start copied may have been deleted since, with events that may be in it.
        if std::fs::read(&report).is_ok_and(|earlier| earlier == said.as_bytes()) {
            return Ok(());
        }
        // On the disk: the file that they come from goes one day, and then this is the only copy.
        write_file(disk, &copy, &bytes[span.from..span.to])?;
        write_file(disk, &report, said.as_bytes())
    };
    keep().map_err(|source| Error::disk("keep damaged parts of the write-ahead log", source))?;
    sync_folder(disk, &settings.quarantine)?;
    tracing::error!(%damage, copy = %copy.display(), "the write-ahead log is damaged");
    Ok(damage)
}

/// Cuts what was written and never acknowledged, and the space that was taken in advance.
fn shorten(disk: &dyn Disk, path: &Path, end: u64) -> Result<()> {
    let cut = || -> std::io::Result<()> {
        let file = std::fs::OpenOptions::new().write(true).open(path)?;
        if file.metadata()?.len() > end {
            disk.set_len(path, &file, end)?;
            disk.sync_all(path, &file)?;
        }
        Ok(())
    };
    cut().map_err(|source| Error::disk("shorten the write-ahead log", source))
}
