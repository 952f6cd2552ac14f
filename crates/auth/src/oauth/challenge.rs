//! How a refusal is said in the header `WWW-Authenticate`: RFC 6750 for bearer tokens, RFC 9449 for bound ones, with
//! the address of the description of RFC 9728, by which a client finds out where to get a token.

use std::fmt;

use super::algorithms;
use super::dpop;

/// One challenge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Challenge {
    /// Whether it asks for a bound token with a proof.
    pub is_dpop: bool,
    /// The code of the error; none when there was no token at all.
    pub error: Option<&'static str>,
    /// What is wrong, for who writes the client.
    pub description: Option<String>,
    /// The scopes that would have been enough.
    pub scope: Option<String>,
    /// Where the service describes itself.
    pub metadata: Option<String>,
}

pub const INVALID_TOKEN: &str = "invalid_token";
pub const INSUFFICIENT_SCOPE: &str = "insufficient_scope";
pub const INVALID_PROOF: &str = "invalid_dpop_proof";
pub const USE_NONCE: &str = "use_dpop_nonce";

impl fmt::Display for Challenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_dpop { "DPoP" } else { "Bearer" };
        write!(f, "{scheme} realm=\"tidegauge\"")?;
        let mut parameter = |name: &str, value: Option<&str>| match value {
            Some(value) => write!(f, ", {name}=\"{}\"", plain(value)),
            None => Ok(()),
        };
        parameter("error", self.error)?;
        parameter("error_description", self.description.as_deref())?;
        parameter("scope", self.scope.as_deref())?;
        parameter("resource_metadata", self.metadata.as_deref())?;
        if self.is_dpop {
            let names: Vec<&str> = dpop::ALGORITHMS.iter().map(|one| algorithms::name(*one)).collect();
            parameter("algs", Some(&names.join(" ")))?;
        }
        Ok(())
    }
}

/// Only letters that RFC 6750 allows in a value: no quotes, no backslashes, no control characters.
fn plain(value: &str) -> String {
    let allowed = |letter: char| matches!(letter, ' ' | '!' | '#'..='[' | ']'..='~');
    value.chars().map(|letter| if allowed(letter) { letter } else { '\'' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_is_wrong_and_where_to_look() {
        let challenge = Challenge {
            error: Some(INSUFFICIENT_SCOPE),
            description: Some("a \"quoted\\\r\n\u{e4} text".to_owned()),
            scope: Some("notifiers|read".to_owned()),
            metadata: Some("https://logs.example/.well-known/oauth-protected-resource".to_owned()),
            ..Challenge::default()
        };
        assert_eq!(
            challenge.to_string(),
            "Bearer realm=\"tidegauge\", error=\"insufficient_scope\", error_description=\"a 'quoted'''' text\", \
             scope=\"notifiers|read\", \
             resource_metadata=\"https://logs.example/.well-known/oauth-protected-resource\""
        );
    }

    #[test]
    fn a_proof_is_asked_for_with_its_algorithms() {
        let challenge = Challenge { is_dpop: true, ..Challenge::default() };
        assert_eq!(challenge.to_string(), "DPoP realm=\"tidegauge\", algs=\"ES256 ES384 EdDSA RS256 PS256\"");
    }
}
