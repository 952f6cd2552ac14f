//! `/setup/{link}`: the page on which a person with a one-time link sets a password.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::ToSchema;

use super::STALE_FORM;
use super::form::Form;
use super::layout::{Action, Message, Page, redirect};
use super::visitor::Visitor;
use crate::app::App;
use crate::http::error::ApiError;
use crate::http::extract::PathId;
use crate::service::links::{self, LinkUse};
use crate::service::passwords::Password;
use crate::service::passwords::rules::LENGTH_MIN;

/// What the page of a one-time link sends.
#[derive(Debug, Deserialize, ToSchema)]
pub struct SetupForm {
    #[schema(value_type = String)]
    password: Password,
    /// The value that the page came with.
    form_token: String,
}

#[derive(Template)]
#[template(path = "setup.html")]
struct Setup<'a> {
    action: String,
    form_token: String,
    email: &'a str,
    length_min: usize,
    problem: Option<String>,
}

/// The page to set a password by a one-time link.
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

/// Sets a password by a one-time link, which is used up by it, and begins a session in a cookie.
#[utoipa::path(post, path = "/setup/{link}", tag = "pages", params(("link" = String, Path)),
    request_body(content = SetupForm, content_type = "application/x-www-form-urlencoded"), responses(
    (status = 303, description = "Set, and signed in."),
    (status = 403, body = String, content_type = "text/html", description = "The form does not come from this browser's page."),
    (status = 404, body = String, content_type = "text/html", description = "The link is not good, or not any more."),
))]
pub async fn set_password(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    PathId(link): PathId,
    Form(form): Form<SetupForm>,
) -> Result<Response, ApiError> {
    if !visitor.may_send_form(&app, &form.form_token) {
        return show(&app, &visitor, &link, StatusCode::FORBIDDEN, Some(STALE_FORM.to_owned())).await;
    }
    let before = visitor.session.as_ref();
    match links::set_password(&app, &link, &form.password, before, &visitor.arrival).await? {
        LinkUse::Done(session) => {
            let mut response = redirect("/account");
            visitor.sign_in(&app, &session, &mut response);
            Ok(response)
        }
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
    let Some(person) = links::find(app, link).await? else {
        return Ok(gone());
    };
    let content = Setup {
        action: format!("/setup/{link}"),
        form_token: visitor.form_token(),
        email: &person.email,
        length_min: LENGTH_MIN,
        problem,
    };
    let mut response = Page::new("Set your password", &content).status(status).into_response();
    visitor.bind_forms(app, &mut response);
    Ok(response)
}

fn gone() -> Response {
    let text = "It was used, it is too old, or a newer one took its place. If you have set your password, sign in with \
        it; otherwise ask whoever gave you the link for a new one.";
    let action = Some(Action { path: "/login", label: "Sign in" });
    Message { title: "This link is no longer good", text, action }.respond(StatusCode::NOT_FOUND)
}
