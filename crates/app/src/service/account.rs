//! What signed-in people do with their own account: another password, and which of their sessions go on.

use tidegauge_catalog::passwords::{Account, NewPassword};
use tidegauge_catalog::sessions::SessionRecord;
use tidegauge_model::{SessionId, Timestamp};

use super::passwords::{Password, rules};
use super::sessions::{self, Arrival, Session};
use super::sign_in::{self, Proof, account_name};
use super::{Error, Result};
use crate::app::App;

/// How changing a password ended.
#[derive(Debug)]
pub enum PasswordChange {
    /// All sessions have ended; this one is new.
    Done(Session),
    /// The present password is another one.
    Wrong,
    Locked(Timestamp),
    /// The new password cannot be taken, with what to tell about it.
    Unfit(String),
}

/// The account of a session.
pub async fn get(app: &App, session: &Session) -> Result<Account> {
    app.catalog.find_account(&session.user).await?.ok_or_else(|| Error::not_found("user"))
}

/// The person's sessions that are in force, the newest first.
pub async fn list_sessions(app: &App, session: &Session) -> Result<Vec<SessionRecord>> {
    let now = app.now();
    let mut records = app.catalog.list_sessions(&session.user).await?;
    records.retain(|record| sessions::is_in_force(record, now));
    Ok(records)
}

/// Ends one of the person's sessions.
pub async fn end_session(app: &App, session: &Session, id: &str, arrival: &Arrival) -> Result<()> {
    // One that has ended meanwhile is what was asked for.
    if let Some(id) = SessionId::parse(id) {
        app.catalog.delete_session(&session.user, &id, &session.change(arrival)).await?;
    }
    Ok(())
}

/// Ends every session of the person but this one.
pub async fn end_other_sessions(app: &App, session: &Session, arrival: &Arrival) -> Result<()> {
    app.catalog.delete_other_sessions(&session.user, &session.id, &session.change(arrival)).await?;
    Ok(())
}

/// Gives the person another password. Whoever knows the present one by guessing is held to the same limits as when
/// signing in.
pub async fn change_password(
    app: &App,
    session: &Session,
    present: &Password,
    new: &Password,
    arrival: &Arrival,
) -> Result<PasswordChange> {
    let Account { person, sign_in, .. } = get(app, session).await?;
    let proof = sign_in::prove(app, &sign_in, present, arrival, "POST /account/password").await?;
    let proven = match proof {
        Proof::Proven(Account { hash: Some(hash), .. }) => hash,
        Proof::Proven(_) | Proof::Wrong => return Ok(PasswordChange::Wrong),
        Proof::Locked(until) => return Ok(PasswordChange::Locked(until)),
    };
    if let Err(problem) = rules::check(new, &person) {
        return Ok(PasswordChange::Unfit(problem));
    }
    let hash = app.passwords.hash(new, &*app.rng).await?;
    let new = NewPassword { hash: &hash, account: &account_name(&sign_in) };
    if !app.catalog.change_password(&person.id, &proven, new, &session.change(arrival)).await? {
        // Somebody else has changed it in this very moment.
        return Ok(PasswordChange::Wrong);
    }
    Ok(PasswordChange::Done(sessions::begin(app, &person.id, arrival).await?))
}
