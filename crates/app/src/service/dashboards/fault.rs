//! Errors of dashboards, with what clients of the public service read of them beside the message.

use tidegauge_model::ErrorKind;
use tidegauge_model::dashboard::DashboardUid;

use crate::service::Error;
use crate::service::error::{DashboardFault, DashboardReason};

/// A document that cannot be kept, told as the public service tells it.
pub(super) fn invalid(path: &str, problem: impl Into<String>) -> Error {
    let (problem, place) = (problem.into(), if path.is_empty() { "dashboard" } else { path });
    let message = format!("dashboard validation failed at [{place}]: {problem}");
    with_fault(Error::new(ErrorKind::Malformed, message), DashboardReason::Invalid, None, None)
}

pub(super) fn with_fault(
    error: Error,
    reason: DashboardReason,
    uid: Option<&DashboardUid>,
    current_version: Option<i64>,
) -> Error {
    let fault = DashboardFault { reason, uid: uid.map(|uid| uid.as_str().to_owned()), current_version };
    Error { dashboard: Some(Box::new(fault)), ..error }
}
