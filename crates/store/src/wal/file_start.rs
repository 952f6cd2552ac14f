//! How the WAL files begin, as far as it can be known before their records are read: what each says of those
//! before it, and whether that can be trusted.

use std::io::Read;
use std::path::Path;

use super::file::{FILE_HEAD_BYTES, FileHead, WalFile};
use super::record::{HEAD_BYTES, Head};

/// How a file begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileStart {
    /// Absent when it is damaged, or was never written whole.
    pub(super) head: Option<FileHead>,
    /// Whether what the head says is certain: it was on the disk before the first record was written. Without one, a
    /// part of the head may be missing.
    pub(super) is_certain: bool,
    /// The sequence that the file is named after.
    named: Option<u64>,
}

impl FileStart {
    pub(super) fn of(path: &Path) -> std::io::Result<Self> {
        let mut bytes = Vec::new();
        let length = FILE_HEAD_BYTES + HEAD_BYTES as u64;
        std::fs::File::open(path)?.take(length).read_to_end(&mut bytes)?;
        let named = WalFile::named(path);
        let head = FileHead::decode(&bytes, named);
        let record = bytes.get(FILE_HEAD_BYTES as usize..).and_then(Head::decode);
        let is_certain =
            head.zip(record).is_some_and(|(head, record)| record.sequence == head.first_sequence);
        Ok(Self { head, is_certain, named })
    }

    /// The last sequence that was acknowledged before this file was begun, if that is known.
    pub(super) fn acknowledged(&self) -> Option<u64> {
        self.head.map(|head| head.acknowledged)
    }

    /// The last sequence that was given away before this file was begun, as far as that is known. The name counts where
    /// the head is damaged.
    pub(super) fn given_before(&self) -> u64 {
        let first = self.head.map(|head| head.first_sequence).or(self.named);
        first.unwrap_or_default().saturating_sub(1)
    }
}
