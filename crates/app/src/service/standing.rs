//! Who called, looked up anew. What goes on after its request, or is used later, is only as good as what its caller could
//! ask for in that moment: a token that was deleted, a role that was taken away and a session that has ended count at once.

use std::sync::Arc;

use tidegauge_auth::{Principal, Refusal};
use tidegauge_catalog::bearer::Bearer;
use tidegauge_model::{ErrorKind, GrantId, OrgId, Timestamp, TokenId};

use super::caller::{CallerOrg, token_facts};
use super::{Caller, Error, Result, sessions};
use crate::app::App;

/// The caller as they stand now, with no more than they could when their request came.
pub async fn again(app: &App, then: &Caller) -> Result<Caller> {
    let (org_then, now) = (then.org_context()?, app.now());
    if then.sent.ends.is_some_and(|end| end <= now) {
        return Err(refused(Refusal::ExpiredToken));
    }
    if let Some(digest) = &then.sent.session {
        Box::pin(check_session(app, digest, now)).await?;
    }
    let org = &org_then.org;
    let bearer =
        Box::pin(find_bearer(app, then, org, now)).await?.ok_or_else(|| refused(Refusal::UnknownToken))?;
    let principal = Principal::admit(token_facts(&bearer), Some(org), &app.roles, now).map_err(refused)?;
    let here = bearer.org_contexts.iter().find(|here| here.org == *org).ok_or(Refusal::NoOrg)?;
    // The scopes and the role of an access token are not stored with anybody, nor is what a machine may do: what the
    // caller could do then bounds it still.
    let capabilities = match is_machine(then) {
        true => Arc::clone(&then.capabilities),
        false => Arc::new(principal.capabilities.intersection(&then.capabilities)),
    };
    Ok(Caller {
        org_context: Some(CallerOrg {
            org: org.clone(),
            // The weaker role comes later in their order.
            role: principal.role().max(org_then.role),
            payment: here.payment.status_at(now),
            limits: here.limits()?,
        }),
        memberships: principal.memberships,
        capabilities,
        now,
        ..then.clone()
    })
}

/// A client of another issuer that acts for itself.
fn is_machine(caller: &Caller) -> bool {
    caller.token.is_none() && !caller.is_person
}

/// What the request was let in with, if it still counts.
async fn find_bearer(app: &App, then: &Caller, org: &OrgId, now: Timestamp) -> Result<Option<Arc<Bearer>>> {
    let (catalog, cache, user) = (&app.catalog, &app.token_cache, &then.user);
    let found = match then.token.as_deref() {
        Some(id) if id.starts_with(TokenId::PREFIX) => {
            let id = TokenId::from(id);
            let look_up = catalog.find_bearer_by_id(&id, Some(org));
            cache.remembered(catalog, format!("token {id}"), Some(org), now, look_up).await?
        }
        Some(id) if id.starts_with(GrantId::PREFIX) => {
            let id = GrantId::from(id);
            let look_up = catalog.find_grant_bearer(&id, Some(org));
            cache.remembered(catalog, id.to_string(), Some(org), now, look_up).await?
        }
        Some(_) => None,
        None if is_machine(then) => {
            let look_up = catalog.find_client_bearer(user, org);
            cache.remembered(catalog, format!("machine {user}"), Some(org), now, look_up).await?
        }
        None => {
            let look_up = catalog.find_person_bearer(user, Some(org));
            cache.remembered(catalog, format!("session of {user}"), Some(org), now, look_up).await?
        }
    };
    Ok(found)
}

async fn check_session(app: &App, digest: &str, now: Timestamp) -> Result<()> {
    let found = app.catalog.find_session(digest).await?;
    match found.is_some_and(|record| sessions::is_in_force(&record, now)) {
        true => Ok(()),
        false => Err(not_let_in("the session has ended").hint("sign in again")),
    }
}

/// What a new request would be told.
fn refused(refusal: Refusal) -> Error {
    match refusal.kind() {
        ErrorKind::Unauthenticated => not_let_in(refusal.to_string()),
        _ => refusal.into(),
    }
}

/// Clients know this word for what does not let anybody in; why that is stands beside it.
fn not_let_in(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unauthenticated, "forbidden").detail(why)
}
