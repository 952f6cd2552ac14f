//! The page on which a person allows a client to act for them. What was asked for is read anew from the form, and
//! checked again: the page keeps nothing.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tidegauge_app::App;
use tidegauge_app::service::oauth::authorize::{self, Failure, Request, SIGNED_IN_AFTER};
use tidegauge_app::service::oauth::known_clients::Client;
use tidegauge_app::service::oauth::{ErrorCode, OAuthError, Parameters, client_auth, scope};
use tidegauge_app::service::sessions::Session;
use tidegauge_auth::embedded::redirect;
use tidegauge_model::{ErrorKind, UserId};
use tidegauge_web::error::{ApiError, ErrorBody};
use utoipa::ToSchema;

use super::{PageForm, Sender};
use crate::pages::layout::{self, Message, Page};
use crate::pages::visitor::Visitor;

/// The fields that the page adds to what was asked for.
const OWN_FIELDS: [&str; 2] = ["decision", "form_token"];

#[derive(Template)]
#[template(path = "consent.html")]
struct Consent<'a> {
    client: &'a str,
    /// Who answers for the client.
    origin: String,
    email: &'a str,
    orgs: String,
    lines: Vec<String>,
    target: &'a str,
    form_token: String,
    fields: &'a [(String, String)],
}

/// Asks a person to allow a client something (RFC 6749, 4.1, with RFC 7636 and 9207).
#[utoipa::path(get, path = "/oauth/authorize", tag = "oauth", operation_id = "authorize", params(
    ("client_id" = Option<String>, Query), ("redirect_uri" = Option<String>, Query),
    ("response_type" = Option<String>, Query, description = "`code`."), ("scope" = Option<String>, Query),
    ("state" = Option<String>, Query), ("code_challenge" = Option<String>, Query),
    ("code_challenge_method" = Option<String>, Query, description = "`S256`."), ("prompt" = Option<String>, Query),
    ("resource" = Option<String>, Query), ("dpop_jkt" = Option<String>, Query),
), responses(
    (status = 200, body = String, content_type = "text/html", description = "The page that asks."),
    (status = 303, description = "To the sign-in page, or back to the client with a code or an error."),
    (status = 400, body = String, content_type = "text/html", description = "The client or its address is not known."),
    (status = 404, body = ErrorBody, description = "The embedded server is off."),
))]
pub async fn show(
    State(app): State<Arc<App>>,
    sender: Sender,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> Response {
    let parameters = Parameters::parse(query.unwrap_or_default().as_bytes());
    let request = match authorize::read(&app, &parameters).await {
        Ok(request) => request,
        Err(failure) => return failed(failure),
    };
    match &visitor.session {
        Some(session) if request.accepts_session(session.begun) => {
            match ask(&app, &sender, &visitor, session, &request, &parameters).await {
                Ok(response) => response,
                Err(error) => failed(Failure::Page(error)),
            }
        }
        _ if request.prompt.none => {
            to_client(&request.refusal(&app, ErrorCode::LoginRequired, "nobody is signed in"))
        }
        _ => to_sign_in(&request, &parameters, &sender),
    }
}

async fn ask(
    app: &App,
    sender: &Sender,
    visitor: &Visitor,
    session: &Session,
    request: &Request,
    parameters: &Parameters,
) -> Result<Response, OAuthError> {
    if request.is_allowed_before(app, &session.user).await? {
        let person = (&session.user, session.begun);
        return Ok(to_client(&request.allow(app, person, false, &sender.message).await?));
    }
    if request.prompt.none {
        let description = "the person has not allowed this before";
        return Ok(to_client(&request.refusal(app, ErrorCode::ConsentRequired, description)));
    }
    let person = app.catalog.find_person(&session.user).await?;
    let orgs = app.catalog.list_orgs_of(&session.user).await?;
    let names: Vec<&str> = orgs.iter().take(5).map(|org| org.name.as_str()).collect();
    let more = if orgs.len() > names.len() { " and others" } else { "" };
    let asked = parameters.without(&OWN_FIELDS);
    let content = Consent {
        client: &request.client.record.name,
        origin: origin(app, &request.client, &session.user).await?,
        email: person.as_ref().map_or("", |person| person.email.as_str()),
        orgs: format!("{}{more}", names.join(", ")),
        lines: scope::in_words(&request.scope),
        target: &request.redirect_uri,
        form_token: visitor.form_token(),
        fields: asked.pairs(),
    };
    let mut page = Page::new("Allow access", &content);
    if let Some(target) = redirect::form_target(&request.redirect_uri) {
        page = page.form_may_lead_to(&target);
    }
    let mut response = page.into_response();
    visitor.bind_forms(app, &mut response);
    Ok(response)
}

/// What a person should know about where a client comes from.
async fn origin(app: &App, client: &Client, person: &UserId) -> Result<String, OAuthError> {
    let maker = maker(app, client, person).await?;
    let (is_built_in, client) = (client.is_built_in(), &client.record);
    let caution = if client.is_public && (is_built_in || client.org.is_some()) {
        "It runs as a program, which others could have put in its place. Allow it only if you have just started it \
         yourself."
    } else if client.org.is_none() {
        "Allow it only if you have just started it yourself."
    } else {
        ""
    };
    Ok(format!("{maker} {caution}").trim().to_owned())
}

/// Who answers for a client, whose name says that it is whatever it likes to be; nothing of one that is built in.
/// Organisations may have the same name, and any: so what the person is in it comes first, and of a strange one its id.
pub(super) async fn maker(app: &App, client: &Client, person: &UserId) -> Result<String, OAuthError> {
    Ok(match &client.record.org {
        Some(id) => {
            let own = app.catalog.list_orgs_of(person).await?;
            if let Some(org) = own.iter().find(|org| org.id == *id) {
                return Ok(format!("It was set up by an organisation of yours: {}.", org.name));
            }
            let name = app.catalog.find_org(id).await?.map(|org| org.name).unwrap_or_default();
            format!("It was set up by an organisation that you are not a member of: {name} ({id}).")
        }
        None if client.is_built_in() => String::new(),
        None => "It registered itself, and nobody has checked its name.".to_owned(),
    })
}

/// To the sign-in page, which leads back here. A wish to sign in anew becomes the time after which that must happen.
fn to_sign_in(request: &Request, parameters: &Parameters, sender: &Sender) -> Response {
    let mut onward = parameters.clone();
    if request.prompt.login {
        let now = sender.message.now.as_millis().div_euclid(1_000);
        onward = onward.without(&["prompt", SIGNED_IN_AFTER]).with(SIGNED_IN_AFTER, &now.to_string());
        if request.prompt.consent {
            onward = onward.with("prompt", "consent");
        }
    }
    let path = format!("/oauth/authorize?{}", onward.to_query());
    let mut query = Parameters::default().with("return_to", &path);
    if request.prompt.login || request.signed_in_after.is_some() {
        query = query.with("again", "true");
    }
    layout::redirect(&format!("/login?{}", query.to_query()))
}

/// What a person decided, or a request that came as a form.
#[derive(Debug, Deserialize, ToSchema)]
#[expect(
    dead_code,
    reason = "it describes the form; the fields are read by name, so that one given twice is noticed"
)]
pub struct DecisionForm {
    /// `allow` or `deny`.
    decision: Option<String>,
    form_token: Option<String>,
    client_id: Option<String>,
    redirect_uri: Option<String>,
    response_type: Option<String>,
    scope: Option<String>,
    state: Option<String>,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
}

/// Takes a person's decision from the page, or a request in a form, which is sent on to the page.
#[utoipa::path(post, path = "/oauth/authorize", tag = "oauth", operation_id = "decide",
    request_body(content = DecisionForm, content_type = "application/x-www-form-urlencoded"), responses(
    (status = 303, description = "Back to the client, or to the page that asks."),
    (status = 400, body = String, content_type = "text/html", description = "The client or its address is not known."),
    (status = 403, body = String, content_type = "text/html", description = "The form is not one of this browser's."),
    (status = 404, body = ErrorBody, description = "The embedded server is off."),
))]
pub async fn decide(
    State(app): State<Arc<App>>,
    sender: Sender,
    visitor: Visitor,
    PageForm(parameters): PageForm,
) -> Response {
    let asked = parameters.without(&OWN_FIELDS);
    if !parameters.has("decision") {
        return layout::redirect(&format!("/oauth/authorize?{}", asked.to_query()));
    }
    let token = parameters.one("form_token").ok().flatten().unwrap_or_default();
    let Some(session) = visitor.session.as_ref().filter(|_| visitor.may_send_form(&app, token)) else {
        return stale_form();
    };
    let request = match authorize::read(&app, &asked).await {
        Ok(request) => request,
        Err(failure) => return failed(failure),
    };
    // The page is shown only after this was so.
    if request.prompt.none || !request.accepts_session(session.begun) {
        return stale_form();
    }
    if parameters.one("decision") != Ok(Some("allow")) {
        client_auth::note_refusal(&app, &sender.message, "POST /oauth/authorize", "denied by the person");
        return to_client(&request.refusal(&app, ErrorCode::AccessDenied, "the person did not allow it"));
    }
    match request.allow(&app, (&session.user, session.begun), true, &sender.message).await {
        Ok(address) => to_client(&address),
        Err(error) => failed(Failure::Page(error)),
    }
}

/// A form that does not come from a page of this browser's session.
pub fn stale_form() -> Response {
    let text = "The page was open for too long, or was not shown by this service. Go back to the program and begin again.";
    Message { title: "Nothing was allowed", text, action: None }.respond(StatusCode::FORBIDDEN)
}

fn failed(failure: Failure) -> Response {
    match failure {
        Failure::Redirect(address) => to_client(&address),
        Failure::Page(error) => {
            let status = match error.code {
                ErrorCode::Unavailable | ErrorCode::TooMany => StatusCode::SERVICE_UNAVAILABLE,
                ErrorCode::ServerError => StatusCode::INTERNAL_SERVER_ERROR,
                _ => StatusCode::BAD_REQUEST,
            };
            let text = format!(
                "The program that sent you here asks in a wrong way: {}. Nothing was sent back to it.",
                error.description
            );
            Message { title: "This cannot be allowed", text: &text, action: None }.respond(status)
        }
    }
}

/// To an address of the client that has been checked.
fn to_client(address: &str) -> Response {
    let Ok(location) = HeaderValue::from_str(address) else {
        return ApiError::new(ErrorKind::Internal, "the client's address cannot be used").into_response();
    };
    let headers = [
        (header::LOCATION, location),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    (StatusCode::SEE_OTHER, headers).into_response()
}
