//! Signing in from the command line against the real service: its pages are filled in as a person would in a browser.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStderr, Output, Stdio};

use reqwest::header::{COOKIE, HeaderMap, LOCATION, SET_COOKIE};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use serde_json::Value;

use crate::database::Backend;
use crate::process::{Installation, Service, client};

pub(crate) const OWNER: &str = "owner@localhost.localdomain";
pub(crate) const PASSWORD: &str = "four words of mine, salted";

/// A browser without scripts: it keeps cookies, and follows where it is sent.
pub(crate) struct Browser {
    client: Client,
    pub cookies: BTreeMap<String, String>,
    at: Url,
}

/// A page, or the answer of whatever the browser was sent to.
pub(crate) struct Page {
    pub status: u16,
    pub text: String,
}

impl Browser {
    pub(crate) fn new(service: &Service) -> Self {
        client();
        let client = Client::builder().no_proxy().redirect(Policy::none()).build().unwrap();
        Self { client, cookies: BTreeMap::new(), at: Url::parse(&service.url).unwrap() }
    }

    pub(crate) async fn visit(&mut self, address: &str) -> Page {
        self.load(address, None).await
    }

    /// Sends the form of a page with these fields beside the hidden ones.
    pub(crate) async fn submit(&mut self, page: &Page, fields: &[(&str, &str)]) -> Page {
        let form = page.text.split_once("<form").unwrap_or_else(|| panic!("no form: {}", page.text)).1;
        let action = attribute(form.split_once('>').unwrap().0, "action").unwrap();
        let mut values: Vec<(String, String)> = Vec::new();
        for input in form.split("<input ").skip(1).map(|rest| rest.split_once('>').unwrap().0) {
            if attribute(input, "type").as_deref() == Some("hidden") {
                values
                    .push((attribute(input, "name").unwrap(), attribute(input, "value").unwrap_or_default()));
            }
        }
        values.extend(fields.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
        self.load(&action, Some(&values)).await
    }

    async fn load(&mut self, address: &str, form: Option<&[(String, String)]>) -> Page {
        let mut url = self.at.join(address).unwrap();
        let mut form =
            form.map(|form| url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish());
        for _ in 0..10 {
            let request = match form.take() {
                None => self.client.get(url.clone()),
                Some(body) => self
                    .client
                    .post(url.clone())
                    .header("content-type", "application/x-www-form-urlencoded")
                    .header("origin", url.origin().ascii_serialization())
                    .body(body),
            };
            let cookies: Vec<String> =
                self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            // The cookies belong to the service, and not to the port of the command line.
            let request = match url.origin() == self.at.origin() {
                true => request.header(COOKIE, cookies.join("; ")),
                false => request,
            };
            let response = request.send().await.unwrap();
            self.keep_cookies(response.headers());
            match response.headers().get(LOCATION) {
                Some(next) => url = url.join(next.to_str().unwrap()).unwrap(),
                None => {
                    let status = response.status().as_u16();
                    return Page { status, text: response.text().await.unwrap() };
                }
            }
        }
        panic!("sent in circles, last to {url}");
    }

    fn keep_cookies(&mut self, headers: &HeaderMap) {
        for cookie in headers.get_all(SET_COOKIE) {
            let pair = cookie.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
    }
}

/// The value of an attribute in a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let value = tag.split_once(&format!("{name}=\""))?.1.split_once('"')?.0;
    let plain =
        [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&"), ("&amp;", "&")];
    Some(plain.iter().fold(value.to_owned(), |text, (escaped, sign)| text.replace(escaped, sign)))
}

/// A command of a user who has nothing to do with the data folder.
struct Terminal<'a> {
    installation: &'a Installation,
    url: &'a str,
}

impl Terminal<'_> {
    fn start(&self, arguments: &[&str]) -> Child {
        Installation::bare_command()
            .args(arguments)
            .args(["--url", self.url])
            .env("HOME", self.installation.path("home"))
            .env_remove("XDG_CONFIG_HOME")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.start(arguments).wait_with_output().unwrap()
    }

    fn answer(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn failure(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8(output.stderr).unwrap()
    }

    /// What is kept of the sign-in.
    fn kept(&self) -> Value {
        let path = self.installation.path("home").join(".config/tidegauge/credentials.json");
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let content: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        content["servers"][self.url].clone()
    }
}

/// The line that a command shows with a text in it, without the spaces around it.
fn shown(errors: &mut BufReader<ChildStderr>, is_it: impl Fn(&str) -> bool) -> String {
    let mut seen = String::new();
    loop {
        let mut line = String::new();
        assert!(errors.read_line(&mut line).unwrap() > 0, "it was not shown: {seen}");
        if is_it(line.trim()) {
            return line.trim().to_owned();
        }
        seen.push_str(&line);
    }
}

/// What a command that signs in said at its end.
fn finished(mut child: Child, mut errors: BufReader<ChildStderr>) -> String {
    let (mut told, mut answer) = (String::new(), String::new());
    errors.read_to_string(&mut told).unwrap();
    child.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
    assert!(child.wait().unwrap().success(), "{told}");
    answer
}

/// Sets the owner's password by a one-time link; the browser is signed in after that.
async fn set_password(installation: &Installation, browser: &mut Browser) {
    let link = installation.answer(&["user", "link", OWNER]);
    let page = browser.visit(Url::parse(&link).unwrap().path()).await;
    assert_eq!(page.status, 200, "{}", page.text);
    let page = browser.submit(&page, &[("password", PASSWORD)]).await;
    assert_eq!(page.status, 200, "{}", page.text);
}

async fn user_status(service: &Service, token: &Value) -> u16 {
    let request = client().get(format!("{}/v2/user", service.url)).bearer_auth(token.as_str().unwrap());
    request.send().await.unwrap().status().as_u16()
}

pub(crate) async fn by_browser(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    set_password(&installation, &mut Browser::new(&service)).await;
    let terminal = Terminal { installation: &installation, url: &service.url };
    assert!(terminal.failure(&["query", "print x = 1"]).contains("tidegauge login"));

    let mut child = terminal.start(&["login", "--no-browser"]);
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let address = shown(&mut errors, |line| line.starts_with("http"));
    let mut browser = Browser::new(&service);
    let login = browser.visit(&address).await;
    let consent = browser.submit(&login, &[("email", OWNER), ("password", PASSWORD)]).await;
    assert!(consent.text.contains("Tidegauge command line"), "{}", consent.text);
    let end = browser.submit(&consent, &[("decision", "allow")]).await;
    assert!(end.text.contains("You are signed in"), "{}", end.text);
    let answer = finished(child, errors);
    assert!(
        answer.contains(&format!("signed in at {} as ", service.url)) && answer.contains(OWNER),
        "{answer}"
    );

    assert!(terminal.answer(&["whoami"]).contains("owner in "));
    assert_eq!(terminal.answer(&["query", "print x = 1", "--format", "csv"]), "x\n1\n");
    let kept = terminal.kept();
    assert_eq!(user_status(&service, &kept["accessToken"]).await, 200);

    // An access token that is about to end is renewed, and what renewed it is used up.
    expire(&installation, &service);
    assert!(terminal.answer(&["whoami"]).contains(OWNER));
    let renewed = terminal.kept();
    assert_ne!(renewed["accessToken"], kept["accessToken"]);
    assert_ne!(renewed["refreshToken"], kept["refreshToken"]);

    assert!(terminal.answer(&["logout"]).contains("signed out"));
    assert_eq!(user_status(&service, &renewed["accessToken"]).await, 401);
    assert!(terminal.kept().is_null());
    assert!(terminal.failure(&["whoami"]).contains("tidegauge login"));
    assert!(terminal.failure(&["logout"]).contains("nobody is signed in"));
}

/// Lets the kept access token end, as if its ten minutes had passed.
fn expire(installation: &Installation, service: &Service) {
    let path = installation.path("home").join(".config/tidegauge/credentials.json");
    let mut content: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    content["servers"][&service.url]["expiresAt"] = "2020-01-01T00:00:00Z".into();
    std::fs::write(&path, content.to_string()).unwrap();
}

pub(crate) async fn by_device(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let mut browser = Browser::new(&service);
    set_password(&installation, &mut browser).await;
    let terminal = Terminal { installation: &installation, url: &service.url };
    for decision in ["deny", "allow"] {
        let mut child = terminal.start(&["login", "--device", "--scope", "query|read users|read"]);
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let code = shown(&mut errors, |line| line.len() == 9 && line.as_bytes()[4] == b'-');
        let page = browser.visit("/device").await;
        let confirm = browser.submit(&page, &[("user_code", &code)]).await;
        assert!(confirm.text.contains(&code), "{}", confirm.text);
        browser.submit(&confirm, &[("decision", decision)]).await;
        if decision == "allow" {
            assert!(finished(child, errors).contains("signed in at"));
        } else {
            let mut told = String::new();
            errors.read_to_string(&mut told).unwrap();
            assert!(!child.wait().unwrap().success() && told.contains("refused in the browser"), "{told}");
        }
    }
    // The owner may do more than the tokens were asked for.
    let token = terminal.kept()["accessToken"].as_str().unwrap().to_owned();
    for (path, status) in [("/v2/users", 200), ("/v2/notifiers", 403)] {
        let answer = client().get(format!("{}{path}", service.url)).bearer_auth(&token).send().await.unwrap();
        assert_eq!(answer.status(), status, "{path}");
    }
}
