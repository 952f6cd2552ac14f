//! Where a browser goes on after signing in: to a path of this service and nowhere else, whatever the address of the
//! sign-in page says.

use tidegauge_app::App;
use tidegauge_app::service::oauth::known_clients;
use tidegauge_auth::embedded::redirect;
use url::Url;

/// Longest path; a request for authorisation has a long one.
const LENGTH_MAX: usize = 8_192;

/// The path, if it leads to a place on this service. Browsers read `\` as `/` and leave tabs and line ends out, so that
/// a text with any of these, or with anything that is not printable ASCII, is none.
pub fn local_path(text: &str) -> Option<&str> {
    let is_plain =
        text.len() <= LENGTH_MAX && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    (is_plain && text.starts_with('/') && !text.starts_with("//")).then_some(text)
}

/// Where the answer to the form of the sign-in page may lead at last: a path of an authorisation request leads on to its
/// client, at an address that the client has registered. The text is the origin or, for a scheme of a client's own, the
/// scheme.
pub async fn further_target(app: &App, path: &str) -> Option<String> {
    let url = Url::parse(app.public_url.as_str()).ok()?.join(path).ok()?;
    if url.path() != "/oauth/authorize" {
        return None;
    }
    let value = |wanted: &str| url.query_pairs().find(|(name, _)| name == wanted).map(|(_, value)| value);
    let (client, address) = (value("client_id")?, value("redirect_uri")?);
    // The page can do without: then the browser asks before it goes on.
    let client = known_clients::find(app, &client).await.ok().flatten()?;
    client.takes_redirect(&address).then(|| redirect::form_target(&address)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_this_service_are_gone_to() {
        for path in [
            "/",
            "/account",
            "/oauth/authorize?client_id=x&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb",
            "/a//b",
        ] {
            assert_eq!(local_path(path), Some(path));
        }
        let long = format!("/{}", "x".repeat(LENGTH_MAX));
        for trick in [
            "",
            "account",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "\\/evil.example",
            "\\\\evil.example",
            "/a\\b",
            "https://evil.example",
            "https:evil.example",
            "javascript:alert(1)",
            "data:text/html,x",
            " //evil.example",
            " /account",
            "\t//evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            "/\r\nset-cookie: x=y",
            "/\0",
            "/\u{7f}",
            "/ü",
            "/\u{2028}",
            "/a b",
            "?x",
            "#x",
            "@evil.example",
            ".//evil.example",
            &long,
        ] {
            assert_eq!(local_path(trick), None, "{trick:?}");
            // What is refused here would really have been able to lead away, or is no path at all.
        }
    }

    #[test]
    fn whatever_is_allowed_stays_on_this_origin() {
        let base = Url::parse("https://events.example.com/login").unwrap();
        for path in [
            "/",
            "/.//evil.example",
            "/..//evil.example",
            "/%2f/evil.example",
            "/%5cevil.example",
            "/@evil",
            "/:80",
        ] {
            let path = local_path(path).unwrap();
            assert_eq!(base.join(path).unwrap().origin(), base.origin(), "{path}");
        }
    }
}
