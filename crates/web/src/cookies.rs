//! The two cookies of the service: the session's, and one that forms are bound to before anybody is signed in. Both are
//! out of reach of scripts and of other sites' forms. Where the service is reached by HTTPS, they are sent by HTTPS only,
//! and their names make browsers refuse them from anybody else.

use axum::http::{HeaderMap, header};
use tidegauge_app::App;
use tidegauge_app::service::sessions::LIFETIME;
use tidegauge_auth::OpaqueSecret;

const SESSION: &str = "tidegauge-session";
const FORM: &str = "tidegauge-form";

/// How long a form may lie open before anybody is signed in, in seconds.
const FORM_SECONDS: u64 = 60 * 60;

const FORWARDED_PROTOCOL: &str = "x-forwarded-proto";

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cookie {
    Session,
    Form,
}

impl Cookie {
    fn name(self, is_https: bool) -> String {
        let name = match self {
            Self::Session => SESSION,
            Self::Form => FORM,
        };
        // Browsers take a cookie with this prefix only by HTTPS, from this very host and for all of it.
        if is_https { format!("__Host-{name}") } else { name.to_owned() }
    }

    /// The secret in a request, if there is exactly one. A request that came by plain HTTP to a service that is reached
    /// by HTTPS has none: whoever was on its way has read it.
    pub fn read(self, app: &App, headers: &HeaderMap) -> Option<OpaqueSecret> {
        let is_https = app.public_url.is_https();
        if is_https && forwarded_protocol(headers).is_some_and(|protocol| protocol != "https") {
            return None;
        }
        let name = self.name(is_https);
        let lines = headers.get_all(header::COOKIE).into_iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut values = pairs.filter(|(known, _)| *known == name).map(|(_, value)| value);
        match (values.next(), values.next()) {
            (Some(value), None) => OpaqueSecret::parse(value),
            _ => None,
        }
    }

    /// The header that gives it to a browser.
    pub fn write(self, app: &App, headers: &HeaderMap, secret: &OpaqueSecret) -> String {
        let seconds = match self {
            Self::Session => LIFETIME.as_secs(),
            Self::Form => FORM_SECONDS,
        };
        self.line(app, headers, secret.reveal(), seconds)
    }

    /// The header that takes it away.
    pub fn remove(self, app: &App, headers: &HeaderMap) -> String {
        self.line(app, headers, "", 0)
    }

    fn line(self, app: &App, headers: &HeaderMap, value: &str, seconds: u64) -> String {
        let is_https = app.public_url.is_https();
        // Behind a proxy that speaks HTTPS while the setting does not say so, the cookie is still kept to it.
        let is_secure = is_https || forwarded_protocol(headers) == Some("https");
        let secure = if is_secure { "; Secure" } else { "" };
        let name = self.name(is_https);
        format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
    }
}

/// How the browser's own connection was, by the word of a proxy. It can only make things stricter here, so that it does
/// not matter who wrote it.
fn forwarded_protocol(headers: &HeaderMap) -> Option<&str> {
    headers.get(FORWARDED_PROTOCOL).and_then(|value| value.to_str().ok())
}
