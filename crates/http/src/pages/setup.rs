//! `/setup/{link}`: the page on which a person with a one-time link sets a password, or accepts with the account that
//! they have to be a member of the organisation that invites them.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tidegauge_app::App;
use tidegauge_app::service::invite_links::{self, LinkUse};
use tidegauge_app::service::passwords::Password;
use tidegauge_app::service::passwords::rules::LENGTH_MIN;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::PathId;
use utoipa::ToSchema;

use super::form::Form;
use super::layout::{Action, Message, Page, redirect};
use super::login::HOME;
use super::refusals::STALE_FORM;
use super::visitor::Visitor;

/// What the page of a one-time link sends: a password, or the wish to join with the account that is signed in.
#[derive(Debug, Deserialize, ToSchema)]
pub struct SetupForm {
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    password: Option<Password>,
    /// `account` to accept the invitation with the account that is signed in.
    #[serde(default)]
    accept: Option<String>,
    /// The value that the page came with. Without it the form is none of the page's.
    #[serde(default)]
    #[schema(required = true)]
    form_token: String,
}

#[derive(Template)]
#[template(path = "setup.html")]
struct Setup<'a> {
    action: String,
    sign_in: String,
    form_token: String,
    email: &'a str,
    invited_by: Option<&'a str>,
    /// Whether the browser is signed in with an account of the same address.
    can_join: bool,
    length_min: usize,
    problem: Option<String>,
}

/// The page to set a password or to accept an invitation by a one-time link.
#[utoipa::path(get, path = "/setup/{link}", tag = "pages", params(("link" = String, Path)), responses(
    (status = 200, body = String, content_type = "text/html"),
    (status = 404, body = String, content_type = "text/html", description = "The link is not good, or not any more."),
))]
pub async fn setup_page(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    PathId(link): PathId,
) -> Result<Response, ApiError> {
    show(&app, &visitor, &link, StatusCode::OK, None).await
}

/// Uses a one-time link up: sets a password and begins a session in a cookie, or accepts an invitation with the account
/// that is signed in.
#[utoipa::path(post, path = "/setup/{link}", tag = "pages", params(("link" = String, Path)),
    request_body(content = SetupForm, content_type = "application/x-www-form-urlencoded"), responses(
    (status = 303, description = "Set, and signed in; or accepted."),
    (status = 403, body = String, content_type = "text/html", description = "The form does not come from this browser's page."),
    (status = 404, body = String, content_type = "text/html", description = "The link is not good, or not any more."),
    (status = 422, content((String = "text/html"), (ErrorBody = "application/json")), description = "The password or the account cannot be taken; or, as JSON, the form has a field twice."),
))]
pub async fn use_link(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    PathId(link): PathId,
    Form(form): Form<SetupForm>,
) -> Result<Response, ApiError> {
    if !visitor.may_send_form(&app, &form.form_token) {
        return show(&app, &visitor, &link, StatusCode::FORBIDDEN, Some(STALE_FORM.to_owned())).await;
    }
    let session = visitor.session.as_ref();
    let used = match (form.accept.as_deref(), session, &form.password) {
        (Some("account"), Some(session), _) => {
            invite_links::join(&app, &link, session, &visitor.arrival).await?
        }
        (None, _, Some(password)) => {
            invite_links::set_password(&app, &link, password, session, &visitor.arrival).await?
        }
        _ => LinkUse::Unfit("Sign in with your account, or choose a password.".to_owned()),
    };
    match used {
        LinkUse::Done(session) => {
            let mut response = redirect(HOME);
            visitor.sign_in(&app, &session, &mut response);
            Ok(response)
        }
        LinkUse::Joined => Ok(redirect(HOME)),
        LinkUse::Gone => Ok(gone()),
        LinkUse::Unfit(problem) => {
            show(&app, &visitor, &link, StatusCode::UNPROCESSABLE_ENTITY, Some(problem)).await
        }
    }
}

async fn show(
    app: &App,
    visitor: &Visitor,
    link: &str,
    status: StatusCode,
    problem: Option<String>,
) -> Result<Response, ApiError> {
    let Some(found) = invite_links::find(app, link).await? else {
        return Ok(gone());
    };
    let signed_in = match &visitor.session {
        Some(session) => {
            app.catalog.find_person(&session.user).await.map_err(tidegauge_app::service::Error::from)?
        }
        None => None,
    };
    let content = Setup {
        action: format!("/setup/{link}"),
        sign_in: format!("/login?again=true&return_to=/setup/{link}"),
        form_token: visitor.form_token(),
        email: &found.person.email,
        invited_by: found.invited_by.as_deref(),
        can_join: signed_in.is_some_and(|person| person.email == found.person.email),
        length_min: LENGTH_MIN,
        problem,
    };
    let title = if found.invited_by.is_some() { "Accept the invitation" } else { "Set your password" };
    let mut response = Page::new(title, &content).status(status).into_response();
    visitor.bind_forms(app, &mut response);
    Ok(response)
}

fn gone() -> Response {
    let text = "It was used, it is too old, or a newer one took its place. If you have set your password, sign in with \
        it; otherwise ask whoever gave you the link for a new one.";
    let action = Some(Action { path: "/login", label: "Sign in" });
    Message { title: "This link is no longer good", text, action }.respond(StatusCode::NOT_FOUND)
}
