//! As whom the runs of a monitor read: as nobody in particular, with the right to query exactly what its maker could
//! read when the query was saved. What people may do later changes nothing of it; what is asked is held to the
//! organisation's licence as every query is.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidegauge_catalog::monitors::Reads;
use tidegauge_model::capability::Grants;
use tidegauge_model::{Action, Capabilities, DatasetArea, OrgId, Timestamp, UserId, ViewArea};

use crate::app::App;
use crate::service::caller::{CallerStanding, TokenEnd};
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
    let standing = CallerStanding {
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
        standing: Some(standing),
        seats: Vec::new(),
        capabilities: Arc::new(rights(reads)),
        request_id: String::new(),
        now,
    })
}

/// Whether a caller may query all that the runs of a monitor read: what they found is for those who could have found it.
pub fn may_query(caller: &Caller, reads: &Reads) -> bool {
    let held = &caller.capabilities;
    reads.datasets.iter().all(|name| held.allows_dataset(name, DatasetArea::Query, Action::Read))
        && reads.views.iter().all(|name| held.allows_view(name, ViewArea::Query, Action::Read))
}

fn rights(reads: &Reads) -> Capabilities {
    let dataset = Grants::from([(DatasetArea::Query, vec![Action::Read])]);
    let view = Grants::from([(ViewArea::Query, vec![Action::Read])]);
    Capabilities {
        org: BTreeMap::new(),
        dataset: reads.datasets.iter().map(|name| (name.clone(), dataset.clone())).collect(),
        view: reads.views.iter().map(|name| (name.clone(), view.clone())).collect(),
    }
}

#[cfg(test)]
mod tests {
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
}
