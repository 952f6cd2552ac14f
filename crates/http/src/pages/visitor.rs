//! Who looks at a page: the session of the browser if it has one, from where it comes, and the secret that its forms
//! are bound to.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use tidegauge_app::App;
use tidegauge_app::service::sessions::{self, Arrival, FORM_PURPOSE, Session};
use tidegauge_auth::{OpaqueSecret, opaque};
use tidegauge_web::caller_address;
use tidegauge_web::cookies::Cookie;
use tidegauge_web::error::ApiError;
use tidegauge_web::request_ids::RequestIds;

/// Longest name of a browser that is kept.
const AGENT_MAX: usize = 200;

/// Who looks at a page.
#[derive(Debug)]
pub struct Visitor {
    pub session: Option<Session>,
    pub arrival: Arrival,
    /// What forms are bound to without a session, and whether the browser has it already.
    form: (OpaqueSecret, bool),
    headers: HeaderMap,
}

impl FromRequestParts<Arc<App>> for Visitor {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let session = match Cookie::Session.read(app, &parts.headers) {
            Some(secret) => sessions::find(app, &secret).await?,
            None => None,
        };
        let form = match Cookie::Form.read(app, &parts.headers) {
            Some(secret) => (secret, true),
            None => (OpaqueSecret::generate(&*app.rng), false),
        };
        Ok(Self { session, arrival: arrival(app, parts), form, headers: parts.headers.clone() })
    }
}

fn arrival(app: &App, parts: &Parts) -> Arrival {
    let agent = parts.headers.get(header::USER_AGENT).map(|value| String::from_utf8_lossy(value.as_bytes()));
    Arrival {
        address: caller_address::of(app, parts),
        agent: agent.unwrap_or_default().chars().filter(|c| !c.is_control()).take(AGENT_MAX).collect(),
        request_id: parts.extensions.get::<RequestIds>().map(|ids| ids.request.clone()).unwrap_or_default(),
        now: app.now(),
    }
}

impl Visitor {
    /// What a form of the page must send back as `form_token`.
    pub fn form_token(&self) -> String {
        match &self.session {
            Some(session) => sessions::form_token(session),
            None => self.form.0.derive(FORM_PURPOSE),
        }
    }

    /// Whether a form came from a page that this browser got from this service.
    pub fn may_send_form(&self, app: &App, token: &str) -> bool {
        let is_bound = match &self.session {
            Some(session) => sessions::check_form_token(session, token),
            None => self.form.1 && opaque::are_equal(&self.form.0.derive(FORM_PURPOSE), token),
        };
        is_bound && !is_from_elsewhere(app, &self.headers)
    }

    /// Gives the browser what the forms of the page are bound to, if it has nothing yet.
    pub fn bind_forms(&self, app: &App, response: &mut Response) {
        if self.session.is_none() && !self.form.1 {
            append(response, &Cookie::Form.write(app, &self.headers, &self.form.0));
        }
    }

    /// Gives the browser its new session.
    pub fn sign_in(&self, app: &App, session: &Session, response: &mut Response) {
        append(response, &Cookie::Session.write(app, &self.headers, session.secret()));
        append(response, &Cookie::Form.remove(app, &self.headers));
    }

    /// Takes the browser's session away.
    pub fn sign_out(&self, app: &App, response: &mut Response) {
        append(response, &Cookie::Session.remove(app, &self.headers));
    }
}

fn append(response: &mut Response, cookie: &str) {
    if let Ok(value) = HeaderValue::from_str(cookie) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}

/// Whether the browser says that a request was begun by another site. Pages of this service send the origin `null` with
/// their forms, because they tell nobody where their reader comes from; what `null` means is left to the form's token.
fn is_from_elsewhere(app: &App, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("unreadable"));
    match (text("sec-fetch-site"), text("origin")) {
        (Some(site), _) => site != "same-origin" && site != "none",
        (None, Some(origin)) => origin != "null" && origin != app.public_url.as_str(),
        (None, None) => false,
    }
}
