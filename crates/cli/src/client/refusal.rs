//! What a server refused, in its own words and with what to do at the command line.

use serde::Deserialize;
use serde_json::Value;

use super::exchange::shown;

/// The body of an error. What a server leaves out is empty.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Refusal {
    pub(super) message: String,
    pub(super) detail: Value,
    pub(super) hint: Option<String>,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Diagnostic {
    picture: Option<String>,
}

impl Refusal {
    /// Reads the body of an error; nothing if it is not one of ours.
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        serde_json::from_slice(body).ok()
    }

    fn asks_for_org(&self, status: u16) -> bool {
        status == 400 && self.message.to_ascii_lowercase().contains("x-axiom-org-id")
    }
}

/// What is told of an answer that is an error.
pub(super) fn text(status: u16, body: &[u8]) -> String {
    let Some(refusal) = Refusal::read(body) else {
        if body.trim_ascii_start().starts_with(b"<") {
            let text = format!("the server answered {status} with a page for people");
            return with_hint(text, Some("see that --url or TIDEGAUGE_URL names a Tidegauge server"));
        }
        return with_hint(format!("the server answered {status}: {}", shown(body)), advice(status));
    };
    if refusal.asks_for_org(status) {
        return "you belong to several organisations: name the one that is meant\n  hint: --org NAME or TIDEGAUGE_ORG \
                does it; `tidegauge whoami` lists them"
            .to_owned();
    }
    let mut text = format!("the server answered {status}: {}", refusal.message);
    let pictures = refusal.diagnostics.iter().filter_map(|diagnostic| diagnostic.picture.as_deref());
    let details = refusal.detail.as_str().into_iter().chain(pictures);
    for line in details.flat_map(str::lines) {
        text.push_str("\n  ");
        text.push_str(line);
    }
    text = with_hint(text, refusal.hint.as_deref());
    with_hint(text, advice(status))
}

/// What to do at the command line, whatever was asked for.
fn advice(status: u16) -> Option<&'static str> {
    match status {
        401 => Some("sign in with `tidegauge login`, or give a token with --token-file or TIDEGAUGE_TOKEN"),
        _ => None,
    }
}

/// The text with a hint below it, if there is one.
pub(super) fn with_hint(mut text: String, hint: Option<&str>) -> String {
    if let Some(hint) = hint {
        text.push_str("\n  hint: ");
        text.push_str(hint);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_told_in_the_words_of_the_server() {
        let body = br#"{"code": 400, "message": "line 1, column 3: no", "hint": "write yes",
            "detail": {"line": 1}, "diagnostics": [{"picture": "a b\n  ^ no"}]}"#;
        let told = "the server answered 400: line 1, column 3: no\n  a b\n    ^ no\n  hint: write yes";
        assert_eq!(text(400, body), told);
        assert_eq!(text(502, b"bad gateway"), "the server answered 502: bad gateway");
        assert_eq!(
            text(502, b"\n<html>"),
            "the server answered 502 with a page for people\n  hint: see that --url or TIDEGAUGE_URL names a \
             Tidegauge server"
        );
        assert_eq!(
            text(401, br#"{"code": 401, "message": "forbidden"}"#),
            "the server answered 401: forbidden\n  hint: sign in with `tidegauge login`, or give a token with \
             --token-file or TIDEGAUGE_TOKEN"
        );
    }

    #[test]
    fn whoever_is_in_several_organisations_hears_of_the_flag() {
        let refused = tidegauge_auth::Refusal::OrgNotNamed.to_string();
        let body = serde_json::json!({"code": 400, "message": refused}).to_string();
        let told = text(400, body.as_bytes());
        assert!(told.contains("--org NAME or TIDEGAUGE_ORG") && !told.contains("header"), "{told}");
    }
}
