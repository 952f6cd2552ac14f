//! Collects what every request would otherwise write: refused calls for the audit trail, and when tokens were last
//! used. Both are bounded in memory, and equal refusals become one entry with a count, so that a flood of bad
//! requests cannot become a flood of writes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tidegauge_catalog::Error;
use tidegauge_catalog::audit::Refusals;
use tidegauge_model::{OrgId, Timestamp, TokenId};

use crate::app::App;

/// Distinct kinds of refusal kept between two writes; what goes beyond is counted together.
const REFUSAL_KINDS_MAX: usize = 1_000;

/// What makes two refusals alike.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RefusalKey {
    pub org: Option<OrgId>,
    pub actor: String,
    pub action: String,
    pub resource: String,
    pub detail: String,
}

#[derive(Debug)]
struct Seen {
    at: Timestamp,
    request_id: String,
    times: i64,
}

/// Refused calls since the last write.
#[derive(Debug, Default)]
pub struct RefusalLog(Mutex<HashMap<RefusalKey, Seen>>);

impl RefusalLog {
    pub fn note(&self, key: RefusalKey, at: Timestamp, request_id: &str) {
        self.add(key, at, request_id, 1);
    }

    fn add(&self, key: RefusalKey, at: Timestamp, request_id: &str, times: i64) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = if seen.len() < REFUSAL_KINDS_MAX || seen.contains_key(&key) {
            key
        } else {
            let (actor, detail) = ("many".to_owned(), "too many kinds of refusal to list".to_owned());
            RefusalKey { org: key.org, actor, action: "many".to_owned(), resource: String::new(), detail }
        };
        let entry = seen.entry(key).or_insert(Seen { at, request_id: request_id.to_owned(), times: 0 });
        entry.times += times;
    }

    fn take(&self) -> Vec<Refusals> {
        let seen = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut refusals: Vec<Refusals> = seen
            .into_iter()
            .map(|(key, seen)| Refusals {
                org: key.org,
                at: seen.at,
                actor: key.actor,
                action: key.action,
                resource: key.resource,
                detail: key.detail,
                request_id: seen.request_id,
                times: seen.times,
            })
            .collect();
        refusals.sort_by_key(|refusal| refusal.at);
        refusals
    }

    /// Puts back what could not be written.
    fn give_back(&self, refusals: Vec<Refusals>) {
        for refusal in refusals {
            let Refusals { org, actor, action, resource, detail, .. } = refusal;
            let key = RefusalKey { org, actor, action, resource, detail };
            self.add(key, refusal.at, &refusal.request_id, refusal.times);
        }
    }
}

/// The newest use of each token since the last write. Bounded by the number of tokens.
#[derive(Debug, Default)]
pub struct LastUses(Mutex<HashMap<TokenId, Timestamp>>);

impl LastUses {
    pub fn note(&self, token: &TokenId, at: Timestamp) {
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match uses.get_mut(token) {
            Some(known) => *known = at,
            None => {
                uses.insert(token.clone(), at);
            }
        }
    }

    fn take(&self) -> Vec<(TokenId, Timestamp)> {
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *uses).into_iter().collect()
    }
}

/// Writes the refused calls into the audit trail.
pub async fn write_refusals(app: &App) -> Result<(), Error> {
    let refusals = app.refusals.take();
    if refusals.is_empty() {
        return Ok(());
    }
    let written = app.catalog.insert_refusals(&refusals).await;
    if written.is_err() {
        app.refusals.give_back(refusals);
    }
    written
}

/// Writes when tokens were last used. A failed write loses nothing but precision, so it is not repeated.
pub async fn write_last_uses(app: &App) -> Result<(), Error> {
    let uses = app.last_uses.take();
    if uses.is_empty() {
        return Ok(());
    }
    app.catalog.touch_tokens(&uses).await
}
