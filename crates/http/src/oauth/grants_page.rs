//! `/account/grants`: the page on which a person sees what they have allowed, and ends it.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tidegauge_app::App;
use tidegauge_app::service::oauth::grants::{self, NamedGrant};
use tidegauge_app::service::oauth::scope;
use tidegauge_model::GrantId;
use tidegauge_web::error::{ApiError, ErrorBody};
use utoipa::ToSchema;

use super::authorize::stale_form;
use super::{PageForm, Sender};
use crate::pages::labels::ago;
use crate::pages::layout::{self, Page};
use crate::pages::visitor::Visitor;

const PAGE: &str = "/account/grants";

#[derive(Template)]
#[template(path = "granted.html")]
struct GrantsPage {
    form_token: String,
    grants: Vec<ShownGrant>,
}

struct ShownGrant {
    id: String,
    client: String,
    lines: String,
    created: String,
    last_used: String,
}

/// The page of what a person has allowed.
#[utoipa::path(get, path = "/account/grants", tag = "oauth", operation_id = "granted_page", responses(
    (status = 200, body = String, content_type = "text/html", description = "The page."),
    (status = 303, description = "To the sign-in page."),
    (status = 404, body = ErrorBody, description = "The embedded server is off."),
))]
pub async fn show(
    State(app): State<Arc<App>>,
    sender: Sender,
    visitor: Visitor,
) -> Result<Response, ApiError> {
    let Some(session) = &visitor.session else {
        return Ok(layout::redirect("/login?return_to=/account/grants"));
    };
    let now = sender.message.now;
    let shown = |named: NamedGrant| ShownGrant {
        id: named.grant.id.into_string(),
        client: named.client_name,
        lines: scope::in_words(&named.grant.scope).join("; "),
        created: ago(named.grant.created, now),
        last_used: ago(named.grant.last_used, now),
    };
    let grants = grants::of_person(&app, &session.user).await?.into_iter().map(shown).collect();
    let content = GrantsPage { form_token: visitor.form_token(), grants };
    Ok(Page::new("Programs that act for you", &content).wide().into_response())
}

/// What the page sends.
#[derive(Debug, Deserialize, ToSchema)]
#[expect(
    dead_code,
    reason = "it describes the form; the fields are read by name, so that one given twice is noticed"
)]
pub struct EndGrantForm {
    grant: String,
    form_token: String,
}

/// Ends what a person has allowed.
#[utoipa::path(post, path = "/account/grants/end", tag = "oauth", operation_id = "end_grant",
    request_body(content = EndGrantForm, content_type = "application/x-www-form-urlencoded"), responses(
    (status = 303, description = "Back to the page."),
    (status = 403, body = String, content_type = "text/html", description = "The form is not one of this browser's."),
    (status = 404, body = ErrorBody, description = "The embedded server is off."),
))]
pub async fn end(
    State(app): State<Arc<App>>,
    sender: Sender,
    visitor: Visitor,
    PageForm(parameters): PageForm,
) -> Result<Response, ApiError> {
    let field = |name: &str| parameters.one(name).ok().flatten().unwrap_or_default();
    let Some(session) = visitor.session.as_ref().filter(|_| visitor.may_send_form(&app, field("form_token")))
    else {
        return Ok(stale_form());
    };
    if let Some(id) = GrantId::parse(field("grant")) {
        let change = sender.message.change(None, session.user.as_str());
        app.catalog.revoke_oauth_grant_of(&session.user, &id, &change).await?;
    }
    // Also if it had ended before: then it is not on the page any more.
    Ok(layout::redirect(PAGE))
}
