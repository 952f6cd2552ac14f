//! One-time links by which people set their password: for the first owner, for whom an organisation invites, and for
//! whom the operator lets in again. A link is shown once to who made it; whoever has it can use it once.

use std::time::Duration;

use tidegauge_auth::OpaqueSecret;
use tidegauge_catalog::links::{Link, LinkRefusal};
use tidegauge_catalog::passwords::NewPassword;
use tidegauge_catalog::people::Person;
use tidegauge_catalog::{Catalog, Change};
use tidegauge_model::{Chance, ErrorKind, Timestamp};

use super::passwords::{Password, rules};
use super::sessions::{self, Arrival, Session};
use super::sign_in::account_name;
use super::{Caller, Error, Result, users};
use crate::app::App;
use crate::config::PublicUrl;

/// How long a link to a first password is good.
const FIRST_GOOD_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How long a link to another password is good.
const RESET_GOOD_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// A link that was just made.
#[derive(Debug)]
pub struct NewLink {
    pub secret: OpaqueSecret,
    pub expires_at: Timestamp,
}

impl NewLink {
    /// Where the link leads.
    pub fn address(&self, public_url: &PublicUrl) -> String {
        format!("{public_url}/setup/{}", self.secret.reveal())
    }
}

/// How setting a password by a link ended.
#[derive(Debug)]
pub enum LinkUse {
    Done(Session),
    /// The link is not good, or not any more.
    Gone,
    /// The password cannot be taken, with what to tell about it.
    Unfit(String),
}

/// Makes a link for the operator, who may let anybody in again.
pub async fn make(
    catalog: &Catalog,
    chance: &dyn Chance,
    person: &Person,
    change: &Change,
) -> std::result::Result<NewLink, tidegauge_catalog::Error> {
    let account = catalog.find_account(&person.id).await?;
    let has_password = account.is_some_and(|account| account.hash.is_some());
    let good_for = if has_password { RESET_GOOD_FOR } else { FIRST_GOOD_FOR };
    let (secret, expires_at) = (OpaqueSecret::generate(chance), change.at.plus(good_for));
    let link = Link { person: person.id.clone(), invited_by: None, expires_at };
    catalog.insert_link(&link, &secret.digest(), change).await?;
    Ok(NewLink { secret, expires_at })
}

/// Makes a link by which a member of the caller's organisation sets their first password. Whoever has the link becomes
/// that person, so it is for people who are nobody elsewhere yet.
pub async fn invite(app: &App, caller: &Caller, id: &str) -> Result<NewLink> {
    let org = caller.org()?;
    let (person, _) = users::check_may_change(app, caller, org, id).await?;
    let secret = OpaqueSecret::generate(&*app.chance);
    let expires_at = caller.now.plus(FIRST_GOOD_FOR);
    let link = Link { person, invited_by: Some(org.clone()), expires_at };
    let made = app.catalog.insert_invitation(org, &link, &secret.digest(), &caller.change()).await?;
    made.map_err(refused)?;
    Ok(NewLink { secret, expires_at })
}

fn refused(refusal: LinkRefusal) -> Error {
    let (kind, message) = match refusal {
        LinkRefusal::NotAMember => return Error::not_found("user"),
        LinkRefusal::HasPassword => (ErrorKind::Conflict, "the user can sign in already"),
        LinkRefusal::BelongsElsewhere => (
            ErrorKind::Forbidden,
            "the user belongs to other organisations too, so none of them can invite them",
        ),
    };
    Error::new(kind, message).hint("the operator can make a link with `tidegauge user link EMAIL`")
}

/// The person whose password a link sets, if it is good.
pub async fn find(app: &App, text: &str) -> Result<Option<Person>> {
    let Some(secret) = OpaqueSecret::parse(text) else {
        return Ok(None);
    };
    match app.catalog.find_link(&secret.digest(), app.now()).await? {
        Some(link) => Ok(app.catalog.find_person(&link.person).await?),
        None => Ok(None),
    }
}

/// Sets the password of a link's person, which uses the link up, and signs the person in.
pub async fn set_password(
    app: &App,
    text: &str,
    password: &Password,
    before: Option<&Session>,
    arrival: &Arrival,
) -> Result<LinkUse> {
    let (Some(secret), Some(person)) = (OpaqueSecret::parse(text), find(app, text).await?) else {
        return Ok(LinkUse::Gone);
    };
    if let Err(problem) = rules::check(password, &person) {
        return Ok(LinkUse::Unfit(problem));
    }
    let hash = app.passwords.hash(password, &*app.chance).await?;
    let new = NewPassword { hash: &hash, account: &account_name(&person.email) };
    if !app.catalog.use_link(&secret.digest(), new, &arrival.change(person.id.as_str())).await? {
        return Ok(LinkUse::Gone);
    }
    // Not that of the same person: with their password, all of theirs have ended.
    if let Some(before) = before.filter(|before| before.user != person.id) {
        sessions::end(app, before, arrival).await?;
    }
    Ok(LinkUse::Done(sessions::begin(app, &person.id, arrival).await?))
}
