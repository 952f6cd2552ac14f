//! Finds clients: those that are built in, and those of the catalogue.

use tidegauge_auth::embedded::redirect;
use tidegauge_catalog::oauth::{ClientSecrets, OAuthClient};
use tidegauge_model::oauth::GrantType;
use tidegauge_model::{Capabilities, ClientId, Rule, Timestamp, Violation};

use super::error::{ErrorCode, OAuthError};
use crate::app::App;
use crate::service::text::check_shown_name;

/// The service's own command line.
pub const COMMAND_LINE: &str = "tidegauge-cli";

/// The command line of the public service, which names itself so.
const PUBLIC_COMMAND_LINE: &str = "13c885a8-f46a-4424-82d2-883cf7ccfe49";

/// Who made the clients that are built in.
const BUILT_IN: &str = "built in";

/// Longest id that is looked up.
const ID_MAX: usize = 128;

/// A client as the protocol sees it.
#[derive(Clone, Debug)]
pub struct Client {
    pub record: OAuthClient,
    pub secrets: ClientSecrets,
}

impl Client {
    pub fn id(&self) -> &ClientId {
        &self.record.id
    }

    /// Whether the service knows the client by itself.
    pub fn is_built_in(&self) -> bool {
        self.record.created_by == BUILT_IN
    }

    /// Refuses a way to a token that the client was not made for.
    pub fn check_grant(&self, grant: GrantType) -> Result<(), OAuthError> {
        if self.record.grants.contains(&grant) {
            return Ok(());
        }
        let description = format!("the client may not use the grant type {}", grant.name());
        Err(OAuthError::new(ErrorCode::UnauthorizedClient, description))
    }

    /// Whether codes of this client may be sent to an address.
    pub fn takes_redirect(&self, address: &str) -> bool {
        self.record.redirect_uris.iter().any(|registered| redirect::matches(registered, address))
    }
}

/// Finds a client by the id that it sent.
pub async fn find(app: &App, id: &str) -> Result<Option<Client>, OAuthError> {
    if let Some(record) = built_in(id) {
        return Ok(Some(Client { record, secrets: ClientSecrets::default() }));
    }
    if id.len() > ID_MAX || id.contains('\0') {
        return Ok(None);
    }
    let found = app.catalog.find_oauth_client(&id.into()).await?;
    Ok(found.map(|(record, secrets)| Client { record, secrets }))
}

/// Both are public: whoever has the program has all that is in it.
fn built_in(id: &str) -> Option<OAuthClient> {
    let (name, paths, grants): (_, &[&str], &[GrantType]) = match id {
        COMMAND_LINE => (
            "Tidegauge command line",
            &["/", "/callback"],
            &[GrantType::AuthorizationCode, GrantType::RefreshToken, GrantType::DeviceCode],
        ),
        PUBLIC_COMMAND_LINE => {
            ("Axiom command line", &["/"], &[GrantType::AuthorizationCode, GrantType::RefreshToken])
        }
        _ => return None,
    };
    let hosts = ["http://127.0.0.1", "http://[::1]"];
    Some(OAuthClient {
        id: id.into(),
        org: None,
        name: name.to_owned(),
        redirect_uris: hosts
            .iter()
            .flat_map(|host| paths.iter().map(move |path| format!("{host}{path}")))
            .collect(),
        grants: grants.to_vec(),
        is_public: true,
        capabilities: Capabilities::default(),
        created: Timestamp::from_micros(0),
        created_by: BUILT_IN.to_owned(),
        modified: Timestamp::from_micros(0),
    })
}

/// Checks the name of a client of others. It is shown to people who decide by it, so it is none of those that are built
/// in, however it is spaced or written.
pub fn check_client_name(field: &str, name: &str) -> Result<(), Violation> {
    check_shown_name(field, name)?;
    let mut built_in = [COMMAND_LINE, PUBLIC_COMMAND_LINE].into_iter().filter_map(built_in);
    if built_in.any(|client| spoken(&client.name) == spoken(name)) {
        return Err(Violation::new(field, Rule::Unique, "is the name of a client that is built in"));
    }
    Ok(())
}

/// A name as people read it to others: letters and digits, whatever their case.
fn spoken(name: &str) -> String {
    name.chars().filter(|sign| sign.is_alphanumeric()).map(|sign| sign.to_ascii_lowercase()).collect()
}

/// The name of a client that is built in, or else its id.
pub fn built_in_name(id: &ClientId) -> String {
    built_in(id.as_str()).map_or_else(|| id.to_string(), |client| client.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_client_of_others_has_the_name_of_one_that_is_built_in() {
        for name in [
            "Tidegauge command line",
            " tidegauge COMMAND line ",
            "Tidegauge\u{a0}command-line",
            "Tide\u{200b}gauge command line.",
            "axiom command line",
        ] {
            assert!(check_client_name("name", name).is_err(), "{name:?}");
        }
        for name in ["Tidegauge command line of Ada", "Dashboards"] {
            assert!(check_client_name("name", name).is_ok(), "{name:?}");
        }
    }
}
