//! What the operator of a Tidegauge says about signing in at one of its issuers, and what is asked for there: by which
//! name, and for which scopes.

use serde::Deserialize;

use super::CLIENT_ID;
use super::metadata::Metadata;
use super::store::Target;

/// Scopes of OpenID that are asked for where the issuer has them: without the second, many give no refresh token.
const OF_OPENID: [&str; 2] = ["openid", OFFLINE];

/// Tokens that can be renewed. OpenID asks for the person's consent with it.
pub const OFFLINE: &str = "offline_access";

/// All that the person may.
const ALL: &str = "*";

/// What a Tidegauge says about one of its issuers; where it says nothing, it is its own.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Login {
    pub issuer: String,
    client_id: Option<String>,
    scope: Option<String>,
    #[serde(default)]
    scope_prefix: String,
    resource: Option<String>,
    audience: Option<String>,
}

impl Login {
    /// What tells the issuer which service the tokens are for.
    pub fn target(&self) -> Option<Target> {
        let resource = self.resource.clone().map(Target::resource);
        resource.or_else(|| self.audience.clone().map(Target::audience))
    }

    /// The name of the command line there, which the user may know better.
    pub fn client_id<'a>(&'a self, given: Option<&'a str>) -> &'a str {
        given.or(self.client_id.as_deref()).unwrap_or(CLIENT_ID)
    }

    /// What is asked for: what the user gives or else the operator, or else all. Scopes of ours get the prefix that they
    /// have at the issuer, and those of OpenID are added where it has them and the operator did not say which.
    pub fn scope(&self, given: Option<&str>, metadata: &Metadata) -> String {
        let mut words: Vec<String> = Vec::new();
        match (&self.scope, given) {
            (Some(told), None) => return told.clone(),
            (Some(told), Some(_)) => {
                words.extend(told.split_whitespace().filter(|word| !self.is_ours(word)).map(str::to_owned));
            }
            (None, _) => {
                let offered = |word: &&str| metadata.scopes_supported.iter().any(|known| known == word);
                words.extend(OF_OPENID.iter().copied().filter(offered).map(str::to_owned));
            }
        }
        for word in given.unwrap_or(ALL).split_whitespace() {
            words.push(if names_rights(word) {
                format!("{}{word}", self.scope_prefix)
            } else {
                word.to_owned()
            });
        }
        words.join(" ")
    }

    fn is_ours(&self, word: &str) -> bool {
        word.strip_prefix(&self.scope_prefix).is_some_and(names_rights)
    }
}

/// Whether a scope is one of a Tidegauge, such as `query|read`.
fn names_rights(word: &str) -> bool {
    word == ALL || word.contains('|')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn metadata(scopes: &str) -> Metadata {
        let scopes: Vec<&str> = scopes.split_whitespace().collect();
        let token = "https://a/token";
        serde_json::from_value(
            json!({"issuer": "https://a", "token_endpoint": token, "scopes_supported": scopes}),
        )
        .unwrap()
    }

    #[test]
    fn scopes_are_those_that_the_issuer_knows() {
        let login = |text: serde_json::Value| serde_json::from_value::<Login>(text).unwrap();
        let (own, plain) = (Login::default(), login(json!({"issuer": "https://a"})));
        let prefixed = login(json!({"issuer": "https://a", "scope_prefix": "api://logs/"}));
        let told = login(
            json!({"issuer": "https://a", "scope": "email api://logs/*", "scope_prefix": "api://logs/"}),
        );
        let openid = "openid profile offline_access";
        for (login, offered, given, expected) in [
            (&own, "", None, "*"),
            (&own, "", Some("query|read users|read"), "query|read users|read"),
            (&plain, openid, None, "openid offline_access *"),
            (&plain, "openid", Some("query|read"), "openid query|read"),
            (&prefixed, openid, None, "openid offline_access api://logs/*"),
            (&prefixed, "", Some("query|read profile"), "api://logs/query|read profile"),
            // What the operator says is taken as it is said.
            (&told, openid, None, "email api://logs/*"),
            (&told, openid, Some("query|read"), "email api://logs/query|read"),
        ] {
            assert_eq!(login.scope(given, &metadata(offered)), expected);
        }
        assert_eq!((own.client_id(None), own.client_id(Some("mine"))), (CLIENT_ID, "mine"));
        assert_eq!(login(json!({"issuer": "https://a", "client_id": "theirs"})).client_id(None), "theirs");
    }
}
