//! The pages on which a person types the code that a device shows, sees what the device asks for, and decides.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tidegauge_app::App;
use tidegauge_app::service::oauth::device::{self, Asked, CodeProblem};
use tidegauge_app::service::oauth::{Parameters, scope};
use tidegauge_web::error::ErrorBody;
use utoipa::ToSchema;

use super::authorize::{maker, stale_form};
use super::{PageForm, Sender};
use crate::pages::layout::{self, Message, Page};
use crate::pages::visitor::Visitor;

#[derive(Template)]
#[template(path = "device.html")]
struct Entry {
    form_token: String,
    problem: &'static str,
}

#[derive(Template)]
#[template(path = "device_confirm.html")]
struct Confirm<'a> {
    code: String,
    client: &'a str,
    /// Who answers for the client.
    maker: String,
    email: &'a str,
    lines: Vec<String>,
    form_token: String,
}

/// The page for the code of a device (RFC 8628, 3.3).
#[utoipa::path(get, path = "/device", tag = "oauth", operation_id = "device_page",
    params(("user_code" = Option<String>, Query)), responses(
    (status = 200, body = String, content_type = "text/html", description = "The page."),
    (status = 303, description = "To the sign-in page."),
    (status = 404, body = ErrorBody, description = "The embedded server is off."),
    (status = 429, body = String, content_type = "text/html", description = "Too many wrong codes."),
))]
pub async fn show(
    State(app): State<Arc<App>>,
    sender: Sender,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> Response {
    let parameters = Parameters::parse(query.unwrap_or_default().as_bytes());
    let typed = parameters.one("user_code").ok().flatten();
    if visitor.session.is_none() {
        let path = match typed {
            Some(typed) => format!("/device?{}", Parameters::default().with("user_code", typed).to_query()),
            None => "/device".to_owned(),
        };
        return layout::redirect(&format!(
            "/login?{}",
            Parameters::default().with("return_to", &path).to_query()
        ));
    }
    match typed {
        Some(typed) => confirm(&app, &sender, &visitor, typed).await,
        None => entry(&visitor, "", StatusCode::OK),
    }
}

/// A code that was typed, and then what the person decided.
#[derive(Debug, Deserialize, ToSchema)]
#[expect(
    dead_code,
    reason = "it describes the form; the fields are read by name, so that one given twice is noticed"
)]
pub struct DeviceCodeForm {
    user_code: String,
    form_token: String,
    /// `allow` or `deny`, after the page has shown what is asked for.
    decision: Option<String>,
}

/// Takes the code of a device, or the decision about it.
#[utoipa::path(post, path = "/device", tag = "oauth", operation_id = "device_decide",
    request_body(content = DeviceCodeForm, content_type = "application/x-www-form-urlencoded"), responses(
    (status = 200, body = String, content_type = "text/html", description = "What is asked for, or what came of it."),
    (status = 403, body = String, content_type = "text/html", description = "The form is not one of this browser's."),
    (status = 404, body = ErrorBody, description = "The embedded server is off."),
    (status = 422, body = String, content_type = "text/html", description = "The code is wrong or has ended."),
    (status = 429, body = String, content_type = "text/html", description = "Too many wrong codes."),
))]
pub async fn decide(
    State(app): State<Arc<App>>,
    sender: Sender,
    visitor: Visitor,
    PageForm(parameters): PageForm,
) -> Response {
    let field = |name: &str| parameters.one(name).ok().flatten().unwrap_or_default();
    let Some(session) = visitor.session.as_ref().filter(|_| visitor.may_send_form(&app, field("form_token")))
    else {
        return stale_form();
    };
    if !parameters.has("decision") {
        return confirm(&app, &sender, &visitor, field("user_code")).await;
    }
    let asked = match device::find(&app, field("user_code"), &session.user, &sender.message).await {
        Ok(asked) => asked,
        Err(problem) => return refused(&visitor, &problem),
    };
    let is_allowed = field("decision") == "allow";
    let person = (&session.user, session.begun);
    match device::decide(&app, &asked, person, is_allowed, &sender.message).await {
        Ok(true) if is_allowed => {
            let text = format!("{} can act for you now. You can close this page.", asked.client.record.name);
            Message { title: "Allowed", text: &text, action: None }.respond(StatusCode::OK)
        }
        Ok(true) => {
            let text = "The device was told that you do not allow it. You can close this page.";
            Message { title: "Denied", text, action: None }.respond(StatusCode::OK)
        }
        Ok(false) => refused(&visitor, &CodeProblem::Wrong),
        Err(error) => refused(&visitor, &CodeProblem::Failed(error)),
    }
}

async fn confirm(app: &App, sender: &Sender, visitor: &Visitor, typed: &str) -> Response {
    let Some(session) = &visitor.session else {
        return stale_form();
    };
    let asked: Asked = match device::find(app, typed, &session.user, &sender.message).await {
        Ok(asked) => asked,
        Err(problem) => return refused(visitor, &problem),
    };
    let person = match app.catalog.find_person(&session.user).await {
        Ok(person) => person,
        Err(error) => return refused(visitor, &CodeProblem::Failed(error.into())),
    };
    let maker = match maker(app, &asked.client, &session.user).await {
        Ok(maker) => maker,
        Err(error) => return refused(visitor, &CodeProblem::Failed(error)),
    };
    let content = Confirm {
        code: asked.code.shown(),
        client: &asked.client.record.name,
        maker,
        email: person.as_ref().map_or("", |person| person.email.as_str()),
        lines: scope::in_words(&asked.scope),
        form_token: visitor.form_token(),
    };
    Page::new("Connect a device", &content).into_response()
}

fn entry(visitor: &Visitor, problem: &'static str, status: StatusCode) -> Response {
    let content = Entry { form_token: visitor.form_token(), problem };
    Page::new("Connect a device", &content).status(status).into_response()
}

fn refused(visitor: &Visitor, problem: &CodeProblem) -> Response {
    match problem {
        CodeProblem::Wrong => {
            let text = "There is no such code, or its time is over. Look at the device again.";
            entry(visitor, text, StatusCode::UNPROCESSABLE_ENTITY)
        }
        CodeProblem::TooMany => {
            let text = "There were too many wrong codes. Try again in ten minutes.";
            Message { title: "Too many attempts", text, action: None }.respond(StatusCode::TOO_MANY_REQUESTS)
        }
        CodeProblem::Failed(_) => {
            let text = "The service cannot answer right now. Try again in a moment.";
            let action = Some(layout::Action { path: "/device", label: "Try again" });
            Message { title: "Not now", text, action }.respond(StatusCode::SERVICE_UNAVAILABLE)
        }
    }
}
