//! The guard in front of every route that is not public: who calls, within the request rate, with the capability
//! that the route declared. Refused calls are noted for the audit trail.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tidegauge_auth::principal::Seat;
use tidegauge_auth::{Access, Principal, Refusal, TokenFacts, TokenKind, bearer};
use tidegauge_catalog::bearer::{Bearer, Standing};
use tidegauge_model::{ErrorKind, OrgId, PaymentStatus, Timestamp};

use super::answer::RequestIds;
use super::error::{ApiError, ErrorBody};
use crate::app::App;
use crate::jobs::collect::RefusalKey;
use crate::limits::Allowance;
use crate::service::Caller;
use crate::service::caller::CallerStanding;

/// The organisation that a personal token is to act in; the second is what existing clients send.
const ORG_HEADERS: [&str; 2] = ["x-tidegauge-org-id", "x-axiom-org-id"];

/// Requests per second of a person who acts in no particular organisation.
const SEATLESS_RATE: i64 = 100;

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
}

pub async fn check(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    if guard.access == Access::Public {
        return next.run(request).await;
    }
    let app = Arc::clone(&guard.app);
    let now = app.now();
    let action = describe(&request);
    let resource: String = request.uri().path().chars().take(RESOURCE_MAX).collect();
    let request_id =
        request.extensions().get::<RequestIds>().map(|ids| ids.request.clone()).unwrap_or_default();

    let mut sender = Sender::default();
    let mut response = match admit(&guard, request.headers(), &request_id, &mut sender, now).await {
        Ok(caller) => run(request, next, caller).await,
        Err(error) => error.into_response(),
    };
    if let Some(allowance) = sender.allowance {
        set_rate_headers(response.headers_mut(), &allowance, sender.org.is_some());
    }
    if is_refusal(response.status()) {
        let detail = response
            .extensions()
            .get::<ErrorBody>()
            .map(|body| body.detail.clone().unwrap_or_else(|| body.message.clone()));
        // An unknown sender chooses the path freely; it must not choose how many entries it makes.
        let (actor, resource) = match sender.actor {
            Some(actor) => (actor, resource),
            None => ("unknown".to_owned(), String::new()),
        };
        let key = RefusalKey { org: sender.org, actor, action, resource, detail: detail.unwrap_or_default() };
        app.refusals.note(key, now, &request_id);
        app.metrics.request_refused();
    }
    response
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

async fn run(mut request: Request, next: Next, caller: Caller) -> Response {
    let payment = caller.standing.as_ref().map(|standing| standing.payment);
    request.extensions_mut().insert(caller);
    let mut response = next.run(request).await;
    if let Some(status @ (PaymentStatus::Failed | PaymentStatus::Blocked)) = payment {
        response.headers_mut().insert(PAYMENT, HeaderValue::from_static(status.name()));
    }
    response
}

async fn admit(
    guard: &Guard,
    headers: &HeaderMap,
    request_id: &str,
    sender: &mut Sender,
    now: Timestamp,
) -> Result<Caller, ApiError> {
    let app = &guard.app;
    let authorization = headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
    let secret = bearer::read(authorization)?;
    let found = app.catalog.find_bearer(&secret.digest()).await?.ok_or(Refusal::UnknownToken)?;
    sender.actor = Some(actor(&found));
    if found.is_api_token {
        sender.org = found.standings.first().map(|standing| standing.org.clone());
    }
    let named = named_org(headers);
    let principal = Principal::admit(facts(&found), named.as_ref(), &app.roles, now)?;
    let standing = principal
        .seat
        .as_ref()
        .and_then(|seat| found.standings.iter().find(|standing| standing.org == seat.org));
    sender.org = standing.map(|standing| standing.org.clone());

    let allowance = match standing {
        Some(standing) => {
            app.rates.take(standing.org.as_str(), standing.limits.api_rate_limit_per_second, now)
        }
        None => app.rates.take(found.user.as_str(), SEATLESS_RATE, now),
    };
    sender.allowance = Some(allowance);
    if !allowance.allowed {
        return Err(ApiError::new(ErrorKind::Busy, "rate limit exceeded"));
    }
    principal.check(guard.access)?;
    if let (Some(named), Some(Standing { accepted: false, .. })) = (&named, standing) {
        // Who names the organisation has accepted to be in it.
        app.catalog.accept_membership(named, &found.user, now).await?;
    }
    app.last_uses.note(&found.id, now);
    Ok(caller(request_id, &found, principal, standing, now))
}

/// The organisation that the request names.
fn named_org(headers: &HeaderMap) -> Option<OrgId> {
    let value = ORG_HEADERS.iter().find_map(|name| headers.get(*name))?;
    let named: String = String::from_utf8_lossy(value.as_bytes()).trim().chars().take(ORG_NAME_MAX).collect();
    (!named.is_empty()).then(|| named.into())
}

fn actor(found: &Bearer) -> String {
    if found.is_api_token { format!("{} ({})", found.user, found.id) } else { found.user.to_string() }
}

fn facts(found: &Bearer) -> TokenFacts {
    TokenFacts {
        id: found.id.clone(),
        kind: if found.is_api_token { TokenKind::Api } else { TokenKind::Personal },
        expires_at: found.expires_at,
        user: found.user.clone(),
        capabilities: found.capabilities.clone(),
        seats: found
            .standings
            .iter()
            .map(|standing| {
                let Standing { org, role, accepted, .. } = standing;
                Seat { org: org.clone(), role: *role, accepted: *accepted }
            })
            .collect(),
    }
}

fn caller(
    request_id: &str,
    found: &Bearer,
    principal: Principal,
    standing: Option<&Standing>,
    now: Timestamp,
) -> Caller {
    Caller {
        actor: actor(found),
        is_person: principal.kind == TokenKind::Personal,
        standing: standing.map(|standing| CallerStanding {
            org: standing.org.clone(),
            role: standing.role,
            payment: standing.payment.status_at(now),
            limits: standing.limits.clone(),
        }),
        user: principal.user,
        seats: principal.seats,
        capabilities: principal.capabilities,
        request_id: request_id.to_owned(),
        now,
    }
}

fn set_rate_headers(headers: &mut HeaderMap, allowance: &Allowance, in_org: bool) {
    let scope = if in_org { "organization" } else { "user" };
    headers.insert(RATE_SCOPE, HeaderValue::from_static(scope));
    headers.insert(RATE_LIMIT, HeaderValue::from(allowance.limit));
    headers.insert(RATE_REMAINING, HeaderValue::from(allowance.remaining));
    headers.insert(RATE_RESET, HeaderValue::from(allowance.reset_at));
}
