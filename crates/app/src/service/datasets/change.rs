//! What can be changed of a dataset, and for how long its events can be kept.

use tidegauge_model::{Rule, Violation};

use crate::service::Result;

/// A hundred years.
pub(super) const RETENTION_DAYS_MAX: u32 = 36_500;

/// What a caller changes of a dataset; what is absent stays.
#[derive(Debug, Default)]
pub struct DatasetChange {
    pub description: Option<String>,
    pub use_retention: Option<bool>,
    pub retention_days: Option<u32>,
}

/// Checks for how many days events are kept.
pub(super) fn check_retention(use_retention: bool, days: u32) -> Result<()> {
    if use_retention && days == 0 {
        let problem = "must be greater than 0 when useRetentionPeriod is true";
        return Err(Violation::new("retentionDays", Rule::Minimum, problem).into());
    }
    if days > RETENTION_DAYS_MAX {
        let problem = format!("should be less than or equal to {RETENTION_DAYS_MAX}");
        return Err(Violation::new("retentionDays", Rule::Maximum, problem).into());
    }
    Ok(())
}
