//! `/notifiers/{id}/…`: what became of the messages of a notifier. Nothing here shows an address or a credential.

use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::deliveries;
use tidegauge_catalog::outbox::attempts::Attempt;
use tidegauge_catalog::outbox::list::Delivery;
use tidegauge_model::{Rule, Timestamp, Violation};
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId, PathIds, Query};
use utoipa::{IntoParams, ToSchema};

use super::paging;

/// A message on its way to a notifier, or at its end.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryResponse {
    /// The same however often the message is sent.
    #[schema(example = "msg_01890a5dac96774bbcceb302099a8057")]
    pub id: String,
    /// waiting, sent, dead, or withdrawn: its notifier was pointed elsewhere before it was sent.
    pub state: &'static str,
    /// open or closed: what the message tells of the alert.
    pub action: &'static str,
    #[serde(rename = "monitorId")]
    pub monitor: String,
    pub title: String,
    /// Whether somebody tried the notifier.
    pub test: bool,
    #[schema(format = DateTime)]
    pub created_at: String,
    /// When it is tried next; null when it has ended.
    #[schema(format = DateTime)]
    pub next_attempt_at: Option<String>,
    #[schema(format = DateTime)]
    pub finished_at: Option<String>,
    /// The oldest first.
    pub attempts: Vec<AttemptResponse>,
}

/// One attempt to send a message.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttemptResponse {
    #[schema(format = DateTime)]
    pub time: String,
    pub latency_ms: u64,
    /// What the receiver answered, if it speaks HTTP and came to answer.
    pub status: Option<u16>,
    /// Why it failed; null when it did not.
    pub error: Option<String>,
}

/// What the messages of a notifier are signed with.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SigningSecretResponse {
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")]
    pub secret: String,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeliveryParameters {
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    #[param(minimum = 0)]
    offset: Option<i64>,
}

impl From<Delivery> for DeliveryResponse {
    fn from(delivery: Delivery) -> Self {
        let text = |time: Timestamp| time.to_string();
        Self {
            id: delivery.id.into_string(),
            state: delivery.state.name(),
            action: delivery.message.state.name(),
            monitor: delivery.message.monitor.into_string(),
            title: delivery.message.title,
            test: delivery.message.is_test,
            created_at: delivery.created.to_string(),
            next_attempt_at: delivery.next.map(text),
            finished_at: delivery.finished.map(text),
            attempts: delivery.attempts.into_iter().map(AttemptResponse::from).collect(),
        }
    }
}

impl From<Attempt> for AttemptResponse {
    fn from(attempt: Attempt) -> Self {
        Self {
            time: attempt.at.to_string(),
            latency_ms: u64::try_from(attempt.latency.as_millis()).unwrap_or(u64::MAX),
            status: attempt.status,
            error: attempt.error,
        }
    }
}

/// Sends a test message at once, and answers how it went.
#[utoipa::path(post, path = "/notifiers/{id}/test", tag = "notifiers", operation_id = "testNotifier",
    params(("id" = String, Path)), responses(
    (status = 200, body = DeliveryResponse, description = "It was tried: sent, or dead with the reason."),
    (status = 409, body = ErrorBody, description = "The notifier is disabled."),
))]
pub async fn test(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<DeliveryResponse>, ApiError> {
    Ok(Json(deliveries::test(&app, &caller, &id).await?.into()))
}

/// Lists the messages of a notifier, the newest first.
#[utoipa::path(get, path = "/notifiers/{id}/deliveries", tag = "notifiers", operation_id = "listDeliveries",
    params(("id" = String, Path), DeliveryParameters), responses((status = 200, body = [DeliveryResponse])))]
pub async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Query(parameters): Query<DeliveryParameters>,
) -> Result<Json<Vec<DeliveryResponse>>, ApiError> {
    let limit = paging::limit(parameters.limit)?;
    let offset = parameters.offset.unwrap_or(0);
    if offset < 0 {
        return Err(Violation::new("offset", Rule::Minimum, "must be at least 0").in_query().into());
    }
    let found = deliveries::list(&app, &caller, &id, limit, offset).await?;
    Ok(Json(found.into_iter().map(DeliveryResponse::from).collect()))
}

/// Sends a message again that was given up, under the same id.
#[utoipa::path(post, path = "/notifiers/{id}/deliveries/{deliveryId}/replay", tag = "notifiers",
    operation_id = "replayDelivery", params(("id" = String, Path), ("deliveryId" = String, Path)), responses(
    (status = 200, body = DeliveryResponse),
    (status = 409, body = ErrorBody, description = "The message waits, was sent, or was withdrawn."),
))]
pub async fn replay(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathIds(id, delivery): PathIds,
) -> Result<Json<DeliveryResponse>, ApiError> {
    Ok(Json(deliveries::replay(&app, &caller, &id, &delivery).await?.into()))
}

/// The secret that the messages of a notifier are signed with.
#[utoipa::path(get, path = "/notifiers/{id}/signing-secret", tag = "notifiers", operation_id = "getSigningSecret",
    params(("id" = String, Path)), responses((status = 200, body = SigningSecretResponse)))]
pub async fn signing_secret(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<SigningSecretResponse>, ApiError> {
    Ok(Json(SigningSecretResponse { secret: deliveries::signing_secret(&app, &caller, &id).await? }))
}
