//! What every page has: the frame around its content, and the headers that keep browsers from showing it in a frame,
//! keeping it, running a script in it or telling others where its reader came from.

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use tidegauge_model::ErrorKind;
use tidegauge_web::error::ApiError;

use super::assets;

#[derive(Template)]
#[template(path = "layout.html")]
struct Layout<'a> {
    title: &'a str,
    stylesheet: String,
    icon: String,
    is_wide: bool,
    /// What was rendered from a template, which has escaped all that it was given.
    content: &'a str,
}

/// A page on its way to the browser.
#[derive(Debug)]
pub struct Page {
    title: String,
    content: askama::Result<String>,
    status: StatusCode,
    is_wide: bool,
    form_targets: String,
}

/// Answers with a page: `content` is the template of what stands in it.
pub fn page(title: &str, content: &impl Template) -> Response {
    Page::new(title, content).into_response()
}

impl Page {
    pub fn new(title: &str, content: &impl Template) -> Self {
        Self {
            title: title.to_owned(),
            content: content.render(),
            status: StatusCode::OK,
            is_wide: false,
            form_targets: String::new(),
        }
    }

    #[must_use]
    pub fn status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// For content that needs more room than a form.
    #[must_use]
    pub fn wide(self) -> Self {
        Self { is_wide: true, ..self }
    }

    /// Lets the answer to a form of this page lead to another origin, such as `https://client.example.com`, or to a
    /// scheme of its own, such as `client:`. Some browsers hold redirects after a form to the policy of its page.
    #[must_use]
    pub fn form_may_lead_to(mut self, target: &str) -> Self {
        // Nothing that could end the directive or begin another one.
        if !target.is_empty()
            && target.bytes().all(|byte| byte.is_ascii_graphic() && !b",;'\"".contains(&byte))
        {
            self.form_targets.push(' ');
            self.form_targets.push_str(target);
        }
        self
    }

    fn policy(&self) -> String {
        format!(
            "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'{}; frame-ancestors 'none'; \
             base-uri 'none'",
            self.form_targets
        )
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let policy = self.policy();
        let rendered = self.content.and_then(|content| {
            Layout {
                title: &self.title,
                stylesheet: assets::stylesheet_path(),
                icon: assets::icon_path(),
                is_wide: self.is_wide,
                content: &content,
            }
            .render()
        });
        let mut response = match rendered {
            Ok(text) => (self.status, Html(text)).into_response(),
            Err(error) => {
                tracing::error!(%error, "a page could not be rendered");
                ApiError::new(ErrorKind::Internal, "the page could not be made").into_response()
            }
        };
        let headers = response.headers_mut();
        if let Ok(policy) = HeaderValue::from_str(&policy) {
            headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        keep_private(&mut response);
        response
    }
}

/// Sends the browser on to a path of this service, which is asked for with GET.
pub fn redirect(path: &str) -> Response {
    let Ok(location) = HeaderValue::from_str(path) else {
        return ApiError::new(ErrorKind::Internal, "the page could not be found").into_response();
    };
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response();
    keep_private(&mut response);
    response
}

/// Neither kept by anybody on the way nor told to the page that comes after.
pub(super) fn keep_private(response: &mut Response) {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

/// A page that says one thing.
#[derive(Debug, Template)]
#[template(path = "message.html")]
pub struct Message<'a> {
    pub title: &'a str,
    pub text: &'a str,
    pub action: Option<Action<'a>>,
}

/// Where a reader can go on.
#[derive(Debug)]
pub struct Action<'a> {
    pub path: &'a str,
    pub label: &'a str,
}

impl Message<'_> {
    pub fn respond(&self, status: StatusCode) -> Response {
        Page::new(self.title, self).status(status).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(targets: &[&str]) -> String {
        let content = Message { title: "t", text: "x", action: None };
        targets.iter().fold(Page::new("t", &content), |page, target| page.form_may_lead_to(target)).policy()
    }

    #[test]
    fn a_target_of_forms_is_one_word_of_the_policy() {
        let with = policy(&["http://127.0.0.1:4000", "client:"]);
        assert!(with.contains("form-action 'self' http://127.0.0.1:4000 client:;"), "{with}");
        for trick in ["", "x; script-src *", "a b", "x,y", "'unsafe-inline'", "x\ny", "ä"] {
            assert_eq!(policy(&[trick]), policy(&[]), "{trick}");
        }
    }
}
