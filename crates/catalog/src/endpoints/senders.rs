//! Who sends to an endpoint: found by its address or by its id, with what every request of its organisation is held to.

use std::collections::BTreeMap;
use std::sync::Arc;

use sqlx::FromRow;
use tidegauge_model::capability::Grants;
use tidegauge_model::{Action, Capabilities, DatasetArea, EndpointId};

use super::{Endpoint, EndpointRow, columns};
use crate::bearer::{Bearer, OrgContext};
use crate::db::read;
use crate::orgs::read_payment;
use crate::{Catalog, Result};

/// An endpoint with what every request of its organisation is held to.
#[derive(FromRow)]
struct SenderRow {
    #[sqlx(flatten)]
    endpoint: EndpointRow,
    payment_status: String,
    first_failed_payment: Option<i64>,
    licence: String,
}

/// What a [`SenderRow`] is read from, by one column of the endpoint.
macro_rules! sender {
    ($key:literal) => {
        concat!(
            "SELECT e.*, o.payment_status, o.first_failed_payment, o.licence FROM (SELECT ",
            columns!(),
            " FROM endpoint WHERE ",
            $key,
            " = $1) e JOIN org o ON o.id = e.org_id"
        )
    };
}

const SENDER_BY_DIGEST: &str = sender!("digest");

const SENDER_BY_ID: &str = sender!("id");

/// Who sends by an endpoint may send to its dataset and can do nothing else.
fn rights(endpoint: &Endpoint) -> Capabilities {
    let grants = Grants::from([(DatasetArea::Ingest, vec![Action::Create])]);
    let dataset = BTreeMap::from([(endpoint.dataset.clone(), grants)]);
    Capabilities { dataset, ..Capabilities::default() }
}

impl Catalog {
    /// Who sends to the address with this digest, as [`Catalog::find_bearer`] finds it for a token.
    pub async fn find_endpoint_bearer(&self, digest: &str) -> Result<Option<Bearer>> {
        self.read_endpoint_bearer(SENDER_BY_DIGEST, digest).await
    }

    /// The same for a listener that the settings give to an endpoint, of whatever organisation.
    pub async fn find_endpoint_bearer_by_id(&self, id: &EndpointId) -> Result<Option<Bearer>> {
        self.read_endpoint_bearer(SENDER_BY_ID, id.as_str()).await
    }

    async fn read_endpoint_bearer(&self, statement: &'static str, key: &str) -> Result<Option<Bearer>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, SenderRow>(statement).bind(key).fetch_optional(executor).await?
        });
        let Some(row) = row else {
            return Ok(None);
        };
        let payment = read_payment(&row.payment_status, row.first_failed_payment)?;
        let org_context = OrgContext::of_org(row.endpoint.org_id.as_str().into(), payment, row.licence);
        let endpoint = row.endpoint.read()?;
        Ok(Some(Bearer {
            id: endpoint.id.as_str().into(),
            is_api_token: true,
            user: endpoint.created_by.clone(),
            expires_at: None,
            ends_with_membership: false,
            capabilities: rights(&endpoint),
            org_contexts: vec![org_context],
            endpoint: Some(Arc::new(endpoint)),
        }))
    }
}
