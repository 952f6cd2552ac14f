//! Events that came over a listener and not by HTTP: read by a protocol from messages that were taken together, and stored
//! as those of every sender are.

use tidegauge_ingest::Events;
use tidegauge_protocols::Problem;

use super::sender::{Held, Key, Refused, Sending, Stored, admit};
use crate::app::App;
use crate::service::Caller;

/// Stores the events that `read` finds. `bytes` is what they came in, and what they count for; with a key, what came
/// before is not stored again.
pub async fn store<T>(
    app: &App,
    caller: &Caller,
    bytes: u64,
    key: Option<Key>,
    read: impl FnOnce(&mut Events<'_>) -> Result<T, Problem> + Send,
) -> Result<Stored<T>, Refused> {
    let mut held = Held::of(app, 0);
    held.add(bytes)?;
    // The endpoint of the caller says where they go.
    let admitted = admit(app, caller, Sending::default()).await?;
    admitted.store_keyed(&mut held, bytes, key, read).await
}
