//! Kept groups on the disk, so that they are there after a restart: a folder for each question, a file for each segment.
//! What is here can be lost at any time: a file that is not whole is taken for none, and the oldest go when there are
//! too many bytes.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use xxhash_rust::xxh3::xxh3_64;

use super::{Fingerprint, Partial};

/// The form of the files.
const FORMAT: &str = "2";

/// The row group, the matched rows, and whether there are states.
const ENTRY_BYTES: usize = 4 + 8 + 1;

/// How many bytes go at once when there are too many, so that the folder is not read for each file.
const FREED_SHARE: u64 = 4;

/// The folder of kept groups.
#[derive(Debug)]
pub struct Disk {
    folder: PathBuf,
    bytes_max: u64,
    bytes: AtomicU64,
}

/// What a segment comes to, by row group.
pub(super) type OfSegment = Vec<(u32, Partial)>;

impl Disk {
    /// Opens a folder for states that are computed by what this text names, without those of something else: what may
    /// differ by one mended line is not read.
    pub fn open(folder: &Path, bytes_max: u64, computed_by: &str) -> io::Result<Self> {
        let own = folder.join(format!("{FORMAT}-{computed_by}"));
        tidegauge_store::make_folder(&own)?;
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path != own {
                // It is in the way of nothing but the disk.
                let _ = fs::remove_dir_all(path);
            }
        }
        let bytes = files(&own)?.iter().map(|file| file.bytes).sum();
        Ok(Self { folder: own, bytes_max, bytes: AtomicU64::new(bytes) })
    }

    /// Removes a folder that is not used.
    pub fn clear(folder: &Path) -> io::Result<()> {
        unless_gone(fs::remove_dir_all(folder)).map(|_| ())
    }

    /// Whether something is kept of a question.
    pub(super) fn knows(&self, fingerprint: Fingerprint) -> bool {
        self.question(fingerprint).is_dir()
    }

    pub(super) fn read(&self, fingerprint: Fingerprint, segment: u128) -> OfSegment {
        let path = self.file(fingerprint, segment);
        match fs::read(&path) {
            Ok(bytes) => decode(&bytes).unwrap_or_else(|| {
                let _ = fs::remove_file(&path);
                Vec::new()
            }),
            Err(_) => Vec::new(),
        }
    }

    /// Writes a file in the place of one that may be there.
    pub(super) fn write(
        &self,
        fingerprint: Fingerprint,
        segment: u128,
        entries: &OfSegment,
    ) -> io::Result<()> {
        let bytes = encode(entries)?;
        if self.bytes.load(Ordering::Relaxed) + bytes.len() as u64 > self.bytes_max {
            self.make_room()?;
        }
        let path = self.file(fingerprint, segment);
        fs::create_dir_all(self.question(fingerprint))?;
        let replaced = fs::metadata(&path).map_or(0, |found| found.len());
        let unfinished = path.with_extension("new");
        fs::File::create(&unfinished)?.write_all(&bytes)?;
        fs::rename(&unfinished, &path)?;
        self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.bytes.fetch_sub(replaced.min(self.bytes.load(Ordering::Relaxed)), Ordering::Relaxed);
        Ok(())
    }

    /// Removes what is kept of a question.
    pub(super) fn forget(&self, fingerprint: Fingerprint) {
        // The bytes are counted anew when there are too many.
        let _ = fs::remove_dir_all(self.question(fingerprint));
    }

    /// Removes the files that were written longest ago.
    fn make_room(&self) -> io::Result<()> {
        let mut files = files(&self.folder)?;
        files.sort_by_key(|file| file.written);
        let mut bytes: u64 = files.iter().map(|file| file.bytes).sum();
        for file in files {
            if bytes <= self.bytes_max - self.bytes_max / FREED_SHARE {
                break;
            }
            let _ = fs::remove_file(&file.path);
            // It goes only when it is empty.
            let _ = file.path.parent().map(fs::remove_dir);
            bytes -= file.bytes;
        }
        self.bytes.store(bytes, Ordering::Relaxed);
        Ok(())
    }

    pub(super) fn files(&self) -> io::Result<Vec<File>> {
        files(&self.folder)
    }

    pub(super) fn note_removed(&self, bytes: u64) {
        self.bytes.fetch_sub(bytes.min(self.bytes.load(Ordering::Relaxed)), Ordering::Relaxed);
    }

    fn question(&self, fingerprint: Fingerprint) -> PathBuf {
        self.folder.join(format!("{fingerprint:032x}"))
    }

    fn file(&self, fingerprint: Fingerprint, segment: u128) -> PathBuf {
        self.question(fingerprint).join(format!("{segment:032x}"))
    }
}

pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    written: SystemTime,
}

/// The segment that a file is named after; none for one that is not finished.
pub(super) fn segment_of_name(path: &Path) -> Option<u128> {
    u128::from_str_radix(path.file_name()?.to_str()?, 16).ok()
}

fn files(folder: &Path) -> io::Result<Vec<File>> {
    let mut files = Vec::new();
    for question in fs::read_dir(folder)? {
        // Others may remove files and empty folders meanwhile.
        let Some(entries) = unless_gone(fs::read_dir(question?.path()))? else { continue };
        for file in entries {
            let file = file?;
            let Some(found) = unless_gone(file.metadata())? else { continue };
            files.push(File { path: file.path(), bytes: found.len(), written: found.modified()? });
        }
    }
    Ok(files)
}

fn unless_gone<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// How many entries, the entries, their states as a stream of batches, and a checksum of all that.
fn encode(entries: &OfSegment) -> io::Result<Vec<u8>> {
    let mut bytes = (entries.len() as u32).to_le_bytes().to_vec();
    for (row_group, partial) in entries {
        bytes.extend(row_group.to_le_bytes());
        bytes.extend(partial.matched.to_le_bytes());
        bytes.push(u8::from(partial.states.is_some()));
    }
    let states: Vec<&RecordBatch> =
        entries.iter().filter_map(|(_, partial)| partial.states.as_ref()).collect();
    if let Some(first) = states.first() {
        let failed = |source| io::Error::other(source);
        let mut writer = StreamWriter::try_new(&mut bytes, &first.schema()).map_err(failed)?;
        for batch in &states {
            // The names of keys may differ in another wording of the same question.
            let batch = RecordBatch::try_new(first.schema(), batch.columns().to_vec()).map_err(failed)?;
            writer.write(&batch).map_err(failed)?;
        }
        writer.finish().map_err(failed)?;
    }
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    Ok(bytes)
}

fn decode(bytes: &[u8]) -> Option<OfSegment> {
    let (bytes, checksum) = bytes.split_last_chunk::<8>()?;
    if xxh3_64(bytes) != u64::from_le_bytes(*checksum) {
        return None;
    }
    let (count, rest) = bytes.split_first_chunk::<4>()?;
    let (entries, states) = rest.split_at_checked(u32::from_le_bytes(*count) as usize * ENTRY_BYTES)?;
    let mut states = match states {
        [] => None,
        states => Some(StreamReader::try_new(states, None).ok()?),
    };
    let mut found = Vec::new();
    for entry in entries.chunks_exact(ENTRY_BYTES) {
        let (row_group, entry) = entry.split_first_chunk::<4>()?;
        let (matched, has_states) = entry.split_first_chunk::<8>()?;
        let states = match has_states {
            [0] => None,
            _ => Some(states.as_mut()?.next()?.ok()?),
        };
        let partial = Partial { states, matched: u64::from_le_bytes(*matched) };
        found.push((u32::from_le_bytes(*row_group), partial));
    }
    Some(found)
}

/// The files by themselves, for the fuzz targets.
#[cfg(feature = "testing")]
pub(super) mod testing {
    use super::{Partial, RecordBatch, decode, encode, xxh3_64};

    /// A row group, how many rows passed, and the states of their groups.
    type Entry = (u32, u64, Option<RecordBatch>);

    /// A file with these entries; none where their states do not fit together.
    pub fn encode_partials(entries: &[Entry]) -> Option<Vec<u8>> {
        let of_segment = entries.iter().map(|(row_group, matched, states)| {
            (*row_group, Partial { matched: *matched, states: states.clone() })
        });
        encode(&of_segment.collect()).ok()
    }

    /// The entries of a file. With `is_forged`, the checksum is made to fit first.
    pub fn decode_partials(bytes: &[u8], is_forged: bool) -> Option<Vec<Entry>> {
        let found = if is_forged {
            let own = bytes.get(..bytes.len().checked_sub(8)?)?;
            decode(&[own, &xxh3_64(own).to_le_bytes()].concat())
        } else {
            decode(bytes)
        };
        let entry = |(row_group, partial): (u32, Partial)| (row_group, partial.matched, partial.states);
        Some(found?.into_iter().map(entry).collect())
    }
}
