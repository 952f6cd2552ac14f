//! `/account`: who is signed in, where, and with another password from now on.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tidegauge_app::App;
use tidegauge_app::service::account::{self, PasswordChange};
use tidegauge_app::service::passwords::Password;
use tidegauge_app::service::passwords::rules::LENGTH_MIN;
use tidegauge_app::service::sessions::Session;
use tidegauge_catalog::passwords::Account;
use tidegauge_catalog::sessions::SessionRecord;
use tidegauge_model::Timestamp;
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::Query;
use utoipa::{IntoParams, ToSchema};

use super::form::Form;
use super::labels::{ago, browser_name};
use super::layout::{Page, redirect};
use super::refusals::{out_of_date, retry_after, wait_text};
use super::visitor::Visitor;

const PAGE: &str = "/account";
const SIGN_IN: &str = "/login?return_to=/account";

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AccountQuery {
    /// What was just done, to be told on the page: password or sessions.
    #[serde(default)]
    done: Option<String>,
}

/// What the form for another password sends.
#[derive(Debug, Deserialize, ToSchema)]
pub struct PasswordForm {
    #[schema(value_type = String)]
    present_password: Password,
    #[schema(value_type = String)]
    new_password: Password,
    /// The value that the page came with.
    form_token: String,
}

/// What the form to end sessions sends.
#[derive(Debug, Deserialize, ToSchema)]
pub struct EndForm {
    /// The session's id; without one, all but this browser's end.
    #[serde(default)]
    session: Option<String>,
    /// The value that the page came with.
    form_token: String,
}

#[derive(Template)]
#[template(path = "account.html")]
struct AccountContent<'a> {
    form_token: String,
    name: &'a str,
    email: &'a str,
    /// What the person signs in with.
    sign_in: &'a str,
    sessions: Vec<ShownSession>,
    length_min: usize,
    has_new_password: bool,
    has_ended_sessions: bool,
    problem: Option<String>,
}

struct ShownSession {
    id: String,
    is_this: bool,
    browser: String,
    created: String,
    created_at: String,
    last_used: String,
    last_used_at: String,
    address: String,
}

/// The page of the account of whoever is signed in; others are sent to sign in.
#[utoipa::path(get, path = "/account", tag = "pages", params(AccountQuery), responses(
    (status = 200, body = String, content_type = "text/html"),
    (status = 303, description = "Nobody is signed in."),
))]
pub async fn account_page(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Query(query): Query<AccountQuery>,
) -> Result<Response, ApiError> {
    match &visitor.session {
        Some(session) => show(&app, &visitor, session, StatusCode::OK, &query, None).await,
        None => Ok(redirect(SIGN_IN)),
    }
}

/// Gives whoever is signed in another password, and ends all their other sessions.
#[utoipa::path(post, path = "/account/password", tag = "pages",
    request_body(content = PasswordForm, content_type = "application/x-www-form-urlencoded"), responses(
    (status = 303, description = "Changed; or nobody is signed in."),
    (status = 403, body = String, content_type = "text/html", description = "The form does not come from this browser's page."),
    (status = 429, body = String, content_type = "text/html", description = "Too many failures; wait for Retry-After."),
))]
pub async fn change_password(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Form(form): Form<PasswordForm>,
) -> Result<Response, ApiError> {
    let Some(session) = &visitor.session else {
        return Ok(redirect(SIGN_IN));
    };
    if !visitor.may_send_form(&app, &form.form_token) {
        return Ok(out_of_date(PAGE));
    }
    let PasswordForm { present_password, new_password, .. } = &form;
    let arrival = &visitor.arrival;
    let changed = account::change_password(&app, session, present_password, new_password, arrival).await?;
    let (status, problem) = match changed {
        PasswordChange::Done(session) => {
            let mut response = redirect("/account?done=password");
            visitor.sign_in(&app, &session, &mut response);
            return Ok(response);
        }
        PasswordChange::Wrong => {
            (StatusCode::UNPROCESSABLE_ENTITY, "The present password is not right.".to_owned())
        }
        PasswordChange::Unfit(problem) => (StatusCode::UNPROCESSABLE_ENTITY, problem),
        PasswordChange::Locked(until) => {
            let text = wait_text(until, arrival.now);
            let query = AccountQuery::default();
            let mut response =
                show(&app, &visitor, session, StatusCode::TOO_MANY_REQUESTS, &query, Some(text)).await?;
            retry_after(&mut response, until, arrival.now);
            return Ok(response);
        }
    };
    show(&app, &visitor, session, status, &AccountQuery::default(), Some(problem)).await
}

/// Ends one or all other sessions of whoever is signed in.
#[utoipa::path(post, path = "/account/sessions/end", tag = "pages",
    request_body(content = EndForm, content_type = "application/x-www-form-urlencoded"), responses(
    (status = 303, description = "Ended; or nobody is signed in."),
    (status = 403, body = String, content_type = "text/html", description = "The form does not come from this browser's page."),
))]
pub async fn end_sessions(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Form(form): Form<EndForm>,
) -> Result<Response, ApiError> {
    let Some(session) = &visitor.session else {
        return Ok(redirect(SIGN_IN));
    };
    if !visitor.may_send_form(&app, &form.form_token) {
        return Ok(out_of_date(PAGE));
    }
    match &form.session {
        Some(id) => account::end_session(&app, session, id, &visitor.arrival).await?,
        None => account::end_other_sessions(&app, session, &visitor.arrival).await?,
    }
    Ok(redirect("/account?done=sessions"))
}

async fn show(
    app: &App,
    visitor: &Visitor,
    session: &Session,
    status: StatusCode,
    query: &AccountQuery,
    problem: Option<String>,
) -> Result<Response, ApiError> {
    let Account { person, sign_in, .. } = account::get(app, session).await?;
    let sessions = account::list_sessions(app, session).await?;
    let done = query.done.as_deref();
    let content = AccountContent {
        form_token: visitor.form_token(),
        name: &person.name,
        email: &person.email,
        sign_in: &sign_in,
        sessions: sessions.into_iter().map(|record| shown(record, session, app.now())).collect(),
        length_min: LENGTH_MIN,
        has_new_password: done == Some("password"),
        has_ended_sessions: done == Some("sessions"),
        problem,
    };
    Ok(Page::new("Your account", &content).status(status).wide().into_response())
}

fn shown(record: SessionRecord, session: &Session, now: Timestamp) -> ShownSession {
    ShownSession {
        is_this: record.id == session.id,
        browser: browser_name(&record.agent),
        created: ago(record.created, now),
        created_at: record.created.to_string(),
        last_used: ago(record.last_used, now),
        last_used_at: record.last_used.to_string(),
        address: record.address,
        id: record.id.into_string(),
    }
}
