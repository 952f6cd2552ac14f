//! Errors in the words for people: a message with its causes, without the layers of the library that speaks HTTP.
//! Those are left in the error for who asks for everything.

use std::error::Error;

use reqwest::Url;

/// The message and its causes in one text, down to where the library for HTTP begins to speak of itself.
pub fn plain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        if cause.is::<reqwest::Error>() {
            break;
        }
        let cause = cause.to_string();
        // Some errors tell their cause themselves.
        if !text.ends_with(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

/// Who listens there speaks something else than the address says: to try again does not help.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct WrongScheme(String);

/// Says which server did not answer and why. In the error is a [`WrongScheme`] if it is that.
pub(crate) fn not_reached(address: &Url, error: reqwest::Error) -> anyhow::Error {
    let server = address.origin().ascii_serialization();
    let error = error.without_url();
    let reason = innermost(&error);
    if let Some((other, scheme)) = spoken_instead(address.scheme(), &reason) {
        let text = format!(
            "the server at {server} {other}\n  hint: --url or TIDEGAUGE_URL may have to begin with {scheme}"
        );
        return anyhow::Error::new(error).context(WrongScheme(text));
    }
    let text = if error.is_connect() {
        format!(
            "the server at {server} was not reached: {reason}\n  hint: see that it runs; --url or TIDEGAUGE_URL names \
             another"
        )
    } else if error.is_timeout() {
        format!("the server at {server} did not answer in time")
    } else {
        format!("the server at {server} did not answer: {reason}")
    };
    anyhow::Error::new(error).context(text)
}

/// What happened in the end, such as a refused connection.
fn innermost(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let text = innermost.to_string();
    match text.split_once(" (os error ") {
        Some((reason, _)) => reason.to_lowercase(),
        None => text,
    }
}

/// What a server does that does not speak what was tried, and how its address may begin.
fn spoken_instead(tried: &str, reason: &str) -> Option<(&'static str, &'static str)> {
    match tried {
        // The words of the library for TLS about an answer in plain HTTP.
        "https" if reason.contains("InvalidContentType") => Some(("does not speak TLS", "http://")),
        // The words of the library for HTTP about an answer in something else, such as an alert of TLS.
        "http" if reason.contains("invalid HTTP version") => Some(("does not speak plain HTTP", "https://")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let error = anyhow!("no such file").context("reading a: no such file").context("reading");
        assert_eq!(plain(&error), "reading: reading a: no such file");
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_is_named() {
        // Nobody listens on a port that was just given back.
        let port = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let url = Url::parse(&format!("http://127.0.0.1:{port}/v1/secret")).unwrap();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let error = not_reached(&url, client.get(url.clone()).send().await.unwrap_err());
        let told = format!("the server at http://127.0.0.1:{port} was not reached: connection refused\n");
        assert!(plain(&error).starts_with(&told), "{}", plain(&error));
        assert!(!plain(&error).contains("error sending request"), "{}", plain(&error));
        assert!(format!("{error:?}").contains("error sending request"), "{error:?}");
    }

    /// A port where whatever is asked is answered with these bytes.
    async fn port_that_says(bytes: &'static [u8]) -> u16 {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio_util::task::TaskTracker::new().spawn(async move {
            while let Ok((mut connection, _)) = listener.accept().await {
                let mut asked = vec![0; 1 << 16];
                let _ = connection.read(&mut asked).await;
                let _ = connection.write_all(bytes).await;
            }
        });
        port
    }

    #[tokio::test]
    async fn a_server_that_speaks_something_else_is_told_with_its_scheme() {
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let answer: &'static [u8] = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
        let alert: &'static [u8] = &[21, 3, 3, 0, 2, 2, 50];
        for (bytes, tried, scheme) in [(answer, "https", "http://"), (alert, "http", "https://")] {
            let port = port_that_says(bytes).await;
            let url = Url::parse(&format!("{tried}://127.0.0.1:{port}/v1")).unwrap();
            let error = not_reached(&url, client.get(url.clone()).send().await.unwrap_err());
            assert!(error.is::<WrongScheme>(), "{error:?}");
            let told = plain(&error);
            assert!(
                told.starts_with(&format!("the server at {tried}://127.0.0.1:{port} does not")),
                "{told}"
            );
            assert!(told.ends_with(&format!("may have to begin with {scheme}")), "{told}");
        }
    }
}
