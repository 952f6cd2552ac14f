//! `/orgs`: organisations with their licence, plan and payment status.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::orgs::{self, OrgWithRole};
use tidegauge_model::{Licence, Role, Timestamp};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, Json, PathId};
use utoipa::ToSchema;

use super::schemas::{OwnRoleName, PaymentStatusName, PlanName};

/// What a caller sets of an organisation.
#[derive(Debug, Deserialize, ToSchema)]
pub struct OrgRequest {
    #[schema(min_length = 1, max_length = 256)]
    pub name: String,
}

/// An organisation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrgResponse {
    pub id: String,
    pub name: String,
    pub primary_email: String,
    #[schema(value_type = PlanName)]
    pub plan: &'static str,
    #[schema(value_type = PaymentStatusName)]
    pub payment_status: &'static str,
    #[schema(format = DateTime)]
    pub plan_created: String,
    #[schema(format = DateTime)]
    pub last_usage_sync: String,
    #[schema(format = DateTime)]
    pub first_failed_payment: Option<String>,
    pub default_region: String,
    /// The same as `defaultRegion`, under the name that newer clients look for.
    pub default_edge_deployment: String,
    #[schema(format = DateTime)]
    pub meta_created: String,
    #[schema(format = DateTime)]
    pub meta_modified: String,
    pub meta_version: String,
    #[schema(value_type = OwnRoleName)]
    pub role: &'static str,
    pub license: LicenseResponse,
}

/// The licence of an organisation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LicenseResponse {
    pub id: String,
    pub issued_to: String,
    pub issuer: String,
    pub tier: String,
    pub default_region: String,
    pub regions: Vec<String>,
    /// The same as `defaultRegion` and `regions`, under the names that newer clients look for.
    pub default_edge_deployment: String,
    pub edge_deployments: Vec<String>,
    pub with_auths: Vec<String>,
    pub features: BTreeMap<String, bool>,
    #[schema(format = DateTime)]
    pub issued_at: String,
    #[schema(format = DateTime)]
    pub valid_from: String,
    #[schema(format = DateTime)]
    pub expires_at: Option<String>,
    #[schema(format = DateTime)]
    pub billing_period_start: String,
    #[schema(format = DateTime)]
    pub billing_period_end: String,
    pub api_rate_limit_per_second: i64,
    pub max_audit_window_seconds: i64,
    pub max_datasets: i64,
    pub max_endpoints: i64,
    pub max_fields: i64,
    pub max_monitors: i64,
    pub max_query_window_seconds: i64,
    pub max_users: i64,
    pub monthly_ingest_gb: i64,
    pub monthly_query_gb_hours: i64,
    #[serde(rename = "storageAllowanceGB")]
    pub storage_allowance_gb: i64,
}

impl OrgResponse {
    pub fn of(found: OrgWithRole, now: Timestamp) -> Self {
        let OrgWithRole { org, role } = found;
        Self {
            id: org.id.into_string(),
            name: org.name,
            primary_email: org.primary_email,
            plan: org.plan.name(),
            payment_status: org.payment.status_at(now).name(),
            plan_created: org.plan_created.to_string(),
            last_usage_sync: org.last_usage_sync.to_string(),
            first_failed_payment: org.payment.first_failed.map(|time| time.to_string()),
            default_edge_deployment: org.default_region.clone(),
            default_region: org.default_region,
            meta_created: org.created.to_string(),
            meta_modified: org.modified.to_string(),
            meta_version: org.version.to_string(),
            role: role.map_or("custom", Role::id),
            license: org.licence.into(),
        }
    }
}

impl From<Licence> for LicenseResponse {
    fn from(licence: Licence) -> Self {
        let time = |micros: i64| Timestamp::from_micros(micros).to_string();
        let limits = licence.limits;
        Self {
            id: licence.id,
            issued_to: licence.issued_to,
            issuer: licence.issuer,
            tier: licence.tier,
            default_edge_deployment: licence.default_region.clone(),
            edge_deployments: licence.regions.clone(),
            default_region: licence.default_region,
            regions: licence.regions,
            with_auths: licence.with_auths,
            features: licence.features,
            issued_at: time(licence.issued_at_micros),
            valid_from: time(licence.valid_from_micros),
            expires_at: licence.expires_at_micros.map(time),
            billing_period_start: time(licence.billing_period_start_micros),
            billing_period_end: time(licence.billing_period_end_micros),
            api_rate_limit_per_second: limits.api_rate_limit_per_second,
            max_audit_window_seconds: limits.max_audit_window_seconds,
            max_datasets: limits.max_datasets,
            max_endpoints: limits.max_endpoints,
            max_fields: limits.max_fields,
            max_monitors: limits.max_monitors,
            max_query_window_seconds: limits.max_query_window_seconds,
            max_users: limits.max_users,
            monthly_ingest_gb: limits.monthly_ingest_gb,
            monthly_query_gb_hours: limits.monthly_query_gb_hours,
            storage_allowance_gb: limits.storage_allowance_gb,
        }
    }
}

/// Lists the organisations that the caller belongs to.
#[utoipa::path(get, path = "/orgs", tag = "organisations", responses((status = 200, body = [OrgResponse])))]
pub async fn list(State(app): State<Arc<App>>, caller: Caller) -> Result<Json<Vec<OrgResponse>>, ApiError> {
    let orgs = orgs::list(&app, &caller).await?;
    Ok(Json(orgs.into_iter().map(|org| OrgResponse::of(org, caller.now)).collect()))
}

/// Reads one organisation that the caller belongs to.
#[utoipa::path(get, path = "/orgs/{id}", tag = "organisations", params(("id" = String, Path)),
    responses((status = 200, body = OrgResponse)))]
pub async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<OrgResponse>, ApiError> {
    Ok(Json(OrgResponse::of(orgs::get(&app, &caller, &id).await?, caller.now)))
}

/// Creates an organisation with the caller as its owner.
#[utoipa::path(post, path = "/orgs", tag = "organisations", request_body = OrgRequest,
    responses((status = 200, body = OrgResponse)))]
pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<OrgRequest>,
) -> Result<Json<OrgResponse>, ApiError> {
    Ok(Json(OrgResponse::of(orgs::create(&app, &caller, request.name).await?, caller.now)))
}

/// Creates an organisation as `POST /orgs` does. The caller must be known here too: nobody gets an organisation without
/// asking somebody who has one.
#[utoipa::path(post, path = "/orgs/provision", tag = "organisations", request_body = OrgRequest,
    responses((status = 200, body = OrgResponse)))]
pub async fn provision(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<OrgRequest>,
) -> Result<Json<OrgResponse>, ApiError> {
    Ok(Json(OrgResponse::of(orgs::create(&app, &caller, request.name).await?, caller.now)))
}

/// Gives an organisation another name. Only its owners and admins may.
#[utoipa::path(put, path = "/orgs/{id}", tag = "organisations", params(("id" = String, Path)),
    request_body = OrgRequest, responses((status = 200, body = OrgResponse)))]
pub async fn rename(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Json(request): Json<OrgRequest>,
) -> Result<Json<OrgResponse>, ApiError> {
    Ok(Json(OrgResponse::of(orgs::rename(&app, &caller, &id, request.name).await?, caller.now)))
}
