//! How long catalogues of tests wait for a connection or a lock: longer than a machine stands still on which others work
//! too. A test whose statement was given up after the few seconds of the service would fail for that alone.

use std::time::Duration;

/// So long. What waits for itself is told after it.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(120);
