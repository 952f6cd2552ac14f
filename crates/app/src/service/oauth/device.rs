//! Signing in on a device without a browser (RFC 8628): the device shows a short code, and a person types it elsewhere.

use std::time::Duration;

use tidegauge_auth::embedded::UserCode;
use tidegauge_auth::{OpaqueSecret, opaque};
use tidegauge_catalog::oauth::{DeviceRequest, DeviceStatus, Grant, Polled};
use tidegauge_model::{Timestamp, UserId};

use super::error::{ErrorCode, OAuthError};
use super::issue::{self, Tokens};
use super::known_clients::{self, Client};
use super::{Message, Parameters, client_auth, scope};
use crate::app::App;

/// How long a person has to type the code.
pub const LIFETIME: Duration = Duration::from_secs(10 * 60);

/// How many seconds a device waits between questions, unless it is told to be slower.
pub const INTERVAL_SECONDS: i64 = 5;

/// Requests of all devices that can wait at once.
const WAITING_MAX: i64 = 10_000;

/// New requests per second, of all devices.
const PER_SECOND: i64 = 20;

/// What a device gets to show and to ask with.
#[derive(Debug)]
pub struct Begun {
    pub device_code: OpaqueSecret,
    pub user_code: UserCode,
}

/// What a person is asked about.
#[derive(Debug)]
pub struct Asked {
    pub code: UserCode,
    pub client: Client,
    pub scope: String,
}

/// Why a typed code leads nowhere.
#[derive(Debug)]
pub enum CodeProblem {
    /// It is none, or has ended.
    Wrong,
    /// Too many wrong ones.
    TooMany,
    Failed(OAuthError),
}

impl From<OAuthError> for CodeProblem {
    fn from(error: OAuthError) -> Self {
        Self::Failed(error)
    }
}

impl From<tidegauge_catalog::Error> for CodeProblem {
    fn from(error: tidegauge_catalog::Error) -> Self {
        Self::Failed(error.into())
    }
}

/// Begins a request of a device.
pub async fn begin(
    app: &App,
    client: &Client,
    parameters: &Parameters,
    message: &Message,
) -> Result<Begun, OAuthError> {
    parameters.check_unique()?;
    client.check_grant(tidegauge_model::oauth::GrantType::DeviceCode)?;
    parameters.check_resource(&app.public_url)?;
    let scope = scope::read(parameters.one("scope")?)?;
    let too_many = || OAuthError::new(ErrorCode::TooMany, "too many devices wait: try again later");
    if !app.rates.take("oauth devices", PER_SECOND, message.now).allowed
        || app.catalog.count_device_requests(message.now).await? >= WAITING_MAX
    {
        return Err(too_many());
    }
    let (device_code, user_code) = (OpaqueSecret::generate(&*app.rng), UserCode::generate(&*app.rng));
    let request = DeviceRequest {
        client: client.id().clone(),
        scope,
        status: DeviceStatus::Waiting,
        person: None,
        auth_time: None,
        expires: message.now.plus(LIFETIME),
        interval_seconds: INTERVAL_SECONDS,
        polled: None,
    };
    let digest = opaque::digest_of(user_code.plain());
    app.catalog.insert_device_request(&device_code.digest(), &digest, &request).await?;
    Ok(Begun { device_code, user_code })
}

/// A device asks for its tokens.
pub async fn token(
    app: &App,
    client: &Client,
    parameters: &Parameters,
    message: &Message,
) -> Result<Tokens, OAuthError> {
    let digest = opaque::digest_of(parameters.required("device_code")?);
    let wrong = || OAuthError::invalid_grant("the device code is wrong, used up or not for this client");
    let request = match app.catalog.poll_device_request(&digest, message.now).await? {
        Polled::Unknown => return Err(wrong()),
        Polled::TooSoon => {
            let description = "asked too soon: wait five seconds longer each time";
            return Err(OAuthError::new(ErrorCode::SlowDown, description));
        }
        Polled::Found(request) if request.client != *client.id() => return Err(wrong()),
        Polled::Found(request) => request,
    };
    if request.expires <= message.now && request.status != DeviceStatus::Used {
        return Err(OAuthError::new(ErrorCode::ExpiredToken, "the device code has expired: begin again"));
    }
    let (person, auth_time) = match (request.status, request.person) {
        (DeviceStatus::Waiting, _) => {
            return Err(OAuthError::new(ErrorCode::AuthorizationPending, "nobody has decided yet"));
        }
        (DeviceStatus::Denied, _) => {
            return Err(OAuthError::new(ErrorCode::AccessDenied, "the person did not allow it"));
        }
        (DeviceStatus::Allowed, Some(person)) => (person, request.auth_time),
        (DeviceStatus::Used | DeviceStatus::Allowed, _) => return Err(wrong()),
    };
    let grant = Grant {
        person: Some(person.clone()),
        auth_time,
        thumbprint: message.thumbprint.clone(),
        ..issue::blank_grant(app, client, request.scope, message.now)
    };
    let new = issue::new_grant(app, client, grant);
    let change = message.change(client.record.org.as_ref(), person.as_str());
    let refresh = new.refresh.as_ref().map(|(_, row)| row);
    if !app.catalog.redeem_device_request(&digest, &new.grant, refresh, &change).await? {
        return Err(wrong());
    }
    issue::hand_out(app, new, message).await
}

/// What a typed code asks for. Wrong ones are counted for each person: only who has signed in can try any.
pub async fn find(app: &App, typed: &str, person: &UserId, message: &Message) -> Result<Asked, CodeProblem> {
    let key = format!("device code by {person}");
    if !app.embedded.attempts.may_try(&key, message.now) {
        return Err(CodeProblem::TooMany);
    }
    let found = match UserCode::parse(typed) {
        Some(code) => {
            let found = app.catalog.find_device_request(&opaque::digest_of(code.plain())).await?;
            found.filter(|request| is_open(request, message.now)).map(|request| (code, request))
        }
        None => None,
    };
    let Some((code, request)) = found else {
        let is_last = app.embedded.attempts.note_failure(&key, message.now);
        let detail = if is_last { "wrong device code, once too often" } else { "wrong device code" };
        client_auth::note_refusal(app, message, "POST /device", detail);
        return Err(CodeProblem::Wrong);
    };
    // A client that was deleted meanwhile takes its requests with it.
    let client = known_clients::find(app, request.client.as_str()).await?.ok_or(CodeProblem::Wrong)?;
    Ok(Asked { code, client, scope: request.scope })
}

fn is_open(request: &DeviceRequest, now: Timestamp) -> bool {
    request.status == DeviceStatus::Waiting && now < request.expires
}

/// Writes down what a person decided. False if the request has ended meanwhile.
pub async fn decide(
    app: &App,
    asked: &Asked,
    (person, auth_time): (&UserId, Timestamp),
    is_allowed: bool,
    message: &Message,
) -> Result<bool, OAuthError> {
    let digest = opaque::digest_of(asked.code.plain());
    let change = message.change(None, person.as_str());
    Ok(app.catalog.decide_device_request(&digest, (person, auth_time), is_allowed, &change).await?)
}
