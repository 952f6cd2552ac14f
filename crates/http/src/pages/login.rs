//! `/login` and `/logout`: the page to sign in, and the way out.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tidegauge_app::App;
use tidegauge_app::service::passwords::Password;
use tidegauge_app::service::sessions;
use tidegauge_app::service::sign_in::{SignIn, sign_in};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::Query;
use utoipa::{IntoParams, ToSchema};

use super::form::Form;
use super::layout::{Page, redirect};
use super::refusals::{STALE_FORM, out_of_date, retry_after, wait_text};
use super::return_to::{further_target, local_path};
use super::visitor::Visitor;

/// Where people go on who came to sign in and nothing else.
pub(super) const HOME: &str = "/";

const WRONG: &str = "The e-mail address or the password is not right.";

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LoginQuery {
    /// The path of this service to go on to.
    #[serde(default)]
    return_to: Option<String>,
    /// Whether to ask for the password also of who is signed in already.
    #[serde(default)]
    again: Option<bool>,
}

/// What the page of signing in sends.
#[derive(Debug, Deserialize, ToSchema)]
pub struct LoginForm {
    email: String,
    #[schema(value_type = String)]
    password: Password,
    /// The path of this service to go on to; another one is left out of account.
    #[serde(default)]
    return_to: String,
    /// The value that the page came with.
    form_token: String,
}

/// A form that sends nothing but the value that its page came with.
#[derive(Debug, Deserialize, ToSchema)]
pub struct PlainForm {
    form_token: String,
}

#[derive(Template)]
#[template(path = "login.html")]
struct Login<'a> {
    form_token: String,
    return_to: &'a str,
    email: &'a str,
    problem: Option<String>,
}

/// The page to sign in with a password. Whoever is signed in already is sent on.
#[utoipa::path(get, path = "/login", tag = "pages", params(LoginQuery), responses(
    (status = 200, body = String, content_type = "text/html"),
    (status = 303, description = "Signed in already."),
))]
pub async fn login_page(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Query(query): Query<LoginQuery>,
) -> Response {
    let return_to = query.return_to.as_deref().and_then(local_path);
    if visitor.session.is_some() && query.again != Some(true) {
        return redirect(return_to.unwrap_or(HOME));
    }
    show(&app, &visitor, StatusCode::OK, return_to.unwrap_or_default(), "", None).await
}

/// Signs in with an e-mail address and a password, and begins a session in a cookie.
#[utoipa::path(post, path = "/login", tag = "pages",
    request_body(content = LoginForm, content_type = "application/x-www-form-urlencoded"), responses(
    (status = 303, description = "Signed in; the cookie is the session."),
    (status = 401, body = String, content_type = "text/html", description = "The address or the password is wrong."),
    (status = 403, body = String, content_type = "text/html", description = "The form does not come from this browser's page."),
    (status = 429, body = String, content_type = "text/html", description = "Too many failures; wait for Retry-After."),
))]
pub async fn login(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Form(form): Form<LoginForm>,
) -> Result<Response, ApiError> {
    let return_to = local_path(&form.return_to);
    let again = |status, problem| {
        show(&app, &visitor, status, return_to.unwrap_or_default(), &form.email, Some(problem))
    };
    if !visitor.may_send_form(&app, &form.form_token) {
        return Ok(again(StatusCode::FORBIDDEN, STALE_FORM.to_owned()).await);
    }
    let before = visitor.session.as_ref();
    match sign_in(&app, &form.email, &form.password, before, &visitor.arrival).await? {
        SignIn::Done(session) => {
            let mut response = redirect(return_to.unwrap_or(HOME));
            visitor.sign_in(&app, &session, &mut response);
            Ok(response)
        }
        SignIn::Wrong => Ok(again(StatusCode::UNAUTHORIZED, WRONG.to_owned()).await),
        SignIn::Locked(until) => {
            let now = visitor.arrival.now;
            let mut response = again(StatusCode::TOO_MANY_REQUESTS, wait_text(until, now)).await;
            retry_after(&mut response, until, now);
            Ok(response)
        }
    }
}

async fn show(
    app: &App,
    visitor: &Visitor,
    status: StatusCode,
    return_to: &str,
    email: &str,
    problem: Option<String>,
) -> Response {
    let content = Login { form_token: visitor.form_token(), return_to, email, problem };
    let page = Page::new("Sign in", &content).status(status);
    let page = match further_target(app, return_to).await {
        Some(target) => page.form_may_lead_to(&target),
        None => page,
    };
    let mut response = page.into_response();
    visitor.bind_forms(app, &mut response);
    response
}

/// Ends the session of the browser.
#[utoipa::path(post, path = "/logout", tag = "pages",
    request_body(content = PlainForm, content_type = "application/x-www-form-urlencoded"), responses(
    (status = 303, description = "Signed out."),
    (status = 403, body = String, content_type = "text/html", description = "The form does not come from this browser's page."),
))]
pub async fn logout(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Form(form): Form<PlainForm>,
) -> Result<Response, ApiError> {
    if let Some(session) = &visitor.session {
        if !visitor.may_send_form(&app, &form.form_token) {
            return Ok(out_of_date("/account"));
        }
        sessions::end(&app, session, &visitor.arrival).await?;
    }
    let mut response = redirect("/login");
    visitor.sign_out(&app, &mut response);
    Ok(response)
}
