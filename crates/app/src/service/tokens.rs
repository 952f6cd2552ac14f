//! API tokens: list, read, create, regenerate, delete. Nobody can hand out more than they hold.

use tidegauge_auth::{TokenKind, TokenSecret};
use tidegauge_catalog::tokens::Token;
use tidegauge_model::{Capabilities, ErrorKind, OrgId, Rule, Timestamp, TokenId, Violation};

use super::capabilities::{self, CapabilityInput};
use super::text::{DESCRIPTION_MAX, check_name, check_text};
use super::{Caller, Error, Result};
use crate::app::App;

const OUTLIVES: &str = "the new token would outlive the token that makes it";

/// What a caller asks of a new token.
#[derive(Debug)]
pub struct TokenInput {
    pub name: String,
    pub description: String,
    pub expires_at: Option<String>,
    /// Whether it ends with the membership of who makes it; who does not say it gets what came before, or else no.
    pub ends_with_membership: Option<bool>,
    pub capabilities: CapabilityInput,
}

/// How a token is to be succeeded by a new one.
#[derive(Debug)]
pub struct RegenerateInput {
    pub existing_expires_at: String,
    pub new_expires_at: Option<String>,
    pub new_token: Option<TokenInput>,
}

/// A new token with its secret, which is shown this once.
#[derive(Debug)]
pub struct NewToken {
    pub token: Token,
    pub secret: TokenSecret,
}

pub async fn list(app: &App, caller: &Caller) -> Result<Vec<Token>> {
    Ok(app.catalog.list_tokens(caller.org()?).await?)
}

pub async fn get(app: &App, caller: &Caller, id: &str) -> Result<Token> {
    let id = TokenId::parse(id).ok_or_else(not_found)?;
    app.catalog.find_token(caller.org()?, &id).await?.ok_or_else(not_found)
}

pub async fn create(app: &App, caller: &Caller, input: TokenInput) -> Result<NewToken> {
    let org = caller.org_to_create_in()?.clone();
    let new = checked(caller, input, false)?;
    check_outlives(caller, new.expires_at)?;
    check_membership(app, caller, &org, &new).await?;
    let (token, secret) = issue(app, caller, org, new);
    app.catalog.insert_token(&token, &secret.digest(), &caller.change()).await?;
    Ok(NewToken { token, secret })
}

/// Makes a successor and lets the old token run out at the given time.
pub async fn regenerate(app: &App, caller: &Caller, id: &str, input: RegenerateInput) -> Result<NewToken> {
    let org = caller.org_to_create_in()?.clone();
    let existing_expires_at = read_time("existingTokenExpiresAt", &input.existing_expires_at)?
        .ok_or_else(|| Violation::required("existingTokenExpiresAt"))?;
    let old = get(app, caller, id).await?;
    check_grant(caller, &old.capabilities)?;
    let new = match input.new_token {
        Some(described) => {
            checked(caller, described, old.ends_with_membership).map_err(|error| error.within("newToken"))?
        }
        None => Checked {
            name: old.name.clone(),
            description: old.description.clone(),
            capabilities: old.capabilities.clone(),
            expires_at: old.expires_at,
            ends_with_membership: ends_with_membership(caller, None, old.ends_with_membership)?,
        },
    };
    let new_expires_at = read_expiry(caller, "newTokenExpiresAt", input.new_expires_at.as_deref())?;
    let new = Checked { expires_at: new_expires_at.or(new.expires_at), ..new };
    if new.expires_at.is_some_and(|end| end <= caller.now) {
        // The old one has ended and its end would be inherited.
        return Err(Violation::required("newTokenExpiresAt").into());
    }
    check_outlives(caller, new.expires_at)?;
    check_membership(app, caller, &org, &new).await?;
    let (token, secret) = issue(app, caller, org, new);
    let change = caller.change();
    let done =
        app.catalog.succeed_token(&old.id, existing_expires_at, &token, &secret.digest(), &change).await?;
    if !done {
        return Err(not_found());
    }
    Ok(NewToken { token, secret })
}

pub async fn delete(app: &App, caller: &Caller, id: &str) -> Result<()> {
    let id = TokenId::parse(id).ok_or_else(not_found)?;
    if app.catalog.delete_token(caller.org()?, &id, &caller.change()).await? {
        return Ok(());
    }
    Err(not_found())
}

fn not_found() -> Error {
    Error::not_found("token")
}

struct Checked {
    name: String,
    description: String,
    capabilities: Capabilities,
    expires_at: Option<Timestamp>,
    ends_with_membership: bool,
}

/// Checks a description; `bound_before` is whether the token in whose place it comes ends with a membership.
fn checked(caller: &Caller, input: TokenInput, bound_before: bool) -> Result<Checked> {
    check_name("name", &input.name)?;
    check_text("description", &input.description, DESCRIPTION_MAX)?;
    let capabilities = capabilities::read(&input.capabilities)?;
    if capabilities.is_empty() {
        let message = "at least one capability must be set: a token without any can do nothing";
        return Err(Error::new(ErrorKind::Invalid, message)
            .hint("name it in orgCapabilities, datasetCapabilities or viewCapabilities"));
    }
    check_grant(caller, &capabilities)?;
    let expires_at = read_expiry(caller, "expiresAt", input.expires_at.as_deref())?;
    let ends_with_membership = ends_with_membership(caller, input.ends_with_membership, bound_before)?;
    let TokenInput { name, description, .. } = input;
    Ok(Checked { name, description, capabilities, expires_at, ends_with_membership })
}

fn check_grant(caller: &Caller, capabilities: &Capabilities) -> Result<()> {
    if caller.capabilities.contains(capabilities) {
        return Ok(());
    }
    let message = "the token would hold capabilities that the caller does not hold";
    Err(Error::new(ErrorKind::Forbidden, message)
        .hint("ask an owner or admin of the organisation to make it"))
}

/// A token that ends cannot make one that lasts longer: it would never end.
fn check_outlives(caller: &Caller, expires_at: Option<Timestamp>) -> Result<()> {
    match caller.token_end.at {
        Some(own) if expires_at.is_none_or(|new| new > own) => {
            Err(Error::new(ErrorKind::Forbidden, OUTLIVES).hint(format!("let it expire by {own}")))
        }
        _ => Ok(()),
    }
}

/// Whether a new token ends with the membership of its maker. One that does makes only such as do, and says so for
/// clients that know nothing of it.
fn ends_with_membership(caller: &Caller, asked: Option<bool>, bound_before: bool) -> Result<bool> {
    match asked {
        Some(false) if caller.token_end.with_membership => Err(Error::new(ErrorKind::Forbidden, OUTLIVES)
            .hint("leave endsWithMembership out, or set it to true")),
        Some(asked) => Ok(asked),
        None => Ok(bound_before || caller.token_end.with_membership),
    }
}

/// A token that ends with a membership needs one. The machines of an issuer are no members, nor is the maker of an API
/// token who has left.
async fn check_membership(app: &App, caller: &Caller, org: &OrgId, new: &Checked) -> Result<()> {
    if !new.ends_with_membership {
        return Ok(());
    }
    match app.catalog.find_member(org, &caller.user).await? {
        Some(member) if member.accepted => Ok(()),
        _ => {
            let message =
                "who makes the token is no member of the organisation, so it would have ended already";
            Err(Error::new(ErrorKind::Forbidden, message)
                .hint("leave endsWithMembership out, or let a member make it"))
        }
    }
}

fn issue(app: &App, caller: &Caller, org: OrgId, new: Checked) -> (Token, TokenSecret) {
    let token = Token {
        id: TokenId::generate(caller.now, &*app.rng),
        org: Some(org),
        person: caller.user.clone(),
        name: new.name,
        description: new.description,
        capabilities: new.capabilities,
        created: caller.now,
        expires_at: new.expires_at,
        last_used_at: None,
        ends_with_membership: new.ends_with_membership,
    };
    (token, TokenSecret::generate(TokenKind::Api, &*app.rng))
}

fn read_expiry(caller: &Caller, field: &str, text: Option<&str>) -> Result<Option<Timestamp>> {
    let Some(time) = text.map(|text| read_time(field, text)).transpose()?.flatten() else {
        return Ok(None);
    };
    if time <= caller.now {
        return Err(Violation::new(field, Rule::Minimum, "must be in the future").into());
    }
    Ok(Some(time))
}

/// A time of a request; the zero time of some clients is none.
fn read_time(field: &str, text: &str) -> Result<Option<Timestamp>> {
    let time = Timestamp::parse(text).map_err(|_| Violation::not_a_timestamp(field))?;
    Ok((!time.is_unset()).then_some(time))
}
