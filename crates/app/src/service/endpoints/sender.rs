//! Who sends by an endpoint: nobody in particular, with the right to send to its dataset and no other. Found by the digest
//! of its address, or by the id that the settings give to a listener, and remembered for a moment as tokens are.

use std::sync::Arc;

use tidegauge_auth::OpaqueSecret;
use tidegauge_catalog::bearer::Bearer;
use tidegauge_model::{EndpointId, EndpointKind, ErrorKind};

use crate::app::App;
use crate::service::caller::{CallerOrg, Sent, TokenEnd};
use crate::service::{Caller, Error, Result};

/// What the address of an endpoint stands for, if there is such an address.
pub async fn by_address(app: &App, secret: &OpaqueSecret) -> Result<Option<Arc<Bearer>>> {
    let digest = secret.digest();
    // Told apart from digests of tokens, which are remembered beside it.
    let key = format!("address {digest}");
    let look_up = app.catalog.find_endpoint_bearer(&digest);
    Ok(app.token_cache.remembered(&app.catalog, key, None, app.now(), look_up).await?)
}

/// The caller that a listener acts as. Its endpoint must be of the listener's kind.
pub async fn by_listener(app: &App, id: &EndpointId, kind: EndpointKind) -> Result<Caller> {
    let now = app.now();
    let look_up = app.catalog.find_endpoint_bearer_by_id(id);
    let found =
        app.token_cache.remembered(&app.catalog, format!("endpoint {id}"), None, now, look_up).await?;
    let missing = || Error::not_found("endpoint").hint("the setting of the listener names it");
    let found = found.ok_or_else(missing)?;
    let (Some(endpoint), Some(org_context)) = (&found.endpoint, found.org_contexts.first()) else {
        return Err(missing());
    };
    if endpoint.kind != kind {
        let (is, wanted) = (endpoint.kind.name(), kind.name());
        let message = format!("the endpoint takes {is}, and its listener {wanted}");
        return Err(Error::new(ErrorKind::Forbidden, message).hint("give the listener another endpoint"));
    }
    Ok(Caller {
        user: found.user.clone(),
        actor: format!("{} ({id})", found.user),
        is_person: false,
        token: None,
        token_end: TokenEnd::default(),
        sent: Sent::default(),
        org_context: Some(CallerOrg {
            org: org_context.org.clone(),
            role: None,
            payment: org_context.payment.status_at(now),
            limits: org_context.limits()?,
        }),
        memberships: Vec::new(),
        capabilities: Arc::new(found.capabilities.clone()),
        endpoint: Some(Arc::clone(endpoint)),
        request_id: String::new(),
        now,
    })
}
