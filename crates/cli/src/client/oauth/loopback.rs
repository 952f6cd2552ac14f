//! Waits on this machine for the browser to come back with the answer of an authorisation server (RFC 8252). Whatever
//! else calls the port is sent away and does not end the waiting.

use std::time::Duration;

use anyhow::{Context, bail};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use reqwest::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::http::printable;

const PATH: &str = "/callback";

/// Longest head of a request.
const HEAD_BYTES_MAX: usize = 16 * 1024;

/// How long a connection may be silent.
const SILENCE_MAX: Duration = Duration::from_secs(30);

/// Connections that are open at once.
const CONNECTIONS_MAX: usize = 16;

/// What an answer must fit.
#[derive(Debug)]
pub struct Expected<'a> {
    pub state: &'a str,
    pub issuer: &'a str,
    /// Whether the server always names itself in its answers.
    pub names_issuer: bool,
}

/// An open port that the browser is sent back to.
#[derive(Debug)]
pub struct Loopback {
    listener: TcpListener,
    port: u16,
}

impl Loopback {
    pub async fn open() -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.context("opening a port for the browser")?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    pub fn redirect_uri(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for the answer and gives its code.
    pub async fn code(&self, expected: &Expected<'_>) -> anyhow::Result<String> {
        let mut connections = FuturesUnordered::new();
        loop {
            // A browser opens connections ahead and leaves them silent, so one must not keep the others waiting.
            tokio::select! {
                accepted = self.listener.accept(), if connections.len() < CONNECTIONS_MAX => {
                    if let Ok((stream, _)) = accepted {
                        connections.push(tokio::time::timeout(SILENCE_MAX, serve(stream, expected)));
                    }
                }
                Some(served) = connections.next() => {
                    if let Ok(Some(outcome)) = served {
                        return outcome;
                    }
                }
            }
        }
    }
}

/// Answers one request; `None` if it was not the one that is waited for.
async fn serve(mut stream: TcpStream, expected: &Expected<'_>) -> Option<anyhow::Result<String>> {
    let target = read_target(&mut stream).await?;
    let (status, text, outcome) = match answer(&target, expected) {
        Answer::NotIt(status, text) => (status, text.to_owned(), None),
        Answer::Code(code) => {
            let text = "You are signed in. You can close this window and go back to the terminal.";
            ("200 OK", text.to_owned(), Some(Ok(code)))
        }
        Answer::Failed(error) => {
            let text = format!("Signing in did not succeed: {error}.");
            ("400 Bad Request", text, Some(Err(error)))
        }
    };
    let page = page(&text);
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\n\
         cache-control: no-store\r\nreferrer-policy: no-referrer\r\nx-content-type-options: nosniff\r\n\
         content-security-policy: default-src 'none'; frame-ancestors 'none'\r\nconnection: close\r\n\r\n",
        page.len()
    );
    // Whether the page is seen does not matter for the sign-in.
    let _ = stream.write_all(format!("{head}{page}").as_bytes()).await;
    let _ = stream.shutdown().await;
    outcome
}

/// The target of a GET, or `None` if it is anything else.
async fn read_target(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let mut piece = [0; 1024];
        let count = stream.read(&mut piece).await.ok().filter(|&count| count > 0)?;
        head.extend_from_slice(&piece[..count]);
        if head.len() > HEAD_BYTES_MAX {
            return None;
        }
    }
    let head = String::from_utf8(head).ok()?;
    let mut line = head.lines().next()?.split(' ');
    (line.next()? == "GET").then(|| line.next().map(str::to_owned))?
}

#[derive(Debug)]
enum Answer {
    NotIt(&'static str, &'static str),
    Code(String),
    Failed(anyhow::Error),
}

fn answer(target: &str, expected: &Expected<'_>) -> Answer {
    let Ok(url) = Url::parse(&format!("http://127.0.0.1{target}")) else {
        return Answer::NotIt("400 Bad Request", "That is no address.");
    };
    if url.path() != PATH {
        return Answer::NotIt("404 Not Found", "There is nothing here.");
    }
    let one = |name: &str| {
        let mut found = url.query_pairs().filter(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        // What stands there twice could be read in two ways.
        found.next().filter(|_| found.next().is_none())
    };
    if one("state").as_deref() != Some(expected.state) {
        // Any page can send a browser here; only the server knows the state.
        return Answer::NotIt("400 Bad Request", "This does not belong to the sign-in that is under way.");
    }
    match read_code(&one, expected) {
        Ok(code) => Answer::Code(code),
        Err(error) => Answer::Failed(error),
    }
}

fn read_code(one: &impl Fn(&str) -> Option<String>, expected: &Expected<'_>) -> anyhow::Result<String> {
    match one("iss") {
        Some(issuer) if issuer != expected.issuer => {
            bail!("the answer is that of another server, {}", printable(&issuer))
        }
        None if expected.names_issuer => bail!("the answer does not name its server"),
        _ => {}
    }
    if let Some(error) = one("error") {
        let description = one("error_description").map(|text| format!(": {text}")).unwrap_or_default();
        bail!("{}", printable(&format!("the server answered {error}{description}")));
    }
    one("code").filter(|code| !code.is_empty()).context("the answer holds no code")
}

fn page(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    format!("<!doctype html><html lang=\"en\"><title>Tidegauge</title><p>{escaped}</p></html>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(target: &str, names_issuer: bool) -> String {
        let expected = Expected { state: "s1", issuer: "https://issuer", names_issuer };
        match answer(target, &expected) {
            Answer::NotIt(status, _) => format!("not it: {status}"),
            Answer::Code(code) => format!("code {code}"),
            Answer::Failed(error) => format!("failed: {error}"),
        }
    }

    #[test]
    fn only_the_answer_that_is_waited_for_counts() {
        for (target, expected) in [
            ("/callback?code=c&state=s1", "code c"),
            ("/callback?code=a%20b&state=s1&iss=https%3A%2F%2Fissuer", "code a b"),
            ("/favicon.ico", "not it: 404 Not Found"),
            ("/callback", "not it: 400 Bad Request"),
            ("/callback?code=c&state=s2", "not it: 400 Bad Request"),
            ("/callback?code=c&state=s1&state=s1", "not it: 400 Bad Request"),
            ("/callback?code=c&code=d&state=s1", "failed: the answer holds no code"),
            ("/callback?code=&state=s1", "failed: the answer holds no code"),
            (
                "/callback?code=c&state=s1&iss=https%3A%2F%2Fother",
                "failed: the answer is that of another server, https://other",
            ),
            (
                "/callback?error=access_denied&error_description=no%0Ano&state=s1",
                "failed: the server answered access_denied: nono",
            ),
        ] {
            assert_eq!(outcome(target, false), expected, "{target}");
        }
        assert_eq!(outcome("/callback?code=c&state=s1", true), "failed: the answer does not name its server");
        assert_eq!(outcome("/callback?code=c&state=s1&iss=https%3A%2F%2Fissuer", true), "code c");
    }

    #[test]
    fn a_page_shows_text_and_runs_none() {
        assert!(page("<script>\"&").contains("&lt;script&gt;&quot;&amp;"));
    }
}
