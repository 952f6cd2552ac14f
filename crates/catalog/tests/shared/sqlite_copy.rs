//! Catalogues in SQLite for tests: a copy of one in which all migrations have run and nothing else was done, because to run
//! them takes longer than most tests do. It is made once and kept in the build's folder. The tests of the migrations, and of
//! the first opening of a catalogue, begin without a file.

use std::path::Path;

use tidegauge_catalog::{Catalog, Location, SealKey};

use super::waiting::WAIT_MAX;

/// Puts a catalogue where there is none, as the first opening with a key of such bytes would leave it.
pub(crate) fn put(path: &Path, key_byte: u8) {
    let name = format!("migrated-{}-{key_byte}.sqlite", super::migrations::digest("sqlite"));
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if std::fs::copy(&kept, path).is_err() {
        make(&kept, key_byte);
        std::fs::copy(&kept, path).unwrap();
    }
}

/// Makes it beside its place, because other processes may be about to make it too, or to copy it.
fn make(kept: &Path, key_byte: u8) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("catalog.sqlite");
    let location = Location::Sqlite(path.clone());
    // On a thread of its own, because the caller's may be a runtime's.
    let opens = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let key = SealKey::new(&[key_byte; SealKey::LENGTH]);
            Catalog::open_waiting(&location, key, WAIT_MAX).await.unwrap().close().await;
        });
    };
    std::thread::spawn(opens).join().unwrap();
    std::fs::rename(path, kept).unwrap();
}
