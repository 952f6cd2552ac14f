//! The pages that people see in a browser: server-rendered, without script, with one stylesheet. Each page has a file
//! below; what they share is in `layout`, `visitor` and `form`, and here are the few sentences that several of them say.

pub mod account;
pub mod assets;
pub mod cookies;
pub mod form;
pub mod layout;
pub mod login;
pub mod return_to;
pub mod setup;
pub mod visitor;
pub mod words;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use tidegauge_auth::Access;
use tidegauge_model::Timestamp;
use utoipa_axum::routes;

use super::api::{Api, Versions};
use layout::{Action, Message};

/// What is said about a form that is not bound to the browser that sends it.
pub const STALE_FORM: &str =
    "This page was open for too long, or cookies are switched off. Please try again.";

/// The routes of the pages. Whoever calls them is a browser, which is sent to sign in where that is needed.
pub fn routes(api: Api) -> Api {
    api.add(Versions::None, Access::Public, routes!(login::login_page))
        .add(Versions::None, Access::Public, routes!(login::login))
        .add(Versions::None, Access::Public, routes!(login::logout))
        .add(Versions::None, Access::Public, routes!(setup::setup_page))
        .add(Versions::None, Access::Public, routes!(setup::use_link))
        .add(Versions::None, Access::Public, routes!(account::account_page))
        .add(Versions::None, Access::Public, routes!(account::change_password))
        .add(Versions::None, Access::Public, routes!(account::end_sessions))
}

/// Answers a form that is not bound to the browser that sends it.
pub fn out_of_date(page: &str) -> Response {
    let action = Some(Action { path: page, label: "Back to the page" });
    Message { title: "Nothing was done", text: STALE_FORM, action }.respond(StatusCode::FORBIDDEN)
}

fn wait_text(until: Timestamp, now: Timestamp) -> String {
    format!("There were too many failed attempts. Try again in {}.", words::until(until, now))
}

fn retry_after(response: &mut Response, until: Timestamp, now: Timestamp) {
    let seconds = until.as_micros().saturating_sub(now.as_micros()).max(0).div_euclid(1_000_000) + 1;
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
}
