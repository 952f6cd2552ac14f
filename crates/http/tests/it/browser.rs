//! A browser in a test: it keeps cookies, loads pages and sends their forms.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, header};

use crate::app::{Answer, TestApp};

/// A password that every rule lets pass.
pub(crate) const PASSWORD: &str = "tide tables and salt";

/// A browser of one person.
pub(crate) struct Browser<'a> {
    pub app: &'a TestApp,
    pub cookies: BTreeMap<String, String>,
    /// From where it comes.
    pub peer: Option<SocketAddr>,
    /// What it sends with every request.
    pub headers: Vec<(&'static str, String)>,
}

impl<'a> Browser<'a> {
    pub(crate) fn new(app: &'a TestApp) -> Self {
        Self { app, cookies: BTreeMap::new(), peer: None, headers: Vec::new() }
    }

    /// A browser whose person has set the owner's password by the link of the first start.
    pub(crate) async fn of_owner(app: &'a TestApp) -> Self {
        let mut browser = Self::new(app);
        let path = format!("/setup/{}", app.owner_link);
        let answer = browser.submit(&path, &path, &[("password", PASSWORD)]).await;
        assert_eq!((answer.status.as_u16(), location(&answer)), (303, "/"), "{answer:?}");
        browser
    }

    /// Sends a request, and keeps the cookies of the answer.
    pub(crate) async fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if !self.cookies.is_empty() {
            let pairs: Vec<String> =
                self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            request = request.header(header::COOKIE, pairs.join("; "));
        }
        let mut request = request.body(Body::from(body)).unwrap();
        if let Some(peer) = self.peer {
            request.extensions_mut().insert(ConnectInfo(peer));
        }
        let answer = Answer::read(self.app.serve(request).await).await;
        self.keep_cookies(&answer);
        answer
    }

    fn keep_cookies(&mut self, answer: &Answer) {
        for line in set_cookies(answer) {
            let (pair, attributes) = line.split_once(';').unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if attributes.contains("Max-Age=0;") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, &[], String::new()).await
    }

    /// Sends fields as a form, and nothing beside them.
    pub(crate) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(fields);
        let kind = ("content-type", "application/x-www-form-urlencoded");
        self.send("POST", path, &[kind], form.finish()).await
    }

    /// Loads a page and sends one of its forms.
    pub(crate) async fn submit(&mut self, page: &str, action: &str, fields: &[(&str, &str)]) -> Answer {
        let token = self.form_token(page).await;
        let mut fields = fields.to_vec();
        fields.push(("form_token", &token));
        self.post(action, &fields).await
    }

    /// The value that a page's forms send back.
    pub(crate) async fn form_token(&mut self, page: &str) -> String {
        let answer = self.get(page).await;
        assert_eq!(answer.status, 200, "{page}: {answer:?}");
        let (_, rest) = answer.text.split_once("name=\"form_token\" value=\"").unwrap();
        rest.split('"').next().unwrap().to_owned()
    }

    pub(crate) async fn sign_in(&mut self, email: &str, password: &str) -> Answer {
        self.submit("/login", "/login", &[("email", email), ("password", password)]).await
    }

    /// Whether somebody is signed in.
    pub(crate) async fn is_signed_in(&mut self) -> bool {
        let answer = self.get("/account").await;
        match answer.status.as_u16() {
            200 => true,
            303 => false,
            _ => panic!("{answer:?}"),
        }
    }

    pub(crate) fn session_cookie(&self) -> &str {
        &self.cookies["tidegauge-session"]
    }
}

/// The lines by which an answer sets cookies.
pub(crate) fn set_cookies(answer: &Answer) -> Vec<&str> {
    answer.headers.get_all(header::SET_COOKIE).iter().map(|value| value.to_str().unwrap()).collect()
}

/// Where an answer sends the browser.
pub(crate) fn location(answer: &Answer) -> &str {
    answer.headers.get(header::LOCATION).map_or("", |value| value.to_str().unwrap())
}

/// What a page says is wrong.
pub(crate) fn problem(answer: &Answer) -> &str {
    let rest = answer.text.split_once("class=\"notice error\" role=\"alert\">").map_or("", |(_, rest)| rest);
    rest.split("</p>").next().unwrap()
}
