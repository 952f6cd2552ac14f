//! What a person has allowed: they see it, and end it.

use tidegauge_catalog::oauth::Grant;
use tidegauge_model::GrantId;

use super::known_clients;
use crate::app::App;
use crate::service::{Caller, Error, Result};

/// A grant with the name of its client.
#[derive(Debug)]
pub struct NamedGrant {
    pub grant: Grant,
    pub client_name: String,
}

/// What the caller has allowed and not ended, the newest first.
pub async fn list(app: &App, caller: &Caller) -> Result<Vec<NamedGrant>> {
    of_person(app, &caller.user).await
}

/// The same of any person, for their own pages.
pub async fn of_person(app: &App, person: &tidegauge_model::UserId) -> Result<Vec<NamedGrant>> {
    let mut named = Vec::new();
    for grant in app.catalog.list_oauth_grants(person, app.now()).await? {
        let found = app.catalog.find_oauth_client(&grant.client).await?;
        let client_name = match found {
            Some((client, _)) => client.name,
            None => known_clients::built_in_name(&grant.client),
        };
        named.push(NamedGrant { grant, client_name });
    }
    Ok(named)
}

/// Ends a grant of the caller: all its tokens stop working at once.
pub async fn revoke(app: &App, caller: &Caller, id: &str) -> Result<()> {
    let id = GrantId::parse(id).ok_or_else(not_found)?;
    if app.catalog.revoke_oauth_grant_of(&caller.user, &id, &caller.change()).await? {
        return Ok(());
    }
    Err(not_found())
}

fn not_found() -> Error {
    Error::not_found("grant")
}
