//! A cached range of an object as a file: its bytes, and behind them a checksum of the bytes and of what they are a
//! range of. A file that is torn, damaged, misnamed or of another form does not fit its checksum.

use std::fs::{self, File};
use std::io::{self, IoSlice};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::RangeKey;
use crate::disk::Disk;

const CHECKSUM_BYTES: u64 = 8;

/// What a disk gives a file at least, and by which it grows.
const DISK_BLOCK_BYTES: u64 = 4096;

/// So much of the disk is left free for what cannot be fetched from elsewhere, such as the log.
pub(super) const RESERVE_BYTES: u64 = 1 << 30;

/// About what the file of a range takes on the disk.
pub(super) fn disk_bytes(key: RangeKey) -> u64 {
    (key.bytes() + CHECKSUM_BYTES).next_multiple_of(DISK_BLOCK_BYTES)
}

/// The folder of an object's ranges.
pub(super) fn folder_of(cache: &Path, object: u128) -> PathBuf {
    cache.join(format!("{object:032x}"))
}

pub(super) fn path_of(cache: &Path, key: RangeKey) -> PathBuf {
    folder_of(cache, key.object).join(format!("{:x}-{:x}", key.start, key.end))
}

/// That the file of a range leaves enough of the disk free; else the disk counts as full.
pub(super) fn leave_reserve(disk: &dyn Disk, folder: &Path, key: RangeKey) -> io::Result<()> {
    if disk.free_bytes(folder)? >= RESERVE_BYTES + disk_bytes(key) {
        return Ok(());
    }
    let message = format!("less than {RESERVE_BYTES} bytes of the disk would be left free");
    Err(io::Error::new(io::ErrorKind::StorageFull, message))
}

/// Writes the file of a range. It need not outlive a power cut.
pub(super) fn write(disk: &dyn Disk, path: &Path, key: RangeKey, bytes: &[u8]) -> io::Result<()> {
    let file = disk.create(path, 0)?;
    let checksum = checksum(key, bytes).to_le_bytes();
    disk.write_at(path, &file, &mut [IoSlice::new(bytes), IoSlice::new(&checksum)], 0)
}

/// Reads the file of a range; it is an error if it is not as it was written.
pub(super) fn read(cache: &Path, key: RangeKey) -> io::Result<Vec<u8>> {
    let file = File::open(path_of(cache, key))?;
    let length = usize::try_from(key.bytes()).map_err(|_| io::ErrorKind::InvalidData)?;
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, 0)?;
    let mut checksum = [0; CHECKSUM_BYTES as usize];
    file.read_exact_at(&mut checksum, key.bytes())?;
    match u64::from_le_bytes(checksum) == self::checksum(key, &bytes) {
        true => Ok(bytes),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

fn checksum(key: RangeKey, bytes: &[u8]) -> u64 {
    let mut name = key.object.to_le_bytes().to_vec();
    name.extend(key.start.to_le_bytes());
    name.extend(key.end.to_le_bytes());
    xxh3_64_with_seed(bytes, xxh3_64(&name))
}

/// The ranges in the folder of the cache, those that were written longest ago first. Whatever else is there goes.
pub(super) fn scan(disk: &dyn Disk, cache: &Path) -> io::Result<Vec<RangeKey>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(cache)? {
        let folder = entry?.path();
        let Some(object) = object_of(&folder) else {
            // It is in the way of nothing but the disk.
            let _ = fs::remove_file(&folder).or_else(|_| fs::remove_dir_all(&folder));
            continue;
        };
        found.extend(scan_object(disk, &folder, object)?);
        // It goes only when it is empty.
        let _ = fs::remove_dir(&folder);
    }
    found.sort_unstable();
    Ok(found.into_iter().map(|(_, key)| key).collect())
}

/// The objects that have a folder.
pub(super) fn objects(cache: &Path) -> io::Result<Vec<u128>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(cache)? {
        found.extend(object_of(&entry?.path()));
    }
    Ok(found)
}

fn scan_object(disk: &dyn Disk, folder: &Path, object: u128) -> io::Result<Vec<(SystemTime, RangeKey)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        let key = entry.file_name().to_str().and_then(|name| key_of(object, name));
        match key.filter(|key| metadata.len().checked_sub(CHECKSUM_BYTES) == Some(key.bytes())) {
            Some(key) => found.push((metadata.modified()?, key)),
            None => disk.remove(&entry.path())?,
        }
    }
    Ok(found)
}

/// The object that a folder is named after.
fn object_of(folder: &Path) -> Option<u128> {
    let name = folder.file_name()?.to_str().filter(|name| name.len() == 32)?;
    u128::from_str_radix(name, 16).ok().filter(|_| folder.is_dir())
}

fn key_of(object: u128, name: &str) -> Option<RangeKey> {
    let (start, end) = name.split_once('-')?;
    let number = |digits: &str| u64::from_str_radix(digits, 16).ok();
    let key = RangeKey { object, start: number(start)?, end: number(end)? };
    // Of the ways to write a number one is ours; a longer range could not be read.
    (key.start < key.end && name == format!("{:x}-{:x}", key.start, key.end)).then_some(key)
}
