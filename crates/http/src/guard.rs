//! The guard in front of every route that is not public: who calls, within the request rate, with the capability
//! that the route declared. Refused calls are noted for the audit trail. How a credential is read and found is left to
//! `credential`, how many requests are worked on at once to `places`, what a refusal says in its headers to `challenge`.

pub mod challenge;
mod credential;
mod found;
mod places;
mod session;

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tidegauge_admission::limits::RateState;
use tidegauge_app::App;
use tidegauge_app::audit_buffer::RefusalKind;
use tidegauge_app::service::Caller;
use tidegauge_app::service::caller::{CallerOrg, Sent, TokenEnd, token_facts};
use tidegauge_auth::{Access, Principal, TokenKind};
use tidegauge_catalog::bearer::{Bearer, OrgContext};
use tidegauge_catalog::endpoints::Endpoint;
use tidegauge_connections::requests::note_authenticated;
use tidegauge_model::{ErrorKind, OrgId, PaymentStatus, Role, Timestamp};
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::nonce::set_nonce;
use tidegauge_web::request_ids::RequestIds;

use super::endpoint_address;
use super::logged_path::logged_path;
use super::senders::Told;
use super::senders::face::Face;
use super::senders::head::repeats_items;
use found::{Found, Head, Limit};
use places::Held;

/// The organisation that a personal token is to act in; the second is what existing clients send.
pub(super) const ORG_HEADERS: [&str; 2] = ["x-tidegauge-org-id", "x-axiom-org-id"];

/// Requests per second of a person who acts in no particular organisation.
const RATE_WITHOUT_ORG: i64 = 100;

/// What is kept of a path in the audit trail.
const RESOURCE_MAX: usize = 256;

/// What is kept of an organisation's name in a header; ids are shorter.
const ORG_NAME_MAX: usize = 64;

pub const RATE_EXCEEDED: &str = "rate limit exceeded";

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
    rate_state: Option<RateState>,
    payment: Option<PaymentStatus>,
    nonce: Option<String>,
    endpoint: Option<Arc<Endpoint>>,
    /// One request too many, which is let pass so that it can be refused in its own way.
    exceeds_rate: bool,
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
            note_authenticated(request.extensions());
            let (action, resource, exceeds_rate) = (action.clone(), resource.clone(), sender.exceeds_rate);
            let in_flight = InFlight { action, resource, exceeds_rate, _held: held };
            run(request, next, caller, Arc::new(in_flight)).await
        }
        Err(error) => error.into_response(),
    };
    challenge::complete(&app, &mut response);
    if let Some(endpoint) = &sender.endpoint {
        note_failure(&app, endpoint, &response, now);
    }
    if let Some(rate_state) = sender.rate_state {
        set_rate_headers(response.headers_mut(), &rate_state, sender.org.is_some());
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
pub struct InFlight {
    action: String,
    resource: String,
    exceeds_rate: bool,
    _held: Held,
}

impl InFlight {
    /// Whether nothing of the request may be done, which whoever sends it is to be told of each of its items.
    pub fn exceeds_rate(&self) -> bool {
        self.exceeds_rate
    }

    /// Notes a refusal that is a part of an answer, as that of a whole request is noted.
    pub fn note_refusal(&self, app: &App, caller: &Caller, error: &ApiError) {
        if !is_refusal(error.status) {
            return;
        }
        let org = caller.org_context.as_ref().map(|org_context| org_context.org.clone());
        let (actor, action) = (caller.actor.clone(), self.action.clone());
        let kind = RefusalKind { actor, action, detail: error.body.cause() };
        app.refusals.note(org, kind, app.now(), &self.resource, &caller.request_id);
        app.metrics.request_refused();
    }
}

/// Counts one more call of a caller, for requests that stand for several.
pub fn count_call(app: &App, caller: &Caller) -> Result<(), ApiError> {
    let org_context = caller.org_context()?;
    let per_second = org_context.limits.api_rate_limit_per_second;
    match app.rates.take(org_context.org.as_str(), per_second, app.now()).allowed {
        true => Ok(()),
        false => Err(rate_exceeded()),
    }
}

fn rate_exceeded() -> ApiError {
    ApiError::new(ErrorKind::Busy, RATE_EXCEEDED)
}

/// Counts a refused request for its endpoint, with the reason, so that a person sees why events do not arrive.
fn note_failure(app: &App, endpoint: &Endpoint, response: &Response, now: Timestamp) {
    let status = response.status();
    // Some protocols tell a refusal with the status of a success.
    let in_words = response.extensions().get::<Told>().map(|told| told.0.clone());
    if in_words.is_none() && !status.is_client_error() && !status.is_server_error() {
        return;
    }
    let cause = in_words.or_else(|| response.extensions().get::<ErrorBody>().map(ErrorBody::cause));
    let cause = cause.unwrap_or_else(|| format!("refused with {}", status.as_u16()));
    app.endpoint_uses.failed(endpoint.as_it_stands(), 1, &cause, now);
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

async fn run(mut request: Request, next: Next, caller: Caller, in_flight: Arc<InFlight>) -> Response {
    request.extensions_mut().insert(caller);
    request.extensions_mut().insert(Arc::clone(&in_flight));
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
    let place = places::of_service(app, head).await?;
    let named = named_org(head.headers);
    let Found { bearer: found, actor, session, limit, nonce } =
        credential::find(&guard.app, guard.access, head, named.as_ref(), request_id).await?;
    (sender.actor, sender.nonce) = (Some(actor.clone()), nonce);
    sender.endpoint.clone_from(&found.endpoint);
    if found.is_api_token {
        sender.org = found.org_contexts.first().map(|org_context| org_context.org.clone());
    }
    let principal = match Principal::admit(token_facts(&found), named.as_ref(), &app.roles, now) {
        Ok(principal) => credential::limited(principal, limit.as_ref(), &app.roles),
        Err(refusal) => {
            limit_rate(app, sender, found.user.as_str(), RATE_WITHOUT_ORG, now)?;
            return Err(refusal.into());
        }
    };
    let membership = principal.membership.as_ref();
    let org_context = membership.and_then(|here| found.org_contexts.iter().find(|it| it.org == here.org));
    let role = principal.role();
    let org_context = org_context.map(|org_context| caller_org(org_context, role, now)).transpose()?;
    sender.org = org_context.as_ref().map(|org_context| org_context.org.clone());
    sender.payment = org_context.as_ref().map(|org_context| org_context.payment);
    let (key, per_second) = match &org_context {
        Some(org_context) => (org_context.org.as_str(), org_context.limits.api_rate_limit_per_second),
        None => (found.user.as_str(), RATE_WITHOUT_ORG),
    };
    limit_known(app, sender, head, (key, per_second), now)?;
    check_access(&principal, guard.access, head.method)?;
    if let Some(endpoint) = &found.endpoint {
        endpoint_address::check_kind(endpoint, Face::of(head.uri, head.headers, now).as_ref(), head.headers)?;
    }
    let held = places::of_org(app, head, key, place).await?;
    if limit.is_none() && found.endpoint.is_none() {
        app.last_uses.note(&found.id, now);
    }
    let caller = Caller {
        actor,
        is_person: principal.kind == TokenKind::Personal,
        token: token_id(&found),
        token_end: token_end(&found, limit.as_ref()),
        sent: Sent { session, ends: limit.map(|limit| limit.expires_at) },
        org_context,
        user: principal.user,
        memberships: principal.memberships,
        capabilities: principal.capabilities,
        endpoint: found.endpoint.clone(),
        request_id: request_id.to_owned(),
        now,
    };
    Ok((caller, held))
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

/// Counts the request, and refuses it beyond the rate.
fn limit_rate(
    app: &App,
    sender: &mut Sender,
    key: &str,
    per_second: i64,
    now: Timestamp,
) -> Result<(), ApiError> {
    let rate_state = app.rates.take(key, per_second, now);
    sender.rate_state = Some(rate_state);
    if rate_state.allowed {
        return Ok(());
    }
    Err(rate_exceeded())
}

/// The same for a sender who is known. A bulk request whose client gives up what is refused whole passes, and is refused
/// item by item by its route.
fn limit_known(
    app: &App,
    sender: &mut Sender,
    head: Head<'_>,
    (key, per_second): (&str, i64),
    now: Timestamp,
) -> Result<(), ApiError> {
    let limited = limit_rate(app, sender, key, per_second, now);
    sender.exceeds_rate =
        limited.is_err() && head.uri.path().ends_with("/_bulk") && repeats_items(head.headers);
    if sender.exceeds_rate { Ok(()) } else { limited }
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
fn caller_org(org_context: &OrgContext, role: Option<Role>, now: Timestamp) -> Result<CallerOrg, ApiError> {
    Ok(CallerOrg {
        org: org_context.org.clone(),
        role,
        payment: org_context.payment.status_at(now),
        limits: org_context.limits()?,
    })
}

fn set_rate_headers(headers: &mut HeaderMap, rate_state: &RateState, in_org: bool) {
    let scope = if in_org { "organization" } else { "user" };
    headers.insert(RATE_SCOPE, HeaderValue::from_static(scope));
    headers.insert(RATE_LIMIT, HeaderValue::from(rate_state.limit));
    headers.insert(RATE_REMAINING, HeaderValue::from(rate_state.remaining));
    headers.insert(RATE_RESET, HeaderValue::from(rate_state.reset_at));
}
