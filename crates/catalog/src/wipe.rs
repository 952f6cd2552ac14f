//! What was forgotten must not be left in SQLite's journal. It keeps the pages as they were before, until so many were
//! written that it begins anew, and the old ones behind its end for longer; so it is emptied.

use std::sync::atomic::Ordering;
use std::time::Duration;

use sqlx::{ConnectOptions, Connection};

use crate::db::Db;
use crate::{Catalog, Result};

/// How long readers of old pages are waited for, because nobody can write meanwhile. Ours read for milliseconds; what
/// another program does with the file may take any time, and then the next attempt empties it.
const READERS_WAIT: Duration = Duration::from_millis(200);

impl Catalog {
    /// Called inside the transaction that forgets something.
    pub(crate) fn note_forgotten(&self) {
        self.is_wiped.store(false, Ordering::Release);
    }

    /// Empties the journal if anything was forgotten since the last time, or if nobody knows because the process has just
    /// started. Says whether nothing is left in it; if not, somebody still reads from it. PostgreSQL sees to its own
    /// files.
    pub async fn wipe_forgotten(&self) -> Result<bool> {
        let Db::Sqlite { write, .. } = &self.db else { return Ok(true) };
        // Who forgets something has this connection until it is committed.
        let _writing = write.acquire().await?;
        if self.is_wiped.load(Ordering::Acquire) {
            return Ok(true);
        }
        // A connection of its own, because it waits for less long than others.
        let options = write.connect_options().as_ref().clone().busy_timeout(READERS_WAIT);
        let mut connection = options.connect().await?;
        let (busy, _, _): (i64, i64, i64) =
            sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut connection).await?;
        connection.close().await?;
        self.is_wiped.store(busy == 0, Ordering::Release);
        Ok(busy == 0)
    }
}
