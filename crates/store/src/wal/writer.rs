//! Writes the WAL: takes all that waits, writes it, syncs once, hands it over and answers. That is the work of a thread
//! of its own, so that no thread which answers requests waits for a disk.

use std::io::IoSlice;
use std::sync::Arc;

use hashbrown::HashSet;

use super::file::{FILE_HEAD_BYTES, FileHead, WalFile};
use super::record::{HEAD_BYTES, Head};
use super::shared::{Append, ClosedFile, Shared, WalSettings};
use crate::{Error, Result};

/// What fills a record up to the next multiple of eight bytes.
const PADDING: [u8; 8] = [0; 8];

pub(super) struct Writer {
    settings: WalSettings,
    shared: Arc<Shared>,
    /// Absent after a fault: the next append makes a new one.
    file: Option<WalFile>,
    /// The last sequence that was given away, also to appends that failed.
    sequence: u64,
    /// The last sequence that is known to be on disk.
    acknowledged: u64,
}

impl Writer {
    /// Begins above a sequence. What was acknowledged before may be less: the sequences between were never given away
    /// here, and nobody must miss them.
    pub(super) fn new(
        settings: WalSettings,
        shared: Arc<Shared>,
        last_sequence: u64,
        acknowledged: u64,
    ) -> Result<Self> {
        let mut writer = Self { settings, shared, file: None, sequence: last_sequence, acknowledged };
        writer.rotate(0)?;
        Ok(writer)
    }

    /// Ends the file that is written to.
    pub(super) fn end(&mut self) {
        if let Some(file) = self.file.take() {
            file.end();
        }
    }

    /// Begins a new file if the present one has records and may have this sequence or one before.
    pub(super) fn end_file_of(&mut self, sequence: u64) -> Result<()> {
        match &self.file {
            Some(file) if file.has_records() && file.first_sequence() <= sequence => self.begin_file(),
            _ => Ok(()),
        }
    }

    /// Begins a file if there is none, as after a fault. The WAL that has ended has none either.
    pub(super) fn mend(&mut self) -> Result<()> {
        if self.file.is_some() || self.shared.lock().is_closing { Ok(()) } else { self.begin_file() }
    }

    /// Begins a file that nobody waits for, and notes whether the disk takes it.
    fn begin_file(&mut self) -> Result<()> {
        let begun = self.rotate(0);
        match &begun {
            Ok(()) => self.shared.last_failure.forget(),
            Err(error) => self.shared.last_failure.note(error.to_string()),
        }
        begun
    }

    /// Writes a group, in as many files as it needs, and answers each of its members.
    pub(super) fn commit(&mut self, mut group: Vec<Append>) {
        while !group.is_empty() {
            let written = match self.write(&group) {
                Ok(written) => written,
                Err(error) => {
                    self.shared.last_failure.note(error.to_string());
                    self.abandon();
                    return refuse(group, &error);
                }
            };
            let rest = group.split_off(written);
            let first = self.sequence + 1 - written as u64;
            self.acknowledged = self.sequence;
            let mut answers = Vec::with_capacity(written);
            for (sequence, append) in (first..).zip(group) {
                append.accept.accept(sequence, append.payload);
                answers.push((sequence, append.answer));
            }
            // Only now: whoever reads the last sequence may rely on all up to it being in the buffer.
            self.note();
            for (sequence, answer) in answers {
                // Whoever asked may be gone; the events are stored all the same.
                let _ = answer.send(Ok(sequence));
            }
            group = rest;
        }
    }

    /// Writes and syncs as many as fit in the present file, at least one, and says how many those were.
    fn write(&mut self, group: &[Append]) -> Result<usize> {
        let first = &group[0];
        if self.file.as_ref().is_none_or(|file| !file.has_room_for(record_bytes(first))) {
            self.rotate(record_bytes(first))?;
        }
        let Some(file) = self.file.as_mut() else {
            return Err(Error::corrupt("the write-ahead log has no file to write to"));
        };
        let mut bytes = 0;
        let fits = |append: &&Append| {
            bytes += record_bytes(append);
            file.has_room_for(bytes)
        };
        let count = group.iter().take_while(fits).count();
        let heads: Vec<[u8; HEAD_BYTES]> = (self.sequence + 1..)
            .zip(&group[..count])
            .map(|(sequence, append)| head(sequence, append, file.synced()).encode())
            .collect();
        let mut slices: Vec<IoSlice<'_>> = Vec::with_capacity(count * 3);
        for (head, append) in heads.iter().zip(group) {
            let payload = append.payload.encoded();
            slices.push(IoSlice::new(head));
            slices.push(IoSlice::new(payload));
            slices.push(IoSlice::new(&PADDING[..payload.len().next_multiple_of(8) - payload.len()]));
        }
        // Given away even if the write fails: a half-written record must never share its sequence with another.
        self.sequence += count as u64;
        file.write(&mut slices)?;
        file.sync()?;
        Ok(count)
    }

    /// Ends the present file and begins one with room for at least one record of this size.
    fn rotate(&mut self, record_bytes: u64) -> Result<()> {
        let name = WalFile::path_in(&self.settings.folder, self.sequence + 1);
        if self.file.as_ref().is_some_and(|file| file.path() == name) {
            // It holds no record and gives its name to the next one, so nobody else may delete it meanwhile.
            self.file = None;
        }
        self.abandon();
        let space = self.settings.file_bytes.max(FILE_HEAD_BYTES + record_bytes);
        let head = FileHead { first_sequence: self.sequence + 1, acknowledged: self.acknowledged };
        let file = WalFile::create(&self.settings.disk, &self.settings.folder, head, space)?;
        let mut state = self.shared.lock();
        // A file that held no record gave its name to this one: it must not be deleted in its place.
        state.closed.retain(|closed| closed.path != file.path());
        state.open_bytes = FILE_HEAD_BYTES;
        drop(state);
        self.file = Some(file);
        Ok(())
    }

    /// After a failed sync nobody knows what the disk holds, so the file is not written to again.
    fn abandon(&mut self) {
        let Some(file) = self.file.take() else { return };
        let (path, bytes) = file.end();
        let mut state = self.shared.lock();
        state.open_bytes = 0;
        state.closed.push_back(ClosedFile {
            path,
            last_sequence: self.sequence,
            bytes,
            orphaned: HashSet::new(),
        });
    }

    fn note(&self) {
        self.shared.last_failure.forget();
        let mut state = self.shared.lock();
        state.syncs += 1;
        state.last_sequence = self.acknowledged;
        state.open_bytes = self.file.as_ref().map_or(0, WalFile::synced);
    }
}

fn head(sequence: u64, append: &Append, synced: u64) -> Head {
    Head {
        payload_bytes: u32::try_from(append.payload.encoded().len()).unwrap_or(u32::MAX),
        payload_checksum: append.checksum,
        sequence,
        dataset: append.dataset,
        synced,
    }
}

fn record_bytes(append: &Append) -> u64 {
    (HEAD_BYTES + append.payload.encoded().len().next_multiple_of(8)) as u64
}

fn refuse(group: Vec<Append>, error: &Error) {
    tracing::error!(error = %error, cause = ?std::error::Error::source(error), "cannot write the write-ahead log");
    for append in group {
        let _ = append.answer.send(Err(Error::new(error.kind(), error.to_string())));
    }
}

/// A whole file with these records: dataset, sequence, up to where the file was on the disk, and batch. Also tells where
/// each of them ends.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn encode_file<'a>(
    first_sequence: u64,
    acknowledged: u64,
    records: impl Iterator<Item = (super::DatasetKey, u64, u64, &'a [u8])>,
) -> (Vec<u8>, Vec<usize>) {
    let mut bytes = FileHead { first_sequence, acknowledged }.encode().to_vec();
    let mut ends = Vec::new();
    for (dataset, sequence, synced, payload) in records {
        let payload_bytes = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        let payload_checksum = crc32fast::hash(payload);
        bytes
            .extend_from_slice(&Head { payload_bytes, payload_checksum, sequence, dataset, synced }.encode());
        bytes.extend_from_slice(payload);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        ends.push(bytes.len());
    }
    (bytes, ends)
}
