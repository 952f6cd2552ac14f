//! From who a token acts for at its issuer to an account here. A person who is not known yet is linked or gets an
//! account only where the issuer's settings allow it; a client that acts for itself gets an account that is no member.

use std::sync::Arc;

use tidegauge_auth::oauth::mapping::{Identity, Machine};
use tidegauge_auth::oauth::token;
use tidegauge_catalog::Change;
use tidegauge_catalog::bearer::Bearer;
use tidegauge_catalog::identities::{IdentityKind, IdentityRefusal, KnownIdentity};
use tidegauge_catalog::users::Person;
use tidegauge_model::shown::shown_name;
use tidegauge_model::{OrgId, Role, UserId, hex};

use super::accounts::Accounts;
use super::denial::Denial;
use crate::config::oauth::IssuerConfig;

/// The account of a person.
pub async fn person(
    accounts: Accounts<'_>,
    issuer: &IssuerConfig,
    identity: &Identity,
    named: Option<&OrgId>,
    request_id: &str,
) -> Result<Arc<Bearer>, Denial> {
    let known =
        KnownIdentity { issuer: &identity.issuer, kind: IdentityKind::Person, subject: &identity.subject };
    let named = identity.org.as_ref().or(named);
    let mut found = match find(accounts, &known, named).await? {
        Some(found) => found,
        None => {
            let entered = enter(accounts, issuer, identity, &known, request_id).await;
            match (find(accounts, &known, named).await?, entered) {
                // Another request of the same person may have been quicker.
                (Some(found), _) => found,
                (None, Err(denial)) => return Err(denial),
                (None, Ok(())) => return Err(Denial::UnknownPerson),
            }
        }
    };
    if join(accounts, issuer, identity, named, &found, request_id).await?
        && let Some(joined) = find(accounts, &known, named).await?
    {
        found = joined;
    }
    match &identity.org {
        Some(org) => only_in(found, org),
        None => Ok(found),
    }
}

/// Accepts the membership that waits for a person's verified address in the organisation that a request names.
async fn join(
    accounts: Accounts<'_>,
    issuer: &IssuerConfig,
    identity: &Identity,
    named: Option<&OrgId>,
    found: &Bearer,
    request_id: &str,
) -> Result<bool, Denial> {
    let (Some(org), Some(email), true) = (named, &identity.verified_email, issuer.links_verified_email)
    else {
        return Ok(false);
    };
    if found.org_contexts.iter().any(|org_context| org_context.org == *org) {
        return Ok(false);
    }
    // Looked at before anything is written: a refused request must not cost a transaction.
    let waiting = accounts.catalog.find_member_by_email(org, email).await?;
    if waiting.is_none_or(|member| member.accepted) {
        return Ok(false);
    }
    let change = Change {
        org: Some(org.clone()),
        actor: found.user.to_string(),
        at: accounts.now(),
        request_id: request_id.to_owned(),
    };
    Ok(accounts.catalog.join_by_verified_email(org, email, &found.user, &change).await?)
}

/// Finds an account, or remembers it from a moment ago.
async fn find(
    accounts: Accounts<'_>,
    known: &KnownIdentity<'_>,
    named: Option<&OrgId>,
) -> Result<Option<Arc<Bearer>>, Denial> {
    let look_up = accounts.catalog.find_identity_bearer(known, named);
    Ok(accounts.token_cache.remembered(accounts.catalog, known.key(), named, accounts.now(), look_up).await?)
}

/// A token that is for an organisation acts nowhere else, and for members alone.
fn only_in(found: Arc<Bearer>, org: &OrgId) -> Result<Arc<Bearer>, Denial> {
    if !found.org_contexts.iter().any(|org_context| org_context.org == *org) {
        return Err(Denial::NotAMember(org.clone()));
    }
    if found.org_contexts.len() == 1 {
        return Ok(found);
    }
    let mut narrowed = Bearer::clone(&found);
    narrowed.org_contexts.retain(|org_context| org_context.org == *org);
    Ok(Arc::new(narrowed))
}

/// Links a person whom nobody has seen yet, or makes an account.
async fn enter(
    accounts: Accounts<'_>,
    issuer: &IssuerConfig,
    identity: &Identity,
    known: &KnownIdentity<'_>,
    request_id: &str,
) -> Result<(), Denial> {
    // Where the token speaks for an organisation, the address means its member, and nobody elsewhere.
    let taken = match (&identity.verified_email, &identity.org) {
        (Some(email), Some(org)) => {
            accounts.catalog.find_member_by_email(org, email).await?.map(|member| member.person)
        }
        (Some(email), None) => accounts.catalog.find_person_by_email(email).await?,
        (None, _) => None,
    };
    let change = |org: Option<OrgId>, actor: &UserId| Change {
        org,
        actor: actor.to_string(),
        at: accounts.now(),
        request_id: request_id.to_owned(),
    };
    if let Some(person) = taken {
        if !issuer.links_verified_email {
            return Err(Denial::EmailTaken);
        }
        let change = change(identity.org.clone(), &person.id);
        accounts.catalog.link_identity(known, &person.id, &change).await?;
        return Ok(());
    }
    let (Some(default), Some(org)) = (issuer.provision, &identity.org) else {
        return Err(Denial::UnknownPerson);
    };
    let role = identity.bound.unwrap_or(default);
    if role == Role::None {
        return Err(Denial::UnknownPerson);
    }
    let newcomer = newcomer(accounts, known, identity.verified_email.clone(), identity.name.clone());
    let found = accounts.catalog.find_org(org).await?.ok_or(Denial::UnknownOrg)?;
    let max = found.licence.limits.max_users;
    let change = change(Some(org.clone()), &newcomer.id);
    match accounts.catalog.provision_identity(known, &newcomer, org, role, max, &change).await? {
        Ok(()) => Ok(()),
        Err(IdentityRefusal::EmailTaken) => Err(Denial::EmailTaken),
        Err(IdentityRefusal::Full { max }) => Err(Denial::OrgFull(max)),
    }
}

/// The account of a client that acts for itself, with the capabilities of the largest role that it may have.
pub async fn machine(
    accounts: Accounts<'_>,
    machine: &Machine,
    request_id: &str,
) -> Result<Arc<Bearer>, Denial> {
    let known =
        KnownIdentity { issuer: &machine.issuer, kind: IdentityKind::Machine, subject: &machine.client };
    let org = &machine.org;
    let find = async || {
        let look_up = async {
            let found = accounts.catalog.find_machine_bearer(&known, org).await?;
            let capabilities = accounts.roles.of(machine.bound);
            Ok(found.map(|bearer| Bearer { capabilities: (*capabilities).clone(), ..bearer }))
        };
        accounts
            .token_cache
            .remembered(accounts.catalog, known.key(), Some(org), accounts.now(), look_up)
            .await
    };
    let found = match find().await? {
        Some(found) => found,
        None => {
            let newcomer = newcomer(accounts, &known, None, Some(machine.client.clone()));
            let change = Change {
                org: None,
                actor: newcomer.id.to_string(),
                at: accounts.now(),
                request_id: request_id.to_owned(),
            };
            accounts.catalog.insert_machine(&known, &newcomer, &change).await?;
            find().await?.ok_or(Denial::UnknownOrg)?
        }
    };
    if found.org_contexts.is_empty() { Err(Denial::UnknownOrg) } else { Ok(found) }
}

/// A new account. Without a verified address it gets one that cannot exist, so that it never passes for somebody's.
fn newcomer(
    accounts: Accounts<'_>,
    known: &KnownIdentity<'_>,
    verified_email: Option<String>,
    name: Option<String>,
) -> Person {
    let now = accounts.now();
    let made_up = || format!("{}@identity.invalid", hex::encode(&token::digest(&known.key())[..16]));
    let email = verified_email.unwrap_or_else(made_up);
    let name = name.map(|name| shown_name(&name)).filter(|name| !name.trim().is_empty());
    let name = name.unwrap_or_else(|| email.clone());
    Person { id: UserId::generate(now, accounts.rng), email, name, created: now }
}
