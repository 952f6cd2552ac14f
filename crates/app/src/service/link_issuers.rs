//! Whether who made an invitation could make it again. A link is only as good as that: what its maker lost since, and what
//! the membership was given since, must not reach whoever holds it.

use tidegauge_auth::Principal;
use tidegauge_catalog::bearer::Bearer;
use tidegauge_catalog::link_issuers::{Issuer, IssuingCaller};
use tidegauge_model::{Action, ErrorKind, GrantId, OrgArea, OrgId, TokenId, UserId};

use super::caller::token_facts;
use super::delegation::may_assign;
use super::users::find_holding;
use super::{Caller, Error, Result};
use crate::app::App;

/// The caller as who makes an invitation. Whoever accepts it stays, so a token that ends cannot make one: it would leave
/// behind what lasts longer.
pub fn of(caller: &Caller) -> Result<Issuer> {
    if caller.token_end.at.is_some() || caller.token_end.with_membership {
        let message = "who accepts the invitation would stay longer than the token that makes it";
        return Err(Error::new(ErrorKind::Forbidden, message)
            .hint("let a person make it, or an API token that does not end"));
    }
    Ok(Issuer::Caller(IssuingCaller {
        user: caller.user.clone(),
        token: caller.token.clone(),
        role: caller.org_context()?.role,
        capabilities: (*caller.capabilities).clone(),
    }))
}

/// Whether an invitation for a member could be made again by who made it, with what they and the member hold now.
pub async fn could_invite(app: &App, issuer: &Issuer, org: &OrgId, person: &UserId) -> Result<bool> {
    let then = match issuer {
        Issuer::Unknown => return Ok(false),
        Issuer::Operator => return Ok(true),
        Issuer::Caller(then) => then,
    };
    let Some(bearer) = find_bearer(app, org, then).await? else {
        return Ok(false);
    };
    if bearer.is_api_token && (bearer.expires_at.is_some() || bearer.ends_with_membership) {
        return Ok(false);
    }
    let Ok(now) = Principal::admit(token_facts(&bearer), Some(org), &app.roles, app.now()) else {
        return Ok(false);
    };
    // The scopes and the role of an access token are not stored with anybody, so what it could do then bounds it still.
    let capabilities = now.capabilities.intersection(&then.capabilities);
    if !capabilities.allows_org(OrgArea::Users, Action::Create) {
        return Ok(false);
    }
    let Some(holding) = find_holding(app, org, person).await? else {
        return Ok(false);
    };
    // The weaker role comes later in their order.
    Ok(may_assign(app, now.role().max(then.role), &capabilities, &holding))
}

/// What an invitation was made with, if it still counts.
async fn find_bearer(app: &App, org: &OrgId, then: &IssuingCaller) -> Result<Option<Bearer>> {
    let found = match then.token.as_deref() {
        Some(id) if id.starts_with(TokenId::PREFIX) => {
            app.catalog.find_bearer_by_id(&TokenId::from(id), Some(org)).await?
        }
        Some(id) if id.starts_with(GrantId::PREFIX) => {
            app.catalog.find_grant_bearer(&GrantId::from(id), Some(org)).await?
        }
        Some(_) => None,
        None => app.catalog.find_person_bearer(&then.user, Some(org)).await?,
    };
    Ok(found)
}
