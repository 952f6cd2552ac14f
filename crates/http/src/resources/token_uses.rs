//! `/tokens/usage`: when API tokens were last used, and who made them. Not as keys of `/tokens`: clients refuse keys of a
//! token that they do not know.

use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;
use tidegauge_app::App;
use tidegauge_app::service::token_uses;
use tidegauge_catalog::token_uses::TokenUse;
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, Json};
use utoipa::ToSchema;

/// The use of one API token.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenUseResponse {
    /// The id of the token.
    pub id: String,
    /// Null as long as it was never used.
    #[schema(format = DateTime)]
    pub last_used_at: Option<String>,
    #[schema(format = DateTime)]
    pub created_at: String,
    pub created_by: TokenMakerResponse,
}

/// Who made a token.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenMakerResponse {
    pub id: String,
    pub name: String,
    /// Whether this person is a member of the organisation now.
    pub is_member: bool,
}

impl From<TokenUse> for TokenUseResponse {
    fn from(token: TokenUse) -> Self {
        Self {
            id: token.id.into_string(),
            last_used_at: token.last_used_at.map(|time| time.to_string()),
            created_at: token.created.to_string(),
            created_by: TokenMakerResponse {
                id: token.maker.into_string(),
                name: token.maker_name,
                is_member: token.is_maker_member,
            },
        }
    }
}

/// Tells of every API token of the organisation when it was last used, who made it and when.
#[utoipa::path(get, path = "/tokens/usage", tag = "tokens", operation_id = "token_usage",
    responses((status = 200, body = [TokenUseResponse])))]
pub async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Vec<TokenUseResponse>>, ApiError> {
    let uses = token_uses::list(&app, &caller).await?;
    Ok(Json(uses.into_iter().map(TokenUseResponse::from).collect()))
}
