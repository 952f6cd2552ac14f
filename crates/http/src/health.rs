//! What operators and their machines ask: alive, ready, figures, version.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tidegauge_app::App;
use tidegauge_store::{Store, Work};
use tidegauge_web::extract::Json;
use utoipa::ToSchema;

/// Whether the service can take requests, and if not, why.
#[derive(Debug, Serialize, ToSchema)]
pub struct Readiness {
    pub ready: bool,
    /// What stands in the way; empty when ready.
    pub reasons: Vec<String>,
    /// What fails and does not stand in the way yet.
    pub warnings: Vec<String>,
}

/// The version that runs.
#[derive(Debug, Serialize, ToSchema)]
pub struct Version {
    #[schema(example = "0.1.0")]
    pub version: &'static str,
}

/// Whether the process is alive.
#[utoipa::path(get, path = "/healthz", tag = "service", responses((status = 200, body = String, content_type = "text/plain")))]
pub async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether the service can take requests.
#[utoipa::path(get, path = "/readyz", tag = "service", responses(
    (status = 200, body = Readiness),
    (status = 503, body = Readiness, description = "Not now; the reasons say why."),
))]
pub async fn readyz(State(app): State<Arc<App>>) -> Response {
    let mut reasons = Vec::new();
    if app.is_draining() {
        reasons.push("shutting down".to_owned());
    }
    if let Err(error) = app.catalog.ping().await {
        reasons.push(format!("catalogue: {error}"));
    }
    if app.catalog.is_lease_lost() {
        reasons.push("another process writes to the catalogue".to_owned());
    }
    let mut warnings = Vec::new();
    tell_troubles(&app.store, &mut reasons, &mut warnings);
    let ready = reasons.is_empty();
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Readiness { ready, reasons, warnings })).into_response()
}

/// Adds what fails at present. Segments can wait for a disk or a bucket: as long as the log takes events, sending requests
/// elsewhere would make an outage of a delay.
fn tell_troubles(store: &Store, reasons: &mut Vec<String>, warnings: &mut Vec<String>) {
    for trouble in store.troubles() {
        let (list, work) = match trouble.work {
            Work::Log => (&mut *reasons, "log"),
            Work::Catalogue => (&mut *reasons, "catalogue"),
            Work::Segments => (&mut *warnings, "segments"),
        };
        let told = format!("{work}: {}", trouble.message);
        // A catalogue that is away altogether has been told.
        if !list.contains(&told) {
            list.push(told);
        }
    }
}

/// Figures for Prometheus, in the OpenMetrics form.
#[utoipa::path(get, path = "/metrics", tag = "service",
    responses((status = 200, body = String, content_type = "application/openmetrics-text")))]
pub async fn metrics(State(app): State<Arc<App>>) -> Response {
    app.metrics.note_store(&app.store);
    app.metrics.note_engine(&app.engine);
    app.metrics.note_shares(app.ingest.memory_held(), app.oauth.proofs_remembered());
    app.metrics.note_outbox(&app.notify, &app.catalog, app.now()).await;
    app.metrics.note_audit_events(&app.catalog, app.now()).await;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], app.metrics.render()).into_response()
}

/// The version that runs.
#[utoipa::path(get, path = "/version", tag = "service", responses((status = 200, body = Version)))]
pub async fn version() -> Json<Version> {
    Json(Version { version: env!("CARGO_PKG_VERSION") })
}
