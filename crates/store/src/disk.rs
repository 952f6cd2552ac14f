//! The disk below the data folder, as far as it is changed, and what is left of it: the WAL, the intents and what is
//! put aside go through here, so that a test can hand in a disk that fails, or that loses what was not synced. So do
//! the syncs of segments in a folder, which are written by the library of `objects`. Files are read as files of the
//! operating system.

use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use rustix::fs::FallocateFlags;

use crate::{Error, Result};

/// How many slices the system takes in one write.
const SLICES_MAX: usize = 512;

/// What is done to files and folders. Left as it is, it is done by the operating system.
pub trait Disk: Debug + Send + Sync {
    /// Makes a folder for this user alone, if there is none.
    fn create_folder(&self, folder: &Path) -> io::Result<()> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }

    /// How many bytes more fit on the disk that a folder is on.
    fn free_bytes(&self, folder: &Path) -> io::Result<u64> {
        let space = rustix::fs::statvfs(folder)?;
        Ok(space.f_bavail.saturating_mul(space.f_frsize))
    }

    /// Makes an empty file, or empties one, and takes so much space for it.
    fn create(&self, path: &Path, space: u64) -> io::Result<File> {
        let file = OpenOptions::new().create(true).truncate(true).write(true).open(path)?;
        if space > 0 {
            rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, space)?;
        }
        Ok(file)
    }

    /// Writes all of the slices. The path is that of the file, here and below.
    fn write_at(
        &self,
        _path: &Path,
        file: &File,
        slices: &mut [IoSlice<'_>],
        mut offset: u64,
    ) -> io::Result<()> {
        let mut rest = slices;
        // Nothing is written of those that are empty, which is no failure.
        IoSlice::advance_slices(&mut rest, 0);
        while !rest.is_empty() {
            let count = rest.len().min(SLICES_MAX);
            let written = match rustix::io::pwritev(file, &rest[..count], offset) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => written,
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            offset += written as u64;
            IoSlice::advance_slices(&mut rest, written);
        }
        Ok(())
    }

    fn set_len(&self, _path: &Path, file: &File, bytes: u64) -> io::Result<()> {
        file.set_len(bytes)
    }

    /// Makes the bytes of a file durable, whose length is so already.
    fn sync_data(&self, _path: &Path, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    /// Makes the bytes and the length of a file durable; not its name.
    fn sync_all(&self, _path: &Path, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    /// Makes the names in a folder durable.
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }
}

/// The disk of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct MachineDisk;

impl Disk for MachineDisk {}

/// Makes a folder, and those above it, if there is none, for this user alone, and its name durable: without it, all that
/// is in it is lost.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    make_folder_on(&MachineDisk, folder)
}

pub(crate) fn make_folder_on(disk: &dyn Disk, folder: &Path) -> io::Result<()> {
    let above = folder.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !above.try_exists()? {
        make_folder_on(disk, above)?;
    }
    disk.create_folder(folder)?;
    match disk.sync_folder(above) {
        // Who made the folder where the service may not look has seen to its name.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        synced => synced,
    }
}

/// Writes a file whose bytes are on the disk when this returns; its name is not for certain.
pub(crate) fn write_file(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = disk.create(path, 0)?;
    disk.write_at(path, &file, &mut [IoSlice::new(bytes)], 0)?;
    disk.sync_all(path, &file)
}

/// Writes a file that is on the disk when this returns. Until then what stood under its name is there whole, or this is.
pub(crate) fn replace_file(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension("new");
    let written = write_file(disk, &unfinished, bytes).and_then(|()| disk.rename(&unfinished, path));
    if written.is_err() {
        let _ = disk.remove(&unfinished);
    }
    written?;
    disk.sync_folder(path.parent().unwrap_or(Path::new(".")))
}

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(disk: &dyn Disk, folder: &Path) -> Result<()> {
    disk.sync_folder(folder).map_err(|source| Error::disk("sync a folder", source))
}

#[cfg(test)]
mod tests;
