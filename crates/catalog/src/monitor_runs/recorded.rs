//! What a run of a monitor leads to. Writing it is left to the module above.

use tidegauge_model::{MonitorId, OrgId, Timestamp};

use crate::annotations::Annotation;
use crate::monitor_checks::MonitorCheck;
use crate::outbox::NewDelivery;

/// What a run leads to.
#[derive(Clone, Debug)]
pub struct RecordedRun {
    pub monitor: MonitorId,
    pub org: OrgId,
    /// Who has the lease.
    pub owner: String,
    /// Of the definition that was run.
    pub revision: i64,
    pub last_run: Option<Timestamp>,
    pub next_due: Timestamp,
    pub state: String,
    pub checks: Vec<MonitorCheck>,
    pub annotation: Option<Annotation>,
    pub deliveries: Vec<NewDelivery>,
}
