//! The session of a browser as a credential of the interface, for pages of this service that call it. A browser sends
//! its cookies whoever makes it send a request, so a session counts only where the browser itself says that the request
//! comes from this service's own pages; otherwise it is as if there were no token.

use axum::http::{HeaderMap, header};
use tidegauge_app::App;
use tidegauge_app::service::sessions::{self, Session};
use tidegauge_auth::Refusal;
use tidegauge_model::OrgId;
use tidegauge_web::cookies::Cookie;
use tidegauge_web::error::ApiError;

use super::found::{Found, Head};

/// Where a page may send the token of its session instead of a JSON body.
const FORM_TOKEN: &str = "x-tidegauge-form-token";

/// Finds who sends a request with a session that counts; they have all rights of the person.
pub(super) async fn find(
    app: &App,
    head: Head<'_>,
    named: Option<&OrgId>,
) -> Result<Option<Found>, ApiError> {
    // Who sends a token means the token.
    if head.headers.contains_key(header::AUTHORIZATION) {
        return Ok(None);
    }
    let Some(secret) = Cookie::Session.read(app, head.headers) else {
        return Ok(None);
    };
    let session = sessions::find(app, &secret).await?;
    let Some(session) = session.filter(|session| is_from_own_page(app, head, session)) else {
        return Ok(None);
    };
    let look_up = app.catalog.find_person_bearer(&session.user, named);
    let key = format!("session of {}", session.user);
    let found = app.token_cache.remembered(&app.catalog, key, named, app.now(), look_up).await?;
    let bearer = found.ok_or(Refusal::UnknownToken)?;
    let (actor, session) = (session.user.to_string(), Some(session.secret().digest()));
    Ok(Some(Found { bearer, actor, session, limit: None, nonce: None }))
}

fn is_from_own_page(app: &App, head: Head<'_>, session: &Session) -> bool {
    let text = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
    let site = text("sec-fetch-site");
    let is_own_origin = text("origin") == Some(app.public_url.as_str());
    let is_own_host = text("origin").zip(text("host")).is_some_and(|(origin, host)| is_at(origin, host));
    // Another site cannot add a header of this name without asking first, and is never allowed to.
    let has_token = text(FORM_TOKEN).is_some_and(|token| sessions::check_form_token(session, token));
    // What the browser says of the site counts more than the origin, and is not sent by plain HTTP.
    match (head.method.is_safe(), site) {
        (true, Some(site)) => site == "same-origin" || site == "none",
        (true, None) => is_own_origin || has_token,
        (false, Some(site)) => site == "same-origin" && (has_token || is_json(head.headers)),
        // Whoever opens the service by another of its addresses has pages of it too; their token proves it, because
        // it belongs to the session and no other site can read it.
        (false, None) => {
            (is_own_origin && (has_token || is_json(head.headers))) || (is_own_host && has_token)
        }
    }
}

/// Whether an origin is that of the host that a request was sent to, by plain HTTP: by HTTPS browsers tell the site.
fn is_at(origin: &str, host: &str) -> bool {
    origin.strip_prefix("http://").is_some_and(|at| !at.is_empty() && at.eq_ignore_ascii_case(host))
}

/// Another site's form cannot send this either.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}
