//! Signing in with an e-mail address, or with the id of an account whose address another one has, and a password.
//! Whether an address belongs to anybody shows neither in the answer, nor in the time it takes, nor in when it is locked.
//! Every attempt is in the audit trail.

use tidegauge_admission::lockout;
use tidegauge_auth::opaque;
use tidegauge_catalog::passwords::Account;
use tidegauge_model::address::fold_email;
use tidegauge_model::{Timestamp, UserId};

use super::Result;
use super::passwords::rules::BYTES_MAX;
use super::passwords::{Compared, Password};
use super::sessions::{self, Arrival, Session};
use crate::app::App;
use crate::audit_buffer::RefusalKind;

/// Longest address that is looked for; none is longer.
const EMAIL_MAX: usize = 320;

/// How an attempt to sign in ended.
#[derive(Debug)]
pub enum SignIn {
    Done(Session),
    /// The address or the password is wrong.
    Wrong,
    /// There were too many failures: nothing is tried before this time.
    Locked(Timestamp),
}

/// How an attempt to prove to be the owner of an account ended.
#[derive(Debug)]
pub(super) enum Proof {
    Proven(Account),
    Wrong,
    Locked(Timestamp),
}

/// Signs a person in. The session that the browser had before ends.
pub async fn sign_in(
    app: &App,
    email: &str,
    password: &Password,
    before: Option<&Session>,
    arrival: &Arrival,
) -> Result<SignIn> {
    let account = match prove(app, email, password, arrival, "POST /login").await? {
        Proof::Proven(account) => account,
        Proof::Wrong => return Ok(SignIn::Wrong),
        Proof::Locked(until) => return Ok(SignIn::Locked(until)),
    };
    if let Some(before) = before {
        sessions::end(app, before, arrival).await?;
    }
    Ok(SignIn::Done(sessions::begin(app, &account.person.id, arrival).await?))
}

/// Under which name the failures of an address are counted. The address itself is not kept: it may be a password that
/// was typed into the wrong field.
pub(super) fn account_name(email: &str) -> String {
    opaque::digest_of(&normal(email))
}

fn normal(email: &str) -> String {
    let email = fold_email(email.trim());
    // Such an address is nobody's, and not every database can be asked for it.
    if email.len() > EMAIL_MAX || email.contains('\0') { String::new() } else { email }
}

/// Checks a password, unless there were too many failures before. What happens is the same for an address that belongs
/// to nobody, step by step.
pub(super) async fn prove(
    app: &App,
    email: &str,
    password: &Password,
    arrival: &Arrival,
    action: &'static str,
) -> Result<Proof> {
    let now = arrival.now;
    let email = normal(email);
    let name = account_name(&email);
    let attempt = Attempt { app, arrival, action };
    if let Err(until) = app.addresses.check(arrival.address, now) {
        attempt.refused(None, "this network address is locked after failures").await?;
        return Ok(Proof::Locked(until));
    }
    let counted = app.catalog.begin_attempt(&name, now, |failures, last| lockout::next(failures, last, now));
    let failures = match counted.await? {
        Ok(failures) => failures,
        Err(until) => {
            let account = app.catalog.find_account_by_sign_in(&email).await?;
            attempt.refused(account.as_ref(), "the account is locked after failures").await?;
            return Ok(Proof::Locked(until));
        }
    };
    let account = app.catalog.find_account_by_sign_in(&email).await?;
    let hash = account.as_ref().and_then(|account| account.hash.as_deref());
    let hash = hash.filter(|_| password.bytes() <= BYTES_MAX);
    let compared = app.passwords.compare(password, hash).await?;
    match (account, compared) {
        (Some(account), Compared::Right | Compared::RightButOutdated) => {
            app.catalog.forget_attempts(&name).await?;
            app.addresses.forget(arrival.address);
            Ok(Proof::Proven(renewed(app, account, password, compared).await?))
        }
        (account, _) => {
            app.addresses.note_failure(arrival.address, now);
            let detail = match (&account, lockout::locked_until(failures, now)) {
                (_, Some(_)) => "the password is wrong, which locks the account for a while",
                (Some(_), None) => "the password is wrong",
                (None, None) => "no account has this address",
            };
            attempt.refused(account.as_ref(), detail).await?;
            Ok(Proof::Wrong)
        }
    }
}

/// The account with a hash of the present costs.
async fn renewed(
    app: &App,
    mut account: Account,
    password: &Password,
    compared: Compared,
) -> Result<Account> {
    if let (Compared::RightButOutdated, Some(old)) = (compared, &account.hash) {
        let new = app.passwords.hash(password, &*app.rng).await?;
        app.catalog.rehash_password(&account.person.id, old, &new).await?;
        account.hash = Some(new);
    }
    Ok(account)
}

/// An attempt, for the audit trail.
struct Attempt<'a> {
    app: &'a App,
    arrival: &'a Arrival,
    action: &'static str,
}

impl Attempt<'_> {
    async fn refused(&self, account: Option<&Account>, detail: &str) -> Result<()> {
        let Self { app, arrival, action } = self;
        // Asked also for nobody, so that it takes the same time.
        let user = account.map_or_else(|| UserId::from(""), |account| account.person.id.clone());
        let orgs = app.catalog.list_accepted_orgs(&user).await?;
        let actor = if account.is_some() { user.to_string() } else { "unknown".to_owned() };
        let kind = RefusalKind { actor, action: (*action).to_owned(), detail: detail.to_owned() };
        let path = action.split(' ').nth(1).unwrap_or_default();
        let note = |org| app.refusals.note(org, kind.clone(), arrival.now, path, &arrival.request_id);
        if orgs.is_empty() {
            note(None);
        }
        orgs.into_iter().for_each(|org| note(Some(org)));
        app.metrics.request_refused();
        Ok(())
    }
}
