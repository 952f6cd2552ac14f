//! One-time links: those by which the operator lets a person set another password, and the invitations by which a person
//! accepts to be a member of an organisation. A link is shown once to who made it; whoever has it can use it once.

use std::time::Duration;

use tidegauge_admission::config::PublicUrl;
use tidegauge_auth::OpaqueSecret;
use tidegauge_catalog::invite_links::{Joining, LinkRefusal};
use tidegauge_catalog::link_issuers::Issuer;
use tidegauge_catalog::passwords::NewPassword;
use tidegauge_catalog::users::{Member, Person};
use tidegauge_catalog::{Catalog, Change};
use tidegauge_model::{ErrorKind, OrgId, Rng, Timestamp};

use super::passwords::{Password, rules};
use super::sessions::{self, Arrival, Session};
use super::sign_in::account_name;
use super::{Caller, Error, Result, link_issuers, users};
use crate::app::App;

/// How long an invitation and a link to a first password are good.
const FIRST_GOOD_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How long a link to another password is good.
const RESET_GOOD_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// A link that was just made.
#[derive(Debug)]
pub struct NewInviteLink {
    pub secret: OpaqueSecret,
    pub expires_at: Timestamp,
}

impl NewInviteLink {
    fn generate(rng: &dyn Rng, now: Timestamp, good_for: Duration) -> Self {
        Self { secret: OpaqueSecret::generate(rng), expires_at: now.plus(good_for) }
    }

    /// Where the link leads.
    pub fn address(&self, public_url: &PublicUrl) -> String {
        format!("{public_url}/setup/{}", self.secret.reveal())
    }
}

/// A link that is good.
#[derive(Debug)]
pub struct Found {
    pub person: Person,
    /// The name of the organisation that invites by it; a link of the operator has none.
    pub invited_by: Option<String>,
    /// What the person signs in with, if nobody else has their address.
    sign_in: String,
}

/// How using a link ended.
#[derive(Debug)]
pub enum LinkUse {
    Done(Session),
    /// The account of the browser's session is a member now.
    Joined,
    /// The link is not good, or not any more.
    Gone,
    /// It cannot be used so, with what to tell about it.
    Unfit(String),
}

/// Makes a link for the operator, who may let anybody in again.
pub async fn make(
    catalog: &Catalog,
    rng: &dyn Rng,
    person: &Person,
    change: &Change,
) -> std::result::Result<NewInviteLink, tidegauge_catalog::Error> {
    let account = catalog.find_account(&person.id).await?;
    let has_password = account.is_some_and(|account| account.hash.is_some());
    let good_for = if has_password { RESET_GOOD_FOR } else { FIRST_GOOD_FOR };
    let made = NewInviteLink::generate(rng, change.at, good_for);
    catalog.insert_link(&person.id, &made.secret.digest(), made.expires_at, change).await?;
    Ok(made)
}

/// Makes the invitation of an organisation for the operator, or a link to another password for who has accepted.
pub async fn make_for_member(
    catalog: &Catalog,
    rng: &dyn Rng,
    org: &OrgId,
    member: &Member,
    change: &Change,
) -> std::result::Result<NewInviteLink, tidegauge_catalog::Error> {
    if !member.accepted {
        let made = NewInviteLink::generate(rng, change.at, FIRST_GOOD_FOR);
        let (person, digest) = (&member.person.id, made.secret.digest());
        let issuer = Issuer::Operator;
        let kept = catalog.insert_invitation(org, person, &digest, made.expires_at, &issuer, change).await?;
        if kept.is_ok() {
            return Ok(made);
        }
    }
    make(catalog, rng, &member.person, change).await
}

/// Makes a link by which a member of the caller's organisation accepts to be one. Whoever has the link becomes that
/// member, so it is for those whom nobody can act as yet, and good for as long as the caller could make it again.
pub async fn invite(app: &App, caller: &Caller, id: &str) -> Result<NewInviteLink> {
    let org = caller.org()?;
    let (person, _) = users::check_may_change(app, caller, org, id).await?;
    let issuer = link_issuers::of(caller)?;
    let made = NewInviteLink::generate(&*app.rng, caller.now, FIRST_GOOD_FOR);
    let (digest, change) = (made.secret.digest(), caller.change());
    let kept =
        app.catalog.insert_invitation(org, &person, &digest, made.expires_at, &issuer, &change).await?;
    kept.map_err(refused)?;
    Ok(made)
}

fn refused(refusal: LinkRefusal) -> Error {
    match refusal {
        LinkRefusal::NotAMember => Error::not_found("user"),
        LinkRefusal::Accepted => {
            Error::new(ErrorKind::Conflict, "the user has accepted to be a member already")
                .hint("if they cannot sign in, the operator can make a link with `tidegauge user link EMAIL`")
        }
    }
}

/// What a link is for, if it is good. An invitation is, if who made it could make it again.
pub async fn find(app: &App, text: &str) -> Result<Option<Found>> {
    let Some(secret) = OpaqueSecret::parse(text) else {
        return Ok(None);
    };
    let Some(link) = app.catalog.find_link(&secret.digest(), app.now()).await? else {
        return Ok(None);
    };
    let Some(account) = app.catalog.find_account(&link.person).await? else {
        return Ok(None);
    };
    let Some(org) = &link.invited_by else {
        return Ok(Some(Found { person: account.person, invited_by: None, sign_in: account.sign_in }));
    };
    if !link_issuers::could_invite(app, &link.issuer, org, &link.person).await? {
        return Ok(None);
    }
    let name = app.catalog.find_org(org).await?.map(|org| org.name);
    let sign_in = account.person.email.clone();
    Ok(name.map(|name| Found { person: account.person, invited_by: Some(name), sign_in }))
}

/// Sets the password of a link's person, which uses the link up, and signs the person in. By an invitation that is an
/// account of its own, whoever else has the address.
pub async fn set_password(
    app: &App,
    text: &str,
    password: &Password,
    before: Option<&Session>,
    arrival: &Arrival,
) -> Result<LinkUse> {
    let (Some(secret), Some(found)) = (OpaqueSecret::parse(text), find(app, text).await?) else {
        return Ok(LinkUse::Gone);
    };
    let person = found.person;
    if let Err(problem) = rules::check(password, &person) {
        return Ok(LinkUse::Unfit(problem));
    }
    let hash = app.passwords.hash(password, &*app.rng).await?;
    let new = NewPassword { hash: &hash, account: &account_name(&found.sign_in) };
    if !app.catalog.use_link(&secret.digest(), new, &arrival.change(person.id.as_str())).await? {
        return Ok(LinkUse::Gone);
    }
    // Not that of the same person: with their password, all of theirs have ended.
    if let Some(before) = before.filter(|before| before.user != person.id) {
        sessions::end(app, before, arrival).await?;
    }
    Ok(LinkUse::Done(sessions::begin(app, &person.id, arrival).await?))
}

/// Accepts an invitation with the account that the browser is signed in with, which uses the link up.
pub async fn join(app: &App, text: &str, session: &Session, arrival: &Arrival) -> Result<LinkUse> {
    let (Some(secret), Some(_)) = (OpaqueSecret::parse(text), find(app, text).await?) else {
        return Ok(LinkUse::Gone);
    };
    match app.catalog.join_by_invitation(&secret.digest(), &session.user, &session.change(arrival)).await? {
        Joining::Joined => Ok(LinkUse::Joined),
        Joining::Gone => Ok(LinkUse::Gone),
        Joining::OtherAddress => {
            Ok(LinkUse::Unfit("The account that you are signed in with has another address.".to_owned()))
        }
    }
}
