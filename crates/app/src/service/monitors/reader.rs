//! As whom the runs of a monitor read: as nobody in particular, with the right to query exactly what its maker could
//! read when the query was saved. What people may do later changes nothing of it; what is asked is held to the
//! organisation's licence as every query is.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidegauge_catalog::monitors::Reads;
use tidegauge_model::capability::{ANY, Grants};
use tidegauge_model::dataset::is_audit_name;
use tidegauge_model::{Action, Capabilities, DatasetArea, OrgArea, OrgId, Timestamp, UserId, ViewArea};

use crate::app::App;
use crate::service::caller::{CallerOrg, Sent, TokenEnd};
use crate::service::{Caller, Error, Result};

/// Who asks the query of a monitor. `actor` is what the log calls it.
pub async fn reader(
    app: &App,
    org: &OrgId,
    reads: &Reads,
    maker: &UserId,
    actor: &str,
    now: Timestamp,
) -> Result<Caller> {
    let found = app.catalog.find_org(org).await?;
    let org = found.ok_or_else(|| Error::not_found("organization"))?;
    let org_context = CallerOrg {
        role: None,
        payment: org.payment.status_at(now),
        limits: org.licence.limits,
        org: org.id,
    };
    Ok(Caller {
        user: maker.clone(),
        actor: actor.to_owned(),
        is_person: false,
        token: None,
        token_end: TokenEnd::default(),
        sent: Sent::default(),
        org_context: Some(org_context),
        memberships: Vec::new(),
        capabilities: Arc::new(rights(reads)),
        endpoint: None,
        request_id: String::new(),
        now,
    })
}

/// Whether a caller may query all that the runs of a monitor read: what they found is for those who could have found it.
/// Who may query every dataset could read what a view reads, but for the audit trail, which no view hands on.
pub fn may_query(caller: &Caller, reads: &Reads) -> bool {
    let held = &caller.capabilities;
    let may_read = |name: &str| held.allows_dataset(name, DatasetArea::Query, Action::Read);
    let may_use = |name: &String| held.allows_view(name, ViewArea::Query, Action::Read);
    reads.datasets.iter().all(|name| may_read(name)) && (may_read(ANY) || reads.views.iter().all(may_use))
}

/// Whether a caller may see what a run has found that could read these. Where nobody knows any more what it could read,
/// that is for those who may query everything.
pub fn may_see(caller: &Caller, reads: Option<&Reads>) -> bool {
    let held = &caller.capabilities;
    match reads {
        Some(reads) => may_query(caller, reads),
        None => held.allows_dataset(ANY, DatasetArea::Query, Action::Read) && held.allows_audit(),
    }
}

fn rights(reads: &Reads) -> Capabilities {
    let dataset = Grants::from([(DatasetArea::Query, vec![Action::Read])]);
    let view = Grants::from([(ViewArea::Query, vec![Action::Read])]);
    // Who saved the query could read the audit trail where it names that.
    let reads_audit = reads.datasets.iter().any(|name| is_audit_name(name));
    let org = reads_audit.then(|| (OrgArea::AuditLog, vec![Action::Read]));
    Capabilities {
        org: BTreeMap::from_iter(org),
        dataset: reads.datasets.iter().map(|name| (name.clone(), dataset.clone())).collect(),
        view: reads.views.iter().map(|name| (name.clone(), view.clone())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use tidegauge_model::dataset::AUDIT_DATASET;

    use super::*;

    #[test]
    fn runs_may_query_what_was_settled_and_nothing_else() {
        let reads = Reads { datasets: vec!["web".to_owned()], views: vec!["daily".to_owned()] };
        let rights = rights(&reads);
        assert!(rights.allows_dataset("web", DatasetArea::Query, Action::Read));
        assert!(rights.allows_view("daily", ViewArea::Query, Action::Read));
        assert!(!rights.allows_dataset("api", DatasetArea::Query, Action::Read));
        assert!(!rights.allows_dataset("web", DatasetArea::Data, Action::Delete));
        assert!(rights.org.is_empty());
    }

    #[test]
    fn runs_read_the_audit_trail_where_their_maker_could() {
        let reads = Reads { datasets: vec![AUDIT_DATASET.to_owned()], views: Vec::new() };
        assert!(rights(&reads).allows_dataset(AUDIT_DATASET, DatasetArea::Query, Action::Read));
        let every = Reads { datasets: vec!["*".to_owned()], views: Vec::new() };
        assert!(!rights(&every).allows_dataset(AUDIT_DATASET, DatasetArea::Query, Action::Read));
    }
}
