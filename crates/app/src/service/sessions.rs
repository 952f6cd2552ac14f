//! Sessions of browsers: begun when a person has signed in, ended by the person, by time, or by another password. The
//! browser keeps a secret, the catalogue its digest. Forms and scripts of the service's own pages prove by a token that
//! is derived from the secret that they are not another site's.

use std::net::IpAddr;
use std::time::Duration;

use tidegauge_auth::{OpaqueSecret, opaque};
use tidegauge_catalog::Change;
use tidegauge_catalog::sessions::SessionRecord;
use tidegauge_model::{SessionId, Timestamp, UserId};

use super::Result;
use crate::app::App;

/// A session ends when it was not used for so long.
pub const IDLE: Duration = Duration::from_secs(12 * 60 * 60);

/// A session ends so long after it was begun, however much it is used.
pub const LIFETIME: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// How exactly the last use is known. A write per request would cost more than it tells.
const TOUCHED_EVERY: Duration = Duration::from_secs(5 * 60);

/// What the tokens of forms are derived for.
pub const FORM_PURPOSE: &str = "form";

/// A session that is in force.
#[derive(Clone, Debug)]
pub struct Session {
    pub id: SessionId,
    pub user: UserId,
    /// When the person proved who they are.
    pub begun: Timestamp,
    secret: OpaqueSecret,
}

impl Session {
    /// What the browser keeps.
    pub fn secret(&self) -> &OpaqueSecret {
        &self.secret
    }

    /// The audit record of what the person does with it.
    pub fn change(&self, arrival: &Arrival) -> Change {
        arrival.change(self.user.as_str())
    }
}

/// From where a request to sign in or to use an account comes, and when.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// Where it comes from: the other end of the connection, or whom a trusted proxy names.
    pub address: Option<IpAddr>,
    /// What the browser calls itself.
    pub agent: String,
    pub request_id: String,
    pub now: Timestamp,
}

impl Arrival {
    /// The audit record of a change that belongs to no organisation by itself.
    pub fn change(&self, actor: &str) -> Change {
        Change { org: None, actor: actor.to_owned(), at: self.now, request_id: self.request_id.clone() }
    }
}

/// The session that a browser has the secret of, if it is still in force.
pub async fn find(app: &App, secret: &OpaqueSecret) -> Result<Option<Session>> {
    let now = app.now();
    let found = app.catalog.find_session(&secret.digest()).await?;
    let Some(found) = found.filter(|record| is_in_force(record, now)) else {
        return Ok(None);
    };
    if found.last_used.plus(TOUCHED_EVERY) <= now {
        app.catalog.touch_session(&found.id, now).await?;
    }
    let SessionRecord { id, person, created, .. } = found;
    Ok(Some(Session { id, user: person, begun: created, secret: secret.clone() }))
}

/// Whether a session has not ended by itself.
pub fn is_in_force(record: &SessionRecord, now: Timestamp) -> bool {
    record.expires_at > now && record.last_used.plus(IDLE) > now
}

/// Begins a session of a person who has just proved who they are. It has a secret of its own, whatever the browser sent.
pub async fn begin(app: &App, user: &UserId, arrival: &Arrival) -> Result<Session> {
    let secret = OpaqueSecret::generate(&*app.rng);
    let now = arrival.now;
    let record = SessionRecord {
        id: SessionId::generate(now, &*app.rng),
        person: user.clone(),
        created: now,
        last_used: now,
        expires_at: now.plus(LIFETIME),
        address: arrival.address.map(|address| address.to_string()).unwrap_or_default(),
        agent: arrival.agent.replace('\0', ""),
    };
    app.catalog.insert_session(&record, &secret.digest(), &arrival.change(user.as_str())).await?;
    Ok(Session { id: record.id, user: record.person, begun: now, secret })
}

/// Ends a session: its person signs out.
pub async fn end(app: &App, session: &Session, arrival: &Arrival) -> Result<()> {
    app.catalog.delete_session(&session.user, &session.id, &session.change(arrival)).await?;
    Ok(())
}

/// What a form must send back to show that it comes from a page of this session.
pub fn form_token(session: &Session) -> String {
    session.secret.derive(FORM_PURPOSE)
}

/// Whether a form shows that it comes from a page of this session.
pub fn check_form_token(session: &Session, token: &str) -> bool {
    opaque::are_equal(&form_token(session), token)
}
