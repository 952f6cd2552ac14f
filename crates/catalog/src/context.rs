//! What goes on around the process, for tests that decide it: the database's time, and whether a call gets through, also
//! when the answer to a commit is lost, as it is when a database fails over in the middle of one. The service has none.

use std::fmt::Debug;
use std::pin::Pin;

use tidegauge_model::Timestamp;

/// Where a call can fail, or its process end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Point {
    /// Before something is read.
    Read,
    /// Before a transaction begins.
    Begin,
    /// Before it is committed: if this fails, nothing has changed.
    Commit,
    /// After it was committed: if this fails, nobody hears of it.
    Committed,
}

/// Decides over calls to the database.
pub trait CatalogContext: Debug + Send + Sync {
    /// What time it is for the database.
    fn now(&self) -> Timestamp;

    /// Whether a call gets through; `place` is the file that makes it. One that never does is not answered.
    fn pass(&self, point: Point, place: &'static str) -> Pin<Box<dyn Future<Output = bool> + Send + '_>>;
}
