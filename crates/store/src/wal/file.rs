//! One file of the WAL that is written to. Its space is taken when it is made, so that a full disk is noticed before
//! anything is acknowledged and a sync has no length to record.

use std::fs::File;
use std::io::{self, IoSlice};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::{Disk, sync_folder};
use crate::{Error, Result};

/// How a file begins, before the checksum of its head.
const MAGIC: &[u8; 4] = b"TGL2";

/// How files began before their heads had a checksum.
const FIRST_MAGIC: &[u8; 8] = b"TGLOG\0\0\x01";

pub(super) const FILE_HEAD_BYTES: u64 = 24;

/// How a file begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileHead {
    /// The first sequence that the file may hold.
    pub(super) first_sequence: u64,
    /// The last sequence that was acknowledged before: if the files before this one end earlier, they lost something.
    pub(super) acknowledged: u64,
}

impl FileHead {
    pub(super) fn encode(self) -> [u8; FILE_HEAD_BYTES as usize] {
        let mut bytes = [0; FILE_HEAD_BYTES as usize];
        bytes[..4].copy_from_slice(MAGIC);
        bytes[8..16].copy_from_slice(&self.first_sequence.to_le_bytes());
        bytes[16..].copy_from_slice(&self.acknowledged.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[8..]);
        bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The head of a file that is named after a sequence; `None` when it is damaged or was not written whole.
    pub(super) fn decode(bytes: &[u8], named: Option<u64>) -> Option<Self> {
        let bytes: &[u8; FILE_HEAD_BYTES as usize] =
            bytes.get(..FILE_HEAD_BYTES as usize)?.try_into().ok()?;
        let (mark, numbers) = bytes.split_at(8);
        let (first, acknowledged) = numbers.split_at(8);
        let head = Self {
            first_sequence: u64::from_le_bytes(first.try_into().ok()?),
            acknowledged: u64::from_le_bytes(acknowledged.try_into().ok()?),
        };
        if let Some(checksum) = mark.strip_prefix(MAGIC) {
            return (checksum == crc32fast::hash(numbers).to_le_bytes()).then_some(head);
        }
        // Without a checksum, all that vouches for the numbers is the name, and that what was acknowledged came before.
        let is_likely =
            named.is_none_or(|named| named == head.first_sequence) && head.acknowledged < head.first_sequence;
        (mark == FIRST_MAGIC && is_likely).then_some(head)
    }
}

/// A file that records are appended to.
#[derive(Debug)]
pub(super) struct WalFile {
    disk: Arc<dyn Disk>,
    file: File,
    path: PathBuf,
    first_sequence: u64,
    /// Everything before this is on disk.
    synced: u64,
    /// Everything before this is written.
    written: u64,
    space: u64,
}

impl WalFile {
    /// Where the file is that begins with a sequence. Its name says which, so that names sort by age.
    pub(super) fn path_in(folder: &Path, first_sequence: u64) -> PathBuf {
        folder.join(format!("{first_sequence:016x}.log"))
    }

    /// The sequence that the name of a file says.
    pub(super) fn named(path: &Path) -> Option<u64> {
        u64::from_str_radix(path.file_stem()?.to_str()?, 16).ok()
    }

    /// Makes a file with room for `space` bytes.
    pub(super) fn create(disk: &Arc<dyn Disk>, folder: &Path, head: FileHead, space: u64) -> Result<Self> {
        let path = Self::path_in(folder, head.first_sequence);
        let make = || -> io::Result<File> {
            let file = disk.create(&path, space)?;
            disk.write_at(&path, &file, &mut [IoSlice::new(&head.encode())], 0)?;
            disk.sync_all(&path, &file)?;
            Ok(file)
        };
        let file = make().map_err(|source| {
            // Half a file would stand in the way of the next attempt.
            let _ = disk.remove(&path);
            Error::disk("make a file of the write-ahead log", source)
        })?;
        sync_folder(&**disk, folder)?;
        let (first_sequence, begun) = (head.first_sequence, FILE_HEAD_BYTES);
        let disk = Arc::clone(disk);
        Ok(Self { disk, file, path, first_sequence, synced: begun, written: begun, space })
    }

    /// The first sequence that it may hold.
    pub(super) fn first_sequence(&self) -> u64 {
        self.first_sequence
    }

    pub(super) fn has_records(&self) -> bool {
        self.written > FILE_HEAD_BYTES
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn synced(&self) -> u64 {
        self.synced
    }

    pub(super) fn has_room_for(&self, bytes: u64) -> bool {
        self.written + bytes <= self.space
    }

    /// Adds bytes that the next sync makes durable.
    pub(super) fn write(&mut self, slices: &mut [IoSlice<'_>]) -> Result<()> {
        let bytes: u64 = slices.iter().map(|slice| slice.len() as u64).sum();
        self.disk
            .write_at(&self.path, &self.file, slices, self.written)
            .map_err(|source| Error::disk("write the write-ahead log", source))?;
        self.written += bytes;
        Ok(())
    }

    pub(super) fn sync(&mut self) -> Result<()> {
        self.disk
            .sync_data(&self.path, &self.file)
            .map_err(|source| Error::disk("sync the write-ahead log", source))?;
        self.synced = self.written;
        Ok(())
    }

    /// Gives back the space that was not used. What was written but not synced goes too: it was never acknowledged.
    pub(super) fn end(self) -> (PathBuf, u64) {
        let (disk, path, file) = (&self.disk, &self.path, &self.file);
        let ended = disk.set_len(path, file, self.synced).and_then(|()| disk.sync_all(path, file));
        if let Err(error) = ended {
            tracing::warn!(path = %self.path.display(), %error, "cannot shorten a file of the write-ahead log");
        }
        (self.path, self.synced)
    }
}
