//! The store's part of the lease on writing. What is published is fenced by the catalogue; here is known until when the
//! lease is had for certain, so that no event is acknowledged after somebody else may have taken it. That is measured by
//! two clocks, of which the earlier counts: a monotonic one, which no one sets back, and the clock that was handed in,
//! which also goes on while the machine sleeps. It is assumed that neither goes slower than the database's own clock
//! by more than a small part of a lease.

mod renewal;

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tidegauge_catalog::Catalog;
use tidegauge_catalog::lease::{Taken, Writer};
use tidegauge_model::{Clock, Rng, Timestamp, hex, rng};
use tokio::sync::watch;

use crate::disk::{Disk, replace_file};
use crate::trouble::LastFailure;
use crate::wal::has_files;
use crate::{Error, Result, StoreSettings};

/// The name of the write-ahead log, in its folder: whoever has the folder is the same node.
const NODE_FILE: &str = "node";
const NODE_BYTES: usize = 16;

/// The lease of this store.
#[derive(Debug)]
pub(crate) struct Lease {
    pub(crate) node: String,
    pub(crate) taken: Taken,
    /// When it was asked for the last time that it was given.
    asked: Mutex<(Instant, Timestamp)>,
    /// One at a time asks for it again.
    renewing: tokio::sync::Mutex<()>,
    lost: watch::Sender<Option<String>>,
    /// Of renewals, which are changes of the catalogue.
    pub(crate) last_failure: LastFailure,
}

impl Lease {
    pub(crate) async fn take(
        catalog: &Catalog,
        clock: &dyn Clock,
        rng: &dyn Rng,
        settings: &StoreSettings,
    ) -> Result<Self> {
        let log = settings.folder.join("log");
        let has_log = has_files(&log)?;
        let node = match read_node(&log)? {
            Some(node) => node,
            None => make_node(&*settings.disk, &log, rng)?,
        };
        let asked = (instant(), clock.now());
        let taken = catalog.take_lease(&writer(settings, &node, has_log), settings.lease).await?;
        let (asked, lost) = (Mutex::new(asked), watch::Sender::new(None));
        let (renewing, last_failure) = (tokio::sync::Mutex::default(), LastFailure::default());
        Ok(Self { node, taken, asked, renewing, lost, last_failure })
    }

    /// Whether nobody else can have it yet.
    fn is_certain(&self, now: Timestamp, length: Duration) -> bool {
        let (asked, asked_at) = *self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.elapsed() < length && now < asked_at.plus(length)
    }
}

/// Takes the lease for work on the catalogue beside the store. A folder that has been used before has it at once, also
/// after a crash; one that has no name, because it is new or lost its log, waits until nobody has it.
pub(crate) async fn take_for_work(catalog: &Catalog, settings: &StoreSettings) -> Result<()> {
    let log = settings.folder.join("log");
    match read_node(&log)? {
        Some(node) => {
            catalog.take_lease(&writer(settings, &node, has_files(&log)?), settings.lease).await?;
        }
        None => catalog.borrow_lease(&writer(settings, "", false), settings.lease).await?,
    }
    Ok(())
}

fn writer(settings: &StoreSettings, node: &str, has_log: bool) -> Writer {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    Writer {
        node: node.to_owned(),
        host: host.trim().to_owned(),
        process: std::process::id(),
        address: settings.address.clone(),
        has_log,
    }
}

#[expect(clippy::disallowed_methods, reason = "a duration, not a time of day, is measured here")]
fn instant() -> Instant {
    Instant::now()
}

fn read_node(log: &Path) -> Result<Option<String>> {
    let path = log.join(NODE_FILE);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::disk("read the name of the write-ahead log", source)),
    };
    let node = text.trim();
    if node.len() != NODE_BYTES * 2 || !node.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        let message = format!(
            "{} does not hold {} hexadecimal digits: restore it, because it names the write-ahead log that lies beside it",
            path.display(),
            NODE_BYTES * 2
        );
        return Err(Error::corrupt(message));
    }
    Ok(Some(node.to_owned()))
}

fn make_node(disk: &dyn Disk, log: &Path, rng: &dyn Rng) -> Result<String> {
    let node = hex::encode(&rng::bytes::<NODE_BYTES>(rng));
    replace_file(disk, &log.join(NODE_FILE), format!("{node}\n").as_bytes())
        .map_err(|source| Error::disk("keep the name of the write-ahead log", source))?;
    Ok(node)
}
