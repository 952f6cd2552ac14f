//! The dataset of the audit trail: made by the service when it has something to put into it, read by who may read the audit
//! trail, and otherwise left alone. What is put into it is decided in `audit_feed`.

use std::sync::Arc;

use tidegauge_catalog::Change;
use tidegauge_catalog::datasets::{Dataset, DatasetPatch};
use tidegauge_model::dataset::{AUDIT_DATASET, AUDIT_KIND, is_audit_name, resembles_audit_name};
use tidegauge_model::{DatasetId, DatasetName, ErrorKind, OrgId, Rule, Timestamp, Violation};
use tidegauge_store::DatasetState;

use super::change::{DatasetChange, RETENTION_DAYS_MAX};
use crate::app::App;
use crate::service::{Caller, Error, Result};

/// The field that keeps an object as it is.
const MAP_FIELD: &str = "details";

/// Who makes the dataset, for the audit trail and in the place of a person.
const SERVICE: &str = "service";

const DESCRIPTION: &str =
    "The audit trail as events: changes, refused calls, messages to notifiers, runs of monitors.";

const DAY_SECONDS: i64 = 24 * 60 * 60;

/// Refuses the name for anything that a caller makes, however its letters are written.
pub fn check_name_is_free(name: &str) -> std::result::Result<(), Violation> {
    match resembles_audit_name(name) {
        true => {
            Err(Violation::new("name", Rule::Pattern, "is taken by the audit trail: choose another name"))
        }
        false => Ok(()),
    }
}

/// Refuses events of callers: they would be forged entries. A dataset of that name from before the name was taken is as
/// any other.
pub async fn check_may_fill(app: &App, caller: &Caller, name: &str) -> Result<()> {
    if !resembles_audit_name(name) {
        return Ok(());
    }
    match app.catalog.find_dataset(caller.org()?, name).await? {
        Some(dataset) if dataset.kind != AUDIT_KIND => Ok(()),
        _ if is_audit_name(name) => Err(written_by_the_service(name)),
        // There is none yet, and there is to be none.
        _ => Ok(check_name_is_free(name)?),
    }
}

/// Refuses an endpoint for such events.
pub fn check_may_be_sent_to(name: &str) -> Result<()> {
    if is_audit_name(name) { Err(written_by_the_service(name)) } else { Ok(()) }
}

fn written_by_the_service(name: &str) -> Error {
    let message = format!("{name} holds the audit trail, into which nobody can send events");
    Error::new(ErrorKind::Forbidden, message).hint("send them to a dataset of another name")
}

/// Refuses what would take entries out of the audit trail, or show them otherwise than they are. `what` it is stands in
/// the message.
pub async fn check_is_free(app: &App, caller: &Caller, name: &str, what: &str) -> Result<()> {
    // Also one from before that was put back beside it.
    if !is_audit_name(name) {
        return Ok(());
    }
    let found = app.catalog.find_dataset(caller.org()?, name).await?;
    if found.is_none_or(|dataset| dataset.kind != AUDIT_KIND) {
        return Ok(());
    }
    let message = format!("{name} holds the audit trail: nobody can {what}");
    let hint = "its events go by their age, with the audit window of the licence";
    Err(Error::new(ErrorKind::Forbidden, message).hint(hint))
}

/// Checks a change of what is set about the dataset. How long its events are kept is the licence's to say: whoever could
/// shorten that, an owner too, could take out of the trail what they did. What is sent back as it was read changes nothing.
pub fn check_change(caller: &Caller, present: &Dataset, change: &DatasetChange) -> Result<()> {
    let sets_retention = change.use_retention.is_some() || change.retention_days.is_some();
    if present.kind != AUDIT_KIND || !sets_retention {
        return Ok(());
    }
    if !change.use_retention.unwrap_or(present.use_retention) {
        let problem =
            "must be true: the events are kept for as long as the licence lets the audit trail reach back";
        return Err(Violation::new("useRetentionPeriod", Rule::OneOf, problem).into());
    }
    let days = days_of_window(caller.org_context()?.limits.max_audit_window_seconds);
    let wanted = change.retention_days.unwrap_or(present.retention_days);
    if wanted != days && wanted != present.retention_days {
        let problem = format!("must be {days}, the audit window of the licence");
        return Err(Violation::new("retentionDays", Rule::OneOf, problem).into());
    }
    Ok(())
}

/// The dataset of an organisation, made if there is none. `None` if the organisation has a dataset or a view of its own of
/// that name from before the name was taken, or is not there.
pub async fn find_or_make(app: &App, org: &OrgId) -> Result<Option<Arc<DatasetState>>> {
    let dataset = match app.catalog.find_dataset(org, AUDIT_DATASET).await? {
        Some(found) => Some(found).filter(|found| found.kind == AUDIT_KIND),
        None => make(app, org).await?,
    };
    dataset.map(|dataset| app.store.add(&dataset).map_err(Error::from)).transpose()
}

async fn make(app: &App, org: &OrgId) -> Result<Option<Dataset>> {
    let Some(found) = app.catalog.find_org(org).await? else { return Ok(None) };
    let Some(name) = DatasetName::parse(AUDIT_DATASET) else { return Ok(None) };
    let now = app.now();
    let dataset = Dataset {
        id: DatasetId::generate(now, &*app.rng),
        number: 0,
        org: org.clone(),
        name,
        description: DESCRIPTION.to_owned(),
        kind: AUDIT_KIND.to_owned(),
        created: now,
        created_by: SERVICE.into(),
        modified: now,
        use_retention: true,
        retention_days: days_of_window(found.licence.limits.max_audit_window_seconds),
        map_fields: vec![MAP_FIELD.to_owned()],
        flushed: 0,
        vacuumed: None,
        region: String::new(),
        edge_deployment: String::new(),
    };
    match app.catalog.insert_dataset(org, &dataset, i64::MAX, &change(org, now)).await {
        Ok(stored) => Ok(Some(stored)),
        // There is a view of that name.
        Err(error) if error.kind() == ErrorKind::Conflict => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Has the events kept for as long as the licence says now, also those of a dataset that was put back.
pub async fn hold_to_window(app: &App, org: &OrgId, window_seconds: i64) -> Result<()> {
    let days = days_of_window(window_seconds);
    for dataset in app.catalog.list_datasets(org).await? {
        if dataset.kind != AUDIT_KIND || (dataset.use_retention && dataset.retention_days == days) {
            continue;
        }
        let patch =
            DatasetPatch { use_retention: Some(true), retention_days: Some(days), ..DatasetPatch::default() };
        let now = app.now();
        app.catalog.update_dataset(org, dataset.name.as_str(), patch, now, &change(org, now)).await?;
    }
    Ok(())
}

fn change(org: &OrgId, at: Timestamp) -> Change {
    Change { org: Some(org.clone()), actor: SERVICE.to_owned(), at, request_id: String::new() }
}

/// Whole days, so that no event goes before the entry that it tells of.
fn days_of_window(seconds: i64) -> u32 {
    let days = seconds.max(0).unsigned_abs().div_ceil(DAY_SECONDS.unsigned_abs());
    u32::try_from(days).unwrap_or(RETENTION_DAYS_MAX).clamp(1, RETENTION_DAYS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_kept_for_the_days_of_the_window() {
        let days =
            [(-1, 1), (0, 1), (1, 1), (86_400, 1), (86_401, 2), (365 * 86_400, 365), (i64::MAX, 36_500)];
        for (seconds, expected) in days {
            assert_eq!(days_of_window(seconds), expected, "{seconds}");
        }
    }
}
