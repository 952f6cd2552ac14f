//! The session of a browser as a credential of the interface, for pages of this service that call it. A browser sends
//! its cookies whoever makes it send a request, so a session counts only where the browser itself says that the request
//! comes from this service's own pages; otherwise it is as if there were no token.

use axum::http::{HeaderMap, Method, header};

use crate::app::App;
use crate::http::pages::cookies::Cookie;
use crate::service::sessions::{self, Session};

/// Where a page may send the token of its session instead of a JSON body.
const FORM_TOKEN: &str = "x-tidegauge-form-token";

/// The session that a request acts with, if it has one that counts.
pub(super) async fn find(
    app: &App,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Option<Session>, crate::service::Error> {
    // Who sends a token means the token.
    if headers.contains_key(header::AUTHORIZATION) {
        return Ok(None);
    }
    let Some(secret) = Cookie::Session.read(app, headers) else {
        return Ok(None);
    };
    let found = sessions::find(app, &secret).await?;
    Ok(found.filter(|session| comes_from_own_page(app, method, headers, session)))
}

fn comes_from_own_page(app: &App, method: &Method, headers: &HeaderMap, session: &Session) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let site = text("sec-fetch-site");
    let is_own_origin = match text("origin") {
        Some(origin) => origin == app.public_url.as_str(),
        None => false,
    };
    // Another site cannot add a header of this name without asking first, and is never allowed to.
    let has_token = text(FORM_TOKEN).is_some_and(|token| sessions::check_form_token(session, token));
    if method.is_safe() {
        return matches!(site, Some("same-origin" | "none")) || is_own_origin || (site.is_none() && has_token);
    }
    (site == Some("same-origin") || (site.is_none() && is_own_origin)) && (has_token || is_json(headers))
}

/// Another site's form cannot send this either.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}
