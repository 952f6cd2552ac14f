//! The guard in front of every route that is not public: who calls, within the request rate, with the capability
//! that the route declared. Refused calls are noted for the audit trail. How a credential is read and found is left to
//! `credential`, what a refusal says in its headers to `challenge`.

pub mod challenge;
mod credential;
mod found;
mod session;

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tidegauge_app::App;
use tidegauge_app::collected::RefusalKind;
use tidegauge_app::limits::{Allowance, Share};
use tidegauge_app::service::Caller;
use tidegauge_app::service::caller::{CallerStanding, TokenEnd, token_facts};
use tidegauge_auth::{Access, Principal, TokenKind};
use tidegauge_catalog::bearer::{Bearer, Standing};
use tidegauge_model::{ErrorKind, OrgId, PaymentStatus, Role, Timestamp};
use tokio::sync::OwnedSemaphorePermit;

use super::answer::logged_path;
use super::error::{ApiError, ErrorBody};
use super::nonce::set_nonce;
use super::request_ids::RequestIds;
use found::{Found, Head, Limit};

/// The organisation that a personal token is to act in; the second is what existing clients send.
pub(super) const ORG_HEADERS: [&str; 2] = ["x-tidegauge-org-id", "x-axiom-org-id"];

/// Requests per second of a person who acts in no particular organisation.
const SEATLESS_RATE: i64 = 100;

/// One organisation can have one in so many of the requests that are worked on at once.
const SHARE_OF_LOAD: usize = 2;

/// What is kept of a path in the audit trail.
const RESOURCE_MAX: usize = 256;

/// What is kept of an organisation's name in a header; ids are shorter.
const ORG_NAME_MAX: usize = 64;

const RATE_SCOPE: HeaderName = HeaderName::from_static("x-ratelimit-scope");
const RATE_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const RATE_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RATE_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const PAYMENT: HeaderName = HeaderName::from_static("x-tidegauge-payment-status");

/// What the guard of one route knows.
#[derive(Clone, Debug)]
pub struct Guard {
    pub app: Arc<App>,
    pub access: Access,
}

/// What is known of the sender when a call is refused.
#[derive(Default)]
struct Sender {
    org: Option<OrgId>,
    actor: Option<String>,
    allowance: Option<Allowance>,
    payment: Option<PaymentStatus>,
    nonce: Option<String>,
}

pub async fn check(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    if guard.access == Access::Public {
        return next.run(request).await;
    }
    let app = Arc::clone(&guard.app);
    let now = app.now();
    let action = describe(&request);
    let resource: String = logged_path(request.uri().path()).chars().take(RESOURCE_MAX).collect();
    let request_id =
        request.extensions().get::<RequestIds>().map(|ids| ids.request.clone()).unwrap_or_default();

    let mut sender = Sender::default();
    let mut response = match admit(&guard, Head::of(&request), &request_id, &mut sender, now).await {
        Ok((caller, held)) => {
            let under_way = UnderWay { action: action.clone(), resource: resource.clone(), _held: held };
            run(request, next, caller, Arc::new(under_way)).await
        }
        Err(error) => error.into_response(),
    };
    challenge::complete(&app, &mut response);
    if let Some(allowance) = sender.allowance {
        set_rate_headers(response.headers_mut(), &allowance, sender.org.is_some());
    }
    if let Some(status @ (PaymentStatus::Failed | PaymentStatus::Blocked)) = sender.payment {
        response.headers_mut().insert(PAYMENT, HeaderValue::from_static(status.name()));
    }
    if let Some(nonce) = &sender.nonce {
        set_nonce(response.headers_mut(), nonce);
    }
    if is_refusal(response.status()) {
        let detail = response.extensions().get::<ErrorBody>().map(ErrorBody::cause);
        let actor = sender.actor.unwrap_or_else(|| "unknown".to_owned());
        let kind = RefusalKind { actor, action, detail: detail.unwrap_or_default() };
        app.refusals.note(sender.org, kind, now, &resource, &request_id);
        app.metrics.request_refused();
    }
    response
}

/// A request that is worked on. Who answers it bit by bit keeps this until the answer is complete, because with the
/// first byte the request has ended for the guard.
#[derive(Debug)]
pub struct UnderWay {
    action: String,
    resource: String,
    _held: Held,
}

impl UnderWay {
    /// Notes a refusal that is a part of an answer, as that of a whole request is noted.
    pub fn note_refusal(&self, app: &App, caller: &Caller, error: &ApiError) {
        if !is_refusal(error.status) {
            return;
        }
        let org = caller.standing.as_ref().map(|standing| standing.org.clone());
        let (actor, action) = (caller.actor.clone(), self.action.clone());
        let kind = RefusalKind { actor, action, detail: error.body.cause() };
        app.refusals.note(org, kind, app.now(), &self.resource, &caller.request_id);
        app.metrics.request_refused();
    }
}

/// Counts one more call of a caller, for requests that stand for several.
pub fn count_call(app: &App, caller: &Caller) -> Result<(), ApiError> {
    let standing = caller.standing()?;
    let per_second = standing.limits.api_rate_limit_per_second;
    match app.rates.take(standing.org.as_str(), per_second, app.now()).allowed {
        true => Ok(()),
        false => Err(rate_exceeded()),
    }
}

fn rate_exceeded() -> ApiError {
    ApiError::new(ErrorKind::Busy, "rate limit exceeded")
}

fn is_refusal(status: StatusCode) -> bool {
    use StatusCode as S;
    matches!(status, S::UNAUTHORIZED | S::PAYMENT_REQUIRED | S::FORBIDDEN | S::TOO_MANY_REQUESTS)
}

/// The route that was called, without the values in it.
fn describe(request: &Request) -> String {
    let route = request.extensions().get::<MatchedPath>().map_or("unknown", MatchedPath::as_str);
    format!("{} {route}", request.method())
}

async fn run(mut request: Request, next: Next, caller: Caller, under_way: Arc<UnderWay>) -> Response {
    request.extensions_mut().insert(caller);
    request.extensions_mut().insert(Arc::clone(&under_way));
    next.run(request).await
}

async fn admit(
    guard: &Guard,
    head: Head<'_>,
    request_id: &str,
    sender: &mut Sender,
    now: Timestamp,
) -> Result<(Caller, Held), ApiError> {
    let app = &guard.app;
    let permit = Arc::clone(&app.load).try_acquire_owned();
    let permit = permit.map_err(|_| busy("the service is working on as many requests as it can"))?;
    let named = named_org(head.headers);
    let Found { bearer: found, actor, limit, nonce } =
        credential::find(&guard.app, guard.access, head, named.as_ref(), request_id).await?;
    (sender.actor, sender.nonce) = (Some(actor.clone()), nonce);
    if found.is_api_token {
        sender.org = found.standings.first().map(|standing| standing.org.clone());
    }
    let principal = match Principal::admit(token_facts(&found), named.as_ref(), &app.roles, now) {
        Ok(principal) => credential::limited(principal, limit.as_ref(), &app.roles),
        Err(refusal) => {
            limit_rate(app, sender, found.user.as_str(), SEATLESS_RATE, now)?;
            return Err(refusal.into());
        }
    };
    let seat = principal.seat.as_ref();
    let standing = seat.and_then(|seat| found.standings.iter().find(|standing| standing.org == seat.org));
    let role = principal.role();
    let standing = standing.map(|standing| caller_standing(standing, role, now)).transpose()?;
    sender.org = standing.as_ref().map(|standing| standing.org.clone());
    sender.payment = standing.as_ref().map(|standing| standing.payment);
    let (key, per_second) = match &standing {
        Some(standing) => (standing.org.as_str(), standing.limits.api_rate_limit_per_second),
        None => (found.user.as_str(), SEATLESS_RATE),
    };
    limit_rate(app, sender, key, per_second, now)?;
    check_access(&principal, guard.access, head.method)?;
    let share = app.shares.take(key, app.http.max_requests_in_flight / SHARE_OF_LOAD);
    let share = share.ok_or_else(|| busy("the organisation has as many requests running as it may"))?;
    if limit.is_none() {
        app.last_uses.note(&found.id, now);
    }
    let caller = Caller {
        actor,
        is_person: principal.kind == TokenKind::Personal,
        token: token_id(&found),
        token_end: token_end(&found, limit.as_ref()),
        standing,
        user: principal.user,
        seats: principal.seats,
        capabilities: principal.capabilities,
        request_id: request_id.to_owned(),
        now,
    };
    Ok((caller, Held { _permit: permit, _share: share }))
}

/// Checks what the route declared. A change of what belongs to a person has no capability of its own.
fn check_access(principal: &Principal, access: Access, method: &Method) -> Result<(), ApiError> {
    principal.check(access).map_err(|refusal| challenge::lacking(principal, access, refusal))?;
    if access == Access::Person && !method.is_safe() {
        principal
            .check_change_of_person()
            .map_err(|refusal| challenge::lacking(principal, access, refusal))?;
    }
    Ok(())
}

/// What a request that is let through holds until it is answered.
#[derive(Debug)]
struct Held {
    _permit: OwnedSemaphorePermit,
    _share: Share,
}

fn busy(message: &str) -> ApiError {
    ApiError::new(ErrorKind::Unavailable, message)
}

/// Counts the request, and refuses it beyond the rate.
fn limit_rate(
    app: &App,
    sender: &mut Sender,
    key: &str,
    per_second: i64,
    now: Timestamp,
) -> Result<(), ApiError> {
    let allowance = app.rates.take(key, per_second, now);
    sender.allowance = Some(allowance);
    if allowance.allowed {
        return Ok(());
    }
    Err(rate_exceeded())
}

/// The organisation that the request names.
fn named_org(headers: &HeaderMap) -> Option<OrgId> {
    let value = ORG_HEADERS.iter().find_map(|name| headers.get(*name))?;
    let named: String = String::from_utf8_lossy(value.as_bytes()).trim().chars().take(ORG_NAME_MAX).collect();
    (!named.is_empty()).then(|| named.into())
}

/// The id of what was sent, if it has a record. A session and the access token of another issuer stand for their person.
fn token_id(found: &Bearer) -> Option<String> {
    (found.id.as_str() != found.user.as_str()).then(|| found.id.to_string())
}

/// What binds a caller who makes something that could last longer than the token of the request.
fn token_end(found: &Bearer, limit: Option<&Limit>) -> TokenEnd {
    if !found.is_api_token {
        return TokenEnd::default();
    }
    let at = limit.map(|limit| limit.expires_at).or(found.expires_at);
    TokenEnd { at, with_membership: found.ends_with_membership }
}

/// Where the caller acts, with the role there as far as the token allows it.
fn caller_standing(
    standing: &Standing,
    role: Option<Role>,
    now: Timestamp,
) -> Result<CallerStanding, ApiError> {
    Ok(CallerStanding {
        org: standing.org.clone(),
        role,
        payment: standing.payment.status_at(now),
        limits: standing.limits()?,
    })
}

fn set_rate_headers(headers: &mut HeaderMap, allowance: &Allowance, in_org: bool) {
    let scope = if in_org { "organization" } else { "user" };
    headers.insert(RATE_SCOPE, HeaderValue::from_static(scope));
    headers.insert(RATE_LIMIT, HeaderValue::from(allowance.limit));
    headers.insert(RATE_REMAINING, HeaderValue::from(allowance.remaining));
    headers.insert(RATE_RESET, HeaderValue::from(allowance.reset_at));
}
