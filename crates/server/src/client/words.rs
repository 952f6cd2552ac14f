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

/// Says which server did not answer and why.
pub(crate) fn not_reached(address: &Url, error: reqwest::Error) -> anyhow::Error {
    let server = address.origin().ascii_serialization();
    let error = error.without_url();
    let text = if error.is_connect() {
        let reason = innermost(&error);
        format!(
            "the server at {server} was not reached: {reason}\n  hint: see that it runs; --url or TIDEGAUGE_URL names \
             another"
        )
    } else if error.is_timeout() {
        format!("the server at {server} did not answer in time")
    } else {
        format!("the server at {server} did not answer: {}", innermost(&error))
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
        // The words of the library for TLS about an answer in plain HTTP.
        None if text.contains("InvalidContentType") => {
            "it does not speak TLS; its address may begin with http://".to_owned()
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

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
}
