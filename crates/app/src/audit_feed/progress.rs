//! How far the audit trail of each organisation is on its way into its dataset, as far as this process knows.

use std::collections::BTreeMap;

use tidegauge_model::OrgId;
use tokio::sync::Mutex;

/// How far the feeds of all organisations are. Held while they are moved on, so that two steps do not do the same.
#[derive(Debug, Default)]
pub struct AuditFeed(pub(super) Mutex<Progress>);

#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Whether what an earlier process left was looked for.
    pub(super) is_begun: bool,
    pub(super) orgs: BTreeMap<OrgId, Fed>,
}

/// How far the feed of an organisation is.
#[derive(Debug, Default)]
pub(super) struct Fed {
    /// How often segments of it had been published when the feed was last looked at for what is in them.
    pub(super) flushes: Option<u64>,
    /// Whether all batches are in the log, as far as this process knows.
    pub(super) is_settled: bool,
}
