//! Clients of an organisation: list, read, make, change, delete, and new secrets. Nobody gives a client more than they
//! hold.

use std::time::Duration;

use tidegauge_auth::OpaqueSecret;
use tidegauge_auth::embedded::redirect;
use tidegauge_catalog::oauth::OAuthClient;
use tidegauge_model::oauth::GrantType;
use tidegauge_model::{Capabilities, ClientId, ErrorKind, Rule, Violation};

use super::known_clients::check_client_name;
use crate::app::App;
use crate::service::capabilities::{self, CapabilityInput};
use crate::service::{Caller, Error, Result};

/// Most addresses that one client can register.
pub const REDIRECTS_MAX: usize = 20;

/// How long the former secret can be used beside the new one at most.
const OVERLAP_MAX: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What a caller says of a client.
#[derive(Debug)]
pub struct ClientInput {
    pub name: String,
    pub redirect_uris: Vec<String>,
    pub grants: Vec<String>,
    pub is_public: bool,
    pub capabilities: CapabilityInput,
}

/// A client with its new secret, which is shown this once. A public client has none.
#[derive(Debug)]
pub struct NewClient {
    pub client: OAuthClient,
    pub secret: Option<OpaqueSecret>,
}

pub async fn list(app: &App, caller: &Caller) -> Result<Vec<OAuthClient>> {
    Ok(app.catalog.list_oauth_clients(caller.org()?).await?)
}

pub async fn get(app: &App, caller: &Caller, id: &str) -> Result<OAuthClient> {
    let id = ClientId::parse(id).ok_or_else(not_found)?;
    let found = app.catalog.find_oauth_client(&id).await?.map(|(client, _)| client);
    let org = caller.org()?;
    found.filter(|client| client.org.as_ref() == Some(org)).ok_or_else(not_found)
}

pub async fn create(app: &App, caller: &Caller, input: ClientInput) -> Result<NewClient> {
    let org = caller.org_to_create_in()?.clone();
    check_lasts(caller)?;
    let checked = checked(caller, &input)?;
    let client = OAuthClient {
        id: ClientId::generate(caller.now, &*app.rng),
        org: Some(org),
        name: input.name,
        redirect_uris: input.redirect_uris,
        grants: checked.grants,
        is_public: input.is_public,
        capabilities: checked.capabilities,
        created: caller.now,
        created_by: caller.user.to_string(),
        modified: caller.now,
    };
    let secret = (!client.is_public).then(|| OpaqueSecret::generate(&*app.rng));
    let digest = secret.as_ref().map(OpaqueSecret::digest);
    app.catalog.insert_oauth_client(&client, digest.as_deref(), 0, &caller.change()).await?;
    Ok(NewClient { client, secret })
}

pub async fn replace(app: &App, caller: &Caller, id: &str, input: ClientInput) -> Result<OAuthClient> {
    let present = get(app, caller, id).await?;
    if present.is_public != input.is_public {
        let problem = "cannot be changed: make another client";
        return Err(Violation::new("isPublic", Rule::OneOf, problem).into());
    }
    check_lasts(caller)?;
    check_held(caller, &present.capabilities)?;
    let checked = checked(caller, &input)?;
    let client = OAuthClient {
        name: input.name,
        redirect_uris: input.redirect_uris,
        grants: checked.grants,
        capabilities: checked.capabilities,
        modified: caller.now,
        ..present
    };
    let org = caller.org()?.clone();
    app.catalog.replace_oauth_client(&org, &client, &caller.change()).await?.ok_or_else(not_found)
}

pub async fn delete(app: &App, caller: &Caller, id: &str) -> Result<()> {
    let id = ClientId::parse(id).ok_or_else(not_found)?;
    if app.catalog.delete_oauth_client(caller.org()?, &id, &caller.change()).await? {
        return Ok(());
    }
    Err(not_found())
}

/// Gives a client another secret. The former one can be used for so many seconds more.
pub async fn new_secret(app: &App, caller: &Caller, id: &str, overlap_seconds: i64) -> Result<NewClient> {
    let client = get(app, caller, id).await?;
    if client.is_public {
        return Err(Error::new(ErrorKind::Conflict, "a public client has no secret"));
    }
    check_lasts(caller)?;
    // Whoever has the secret has all that the client may.
    check_held(caller, &client.capabilities)?;
    let overlap = u64::try_from(overlap_seconds).map(Duration::from_secs).ok();
    let Some(overlap) = overlap.filter(|overlap| *overlap <= OVERLAP_MAX) else {
        let problem = format!("should be from 0 to {}", OVERLAP_MAX.as_secs());
        return Err(Violation::new("formerSecretSeconds", Rule::Maximum, problem).into());
    };
    let secret = OpaqueSecret::generate(&*app.rng);
    let (org, until) = (caller.org()?, caller.now.plus(overlap));
    let change = caller.change();
    if !app.catalog.replace_client_secret(org, &client.id, &secret.digest(), until, &change).await? {
        return Err(not_found());
    }
    Ok(NewClient { client, secret: Some(secret) })
}

fn not_found() -> Error {
    Error::not_found("client")
}

struct Checked {
    grants: Vec<GrantType>,
    capabilities: Capabilities,
}

fn checked(caller: &Caller, input: &ClientInput) -> Result<Checked> {
    check_client_name("name", &input.name)?;
    let grants = read_grants("grants", &input.grants)?;
    check_redirects("redirectUris", &input.redirect_uris, &grants, input.is_public)?;
    let capabilities = capabilities::read(&input.capabilities)?;
    check_held(caller, &capabilities)?;
    let acts_for_itself = grants.contains(&GrantType::ClientCredentials);
    if acts_for_itself && input.is_public {
        let problem = "cannot hold client_credentials for a public client, which has no secret";
        return Err(Violation::new("grants", Rule::OneOf, problem).into());
    }
    if !acts_for_itself && capabilities != Capabilities::default() {
        let problem = "are for the grant client_credentials alone: in others the person's rights count";
        return Err(Violation::new("orgCapabilities", Rule::OneOf, problem).into());
    }
    Ok(Checked { grants, capabilities })
}

/// A client has no end, so a token that has one cannot make it or take it over.
fn check_lasts(caller: &Caller) -> Result<()> {
    if caller.token_end.at.is_none() && !caller.token_end.with_membership {
        return Ok(());
    }
    let message = "a token that ends cannot make or change a client, which does not";
    Err(Error::new(ErrorKind::Forbidden, message).hint("sign in, or use a token without an end"))
}

fn check_held(caller: &Caller, capabilities: &Capabilities) -> Result<()> {
    if caller.capabilities.contains(capabilities) {
        return Ok(());
    }
    let message = "the client would hold capabilities that the caller does not hold";
    Err(Error::new(ErrorKind::Forbidden, message)
        .hint("ask an owner or admin of the organisation to make it"))
}

/// Reads the names of grant types.
pub fn read_grants(field: &str, names: &[String]) -> std::result::Result<Vec<GrantType>, Violation> {
    let mut grants = Vec::new();
    for name in names {
        let grant = GrantType::from_name(name).ok_or_else(|| {
            let known: Vec<&str> = GrantType::ALL.iter().map(|grant| grant.name()).collect();
            Violation::new(field, Rule::OneOf, format!("should be one of [{}]", known.join(" ")))
        })?;
        if grants.contains(&grant) {
            return Err(Violation::new(field, Rule::Unique, "shouldn't contain duplicates"));
        }
        grants.push(grant);
    }
    if grants.is_empty() {
        return Err(Violation::new(field, Rule::TooFewItems, "should have at least 1 items"));
    }
    Ok(grants)
}

/// Checks the addresses of a client.
pub fn check_redirects(
    field: &str,
    addresses: &[String],
    grants: &[GrantType],
    is_public: bool,
) -> std::result::Result<(), Violation> {
    if addresses.len() > REDIRECTS_MAX {
        let problem = format!("should have at most {REDIRECTS_MAX} items");
        return Err(Violation::new(field, Rule::TooManyItems, problem));
    }
    if addresses.is_empty() && grants.contains(&GrantType::AuthorizationCode) {
        let problem = "should have at least 1 items for the grant authorization_code";
        return Err(Violation::new(field, Rule::TooFewItems, problem));
    }
    for (index, address) in addresses.iter().enumerate() {
        redirect::check(address, is_public).map_err(|problem| {
            Violation::new(format!("{field}.{index}"), Rule::Pattern, problem.to_string())
        })?;
    }
    Ok(())
}
