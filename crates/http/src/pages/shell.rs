//! The page of the web interface, for a fixed list of paths: everything else on it is done by its script, which calls
//! the interface for programs. The page carries the token that proves those calls to be its own, and a policy under
//! which no other script runs. Who is not signed in is sent to do so.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use tidegauge_app::App;
use tidegauge_auth::Access;
use tidegauge_model::rng;
use tidegauge_webui as webui;
use utoipa_axum::router::UtoipaMethodRouter;
use utoipa_axum::routes;

use super::layout::{Action, Message, keep_private, redirect};
use super::return_to::local_path;
use super::visitor::Visitor;
use crate::api::{Api, Versions};
use crate::resources::endpoints::elastic;

/// Where the screens of the interface are.
const SCREENS: &[&str] = &[
    "/",
    "/explore",
    "/stream",
    "/dashboards",
    "/datasets",
    "/queries",
    "/start",
    "/monitors",
    "/notifiers",
    "/endpoints",
    "/tokens",
    "/people",
    "/settings",
    "/traces",
];

/// The routes that the interface can do without, by the names that its page knows them by.
const ROUTES: &[&str] = &[
    "done-event",
    "partial-answers",
    "history-list",
    "preferences",
    "capabilities",
    "field-statistics",
    "tail",
    "estimate",
    "answers",
    "exports",
    "monitor-states",
    "token-usage",
    "org-usage",
    "demo-events",
];

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// The routes of the page.
pub fn routes(api: Api) -> Api {
    let screens = SCREENS.iter().map(|path| at(path, routes!(screen)));
    let of_one = [
        routes!(screen_of_one),
        routes!(screen_of_dashboard),
        routes!(screen_of_monitor),
        routes!(screen_of_notifier),
        routes!(screen_of_endpoint),
    ];
    let screens = screens.chain(of_one);
    screens.fold(api, |api, route| api.add(Versions::None, Access::Public, route))
}

/// The same handler at another path, with an id of its own in the API document.
fn at(path: &str, route: UtoipaMethodRouter<Arc<App>>) -> UtoipaMethodRouter<Arc<App>> {
    let (schemas, mut paths, handler) = route;
    let items = std::mem::take(&mut paths.paths);
    for (_, mut item) in items {
        if let Some(operation) = &mut item.get {
            let name = if path == "/" { "home" } else { &path[1..] };
            operation.operation_id = Some(format!("screen_{name}"));
        }
        paths.paths.insert(path.to_owned(), item);
    }
    (schemas, paths, handler)
}

/// A screen of the web interface.
#[utoipa::path(get, path = "/", tag = "pages", responses(
    (status = 200, content((String = "text/html"), (Object = "application/json"))),
    (status = 303, description = "Nobody is signed in."),
))]
pub async fn screen(State(app): State<Arc<App>>, visitor: Visitor, request: Request) -> Response {
    // Clients of Elasticsearch look at the root before they send; they want no page.
    match elastic::probe(&app.elastic_version, &request).filter(|_| visitor.session.is_none()) {
        Some(told) => told,
        None => answer(&app, &visitor, request.uri()),
    }
}

/// The screen of one dataset. Whether there is such a one is told on it.
#[utoipa::path(get, path = "/datasets/{name}", tag = "pages", params(("name" = String, Path)), responses(
    (status = 200, body = String, content_type = "text/html"),
    (status = 303, description = "Nobody is signed in."),
))]
pub async fn screen_of_one(State(app): State<Arc<App>>, visitor: Visitor, uri: Uri) -> Response {
    answer(&app, &visitor, &uri)
}

/// The screen of one monitor.
#[utoipa::path(get, path = "/monitors/{id}", tag = "pages", operation_id = "screen_of_monitor",
    params(("id" = String, Path)), responses(
    (status = 200, body = String, content_type = "text/html"),
    (status = 303, description = "Nobody is signed in."),
))]
pub async fn screen_of_monitor(State(app): State<Arc<App>>, visitor: Visitor, uri: Uri) -> Response {
    answer(&app, &visitor, &uri)
}

/// The screen of one notifier.
#[utoipa::path(get, path = "/notifiers/{id}", tag = "pages", operation_id = "screen_of_notifier",
    params(("id" = String, Path)), responses(
    (status = 200, body = String, content_type = "text/html"),
    (status = 303, description = "Nobody is signed in."),
))]
pub async fn screen_of_notifier(State(app): State<Arc<App>>, visitor: Visitor, uri: Uri) -> Response {
    answer(&app, &visitor, &uri)
}

/// The screen of one endpoint.
#[utoipa::path(get, path = "/endpoints/{id}", tag = "pages", operation_id = "screen_of_endpoint",
    params(("id" = String, Path)), responses(
    (status = 200, body = String, content_type = "text/html"),
    (status = 303, description = "Nobody is signed in."),
))]
pub async fn screen_of_endpoint(State(app): State<Arc<App>>, visitor: Visitor, uri: Uri) -> Response {
    answer(&app, &visitor, &uri)
}

/// The screen of one dashboard. Whether there is such a one is told on it.
#[utoipa::path(get, path = "/dashboards/{uid}", tag = "pages", params(("uid" = String, Path)), responses(
    (status = 200, body = String, content_type = "text/html"),
    (status = 303, description = "Nobody is signed in."),
))]
pub async fn screen_of_dashboard(State(app): State<Arc<App>>, visitor: Visitor, uri: Uri) -> Response {
    answer(&app, &visitor, &uri)
}

fn answer(app: &App, visitor: &Visitor, uri: &Uri) -> Response {
    if visitor.session.is_none() {
        return redirect(&sign_in_and_return(uri));
    }
    match webui::page() {
        Some(page) => filled_in(page, &visitor.form_token(), &new_nonce(app)),
        None => not_built(),
    }
}

/// The way to sign in that leads back here.
fn sign_in_and_return(uri: &Uri) -> String {
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    match local_path(path) {
        Some(path) => {
            let target: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
            format!("/login?return_to={target}")
        }
        None => "/login".to_owned(),
    }
}

fn filled_in(page: &str, form_token: &str, nonce: &str) -> Response {
    // None of these has a character that means something in HTML.
    let text = page
        .replace(webui::FORM_TOKEN, form_token)
        .replace(webui::STYLE_NONCE, nonce)
        .replace(webui::ROUTES, &ROUTES.join(" "));
    let mut response = Html(text).into_response();
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy(nonce)) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
    keep_private(&mut response);
    response
}

/// What the page may load and run: files of this service alone, and the styles that its editor writes. A text becomes
/// HTML or a script's address only by the two policies that are named here.
fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; \
         font-src 'self'; connect-src 'self'; worker-src 'self'; form-action 'self'; frame-ancestors 'none'; \
         base-uri 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html tidegauge"
    )
}

fn new_nonce(app: &App) -> String {
    format!("{:032x}", u128::from_le_bytes(rng::bytes::<16>(&*app.rng)))
}

fn not_built() -> Response {
    let text = "This binary was built without its web interface, because Node was missing. Install Node from 20.19 with \
        npm, or let the machine reach the registry of npm, then start with “make run” again. The interface for programs \
        and the command line work as they are.";
    let action = Some(Action { path: "/account", label: "Your account" });
    Message { title: "The web interface is not built", text, action }.respond(StatusCode::OK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_signs_in_comes_back_to_the_same_screen() {
        let to = |text: &str| sign_in_and_return(&text.parse().unwrap());
        assert_eq!(to("/"), "/login?return_to=%2F");
        assert_eq!(
            to("/explore?q=a%20%7C%20b&to=now"),
            "/login?return_to=%2Fexplore%3Fq%3Da%2520%257C%2520b%26to%3Dnow"
        );
        assert_eq!(to(&format!("/explore?q={}", "x".repeat(9_000))), "/login");
    }

    #[tokio::test]
    async fn without_the_interface_the_page_says_what_to_install() {
        let response = not_built();
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["cache-control"], "no-store");
        let text = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
        let text = String::from_utf8(text.to_vec()).unwrap();
        assert!(text.contains("Install Node from 20.19") && text.contains("/account"), "{text}");
    }

    #[test]
    fn the_page_is_filled_in_and_runs_no_script_but_its_own() {
        let page = "<meta content=\"{{form_token}}\"><meta content=\"{{style_nonce}}\"><i>{{routes}}</i>";
        let response = filled_in(page, "secret", "abc");
        let policy = response.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("script-src 'self';") && policy.contains("'nonce-abc'"), "{policy}");
        assert!(
            policy.contains("require-trusted-types-for 'script'") && !policy.contains("unsafe"),
            "{policy}"
        );
        assert_eq!(response.headers()["cache-control"], "no-store");
    }
}
