//! Events that came over a listener and not by HTTP: read by a protocol from messages that were taken together, and stored
//! as those of every sender are.

use tidegauge_ingest::Events;
use tidegauge_protocols::Problem;

use super::sender::{Held, Key, Refused, Sending, Stored, admit, never_fits};
use crate::app::App;
use crate::service::Caller;

/// How much came.
#[derive(Clone, Copy, Debug)]
pub struct Came {
    /// What the events count for.
    pub bytes: u64,
    /// What reading them takes beside that.
    pub beside: u64,
}

/// Stores the events that `read` finds; with a key, what came before is not stored again. What no waiting would make room
/// for is too large.
pub async fn store<T>(
    app: &App,
    caller: &Caller,
    came: Came,
    key: Option<Key>,
    read: impl FnOnce(&mut Events<'_>) -> Result<T, Problem> + Send,
) -> Result<Stored<T>, Refused> {
    let needed = came.bytes.saturating_add(came.beside);
    if needed > app.ingest.limits.memory_bytes as u64 {
        return Err(never_fits().into());
    }
    let mut held = Held::of(app, 0);
    held.add(needed)?;
    // The endpoint of the caller says where they go.
    let admitted = admit(app, caller, Sending::default()).await?;
    admitted.store_keyed(&mut held, came.bytes, key, read).await
}
