//! `/user/capabilities`: what the caller may do where the request acts, so that an interface offers nothing that would
//! be refused.

use std::collections::BTreeMap;

use serde::Serialize;
use tidegauge_model::capability::Grants;
use tidegauge_model::{Capabilities, DatasetArea, OrgArea, ViewArea};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, Json};
use utoipa::ToSchema;

use super::schemas::{DatasetCapabilities, OrgCapabilities, ViewCapabilities};

/// What a caller may do in an organisation. The name `*` stands for every dataset or view.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnCapabilitiesResponse {
    #[schema(value_type = OrgCapabilities)]
    pub org: Grants<OrgArea>,
    #[schema(value_type = DatasetCapabilities)]
    pub datasets: BTreeMap<String, Grants<DatasetArea>>,
    #[schema(value_type = ViewCapabilities)]
    pub views: BTreeMap<String, Grants<ViewArea>>,
}

/// Reads what the caller may do in the organisation that the request acts in: by role, roles and groups, and within what
/// the token allows.
#[utoipa::path(get, path = "/user/capabilities", tag = "users", operation_id = "own_capabilities",
    responses((status = 200, body = OwnCapabilitiesResponse)))]
pub async fn own(caller: Caller) -> Result<Json<OwnCapabilitiesResponse>, ApiError> {
    caller.org_context()?;
    let Capabilities { org, dataset, view } = (*caller.capabilities).clone();
    Ok(Json(OwnCapabilitiesResponse { org, datasets: dataset, views: view }))
}
