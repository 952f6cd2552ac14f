//! What every request would otherwise write: refused calls for the audit trail, and when tokens were last used. Both
//! are bounded in memory, and equal refusals become one entry with a count, so that a flood of bad requests cannot
//! become a flood of writes. Jobs write them down.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tidegauge_catalog::audit::Refusals;
use tidegauge_catalog::{Catalog, Error};
use tidegauge_model::{OrgId, Timestamp, TokenId};

/// Distinct kinds of refusal of one organisation kept between two writes; what goes beyond is counted together.
const KINDS_MAX: usize = 100;

/// What makes two refusals of an organisation alike. The path is not part of it: a sender chooses it freely, and must
/// not choose how many entries it makes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RefusalKind {
    pub actor: String,
    /// The route.
    pub action: String,
    pub detail: String,
}

#[derive(Debug)]
struct Seen {
    at: Timestamp,
    /// The path of the first one.
    resource: String,
    request_id: String,
    times: i64,
}

type Kinds = HashMap<RefusalKind, Seen>;

/// Refused calls since the last write, by organisation; those without a known sender belong to none.
#[derive(Debug, Default)]
pub struct RefusalBuffer {
    seen: Mutex<HashMap<Option<OrgId>, Kinds>>,
    /// Held while what was taken is on its way into the catalogue.
    writing: tokio::sync::Mutex<()>,
}

impl RefusalBuffer {
    pub fn note(
        &self,
        org: Option<OrgId>,
        kind: RefusalKind,
        at: Timestamp,
        resource: &str,
        request_id: &str,
    ) {
        let (resource, request_id) = (resource.to_owned(), request_id.to_owned());
        self.add(org, kind, Seen { at, resource, request_id, times: 1 });
    }

    fn add(&self, org: Option<OrgId>, kind: RefusalKind, seen: Seen) {
        let mut log = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let kinds = log.entry(org).or_default();
        let kind = if kinds.len() < KINDS_MAX || kinds.contains_key(&kind) {
            kind
        } else {
            let detail = "more kinds of refusal than can be listed".to_owned();
            RefusalKind { actor: "many".to_owned(), action: "many".to_owned(), detail }
        };
        match kinds.get_mut(&kind) {
            Some(known) => known.times += seen.times,
            None => {
                kinds.insert(kind, seen);
            }
        }
    }

    /// Takes everything out, to be written.
    fn take(&self) -> Taken<'_> {
        let log = std::mem::take(&mut *self.seen.lock().unwrap_or_else(PoisonError::into_inner));
        let mut refusals = Vec::new();
        for (org, kinds) in log {
            for (RefusalKind { actor, action, detail }, seen) in kinds {
                let Seen { at, resource, request_id, times } = seen;
                let org = org.clone();
                refusals.push(Refusals { org, at, actor, action, resource, detail, request_id, times });
            }
        }
        refusals.sort_by_key(|refusal| refusal.at);
        Taken { log: self, refusals }
    }
}

/// Refusals on their way into the catalogue. If the write fails, they go back.
struct Taken<'a> {
    log: &'a RefusalBuffer,
    refusals: Vec<Refusals>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        for refusal in self.refusals.drain(..) {
            let Refusals { org, at, actor, action, resource, detail, request_id, times } = refusal;
            self.log.add(
                org,
                RefusalKind { actor, action, detail },
                Seen { at, resource, request_id, times },
            );
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

    /// The last use of a token, of which an older one may be known.
    pub fn last(&self, token: &TokenId, known: Option<Timestamp>) -> Option<Timestamp> {
        let uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        uses.get(token).copied().max(known)
    }

    fn take(&self) -> Vec<(TokenId, Timestamp)> {
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *uses).into_iter().collect()
    }
}

/// Writes the refused calls into the audit trail. When it is done, all that were noted before are there. Not to be
/// cancelled: a write that was given up half-way may have happened, and would then be repeated.
pub async fn write_refusals(log: &RefusalBuffer, catalog: &Catalog) -> Result<(), Error> {
    let _turn = log.writing.lock().await;
    let mut taken = log.take();
    if taken.refusals.is_empty() {
        return Ok(());
    }
    catalog.insert_refusals(&taken.refusals).await?;
    taken.refusals.clear();
    Ok(())
}

/// Writes when tokens were last used. A failed write loses nothing but precision, so it is not repeated.
pub async fn write_last_uses(last_uses: &LastUses, catalog: &Catalog) -> Result<(), Error> {
    let uses = last_uses.take();
    if uses.is_empty() {
        return Ok(());
    }
    catalog.touch_tokens(&uses).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(log: &RefusalBuffer, org: &str, detail: &str) {
        let kind = RefusalKind { actor: "a".into(), action: "GET /x".into(), detail: detail.into() };
        log.note(Some(org.into()), kind, Timestamp::from_micros(1), "/x/1", "r");
    }

    #[test]
    fn equal_refusals_are_one_entry_with_a_count() {
        let log = RefusalBuffer::default();
        (0..3).for_each(|_| note(&log, "org_a", "no"));
        let taken = log.take();
        assert_eq!(taken.refusals.len(), 1);
        assert_eq!(taken.refusals[0].times, 3);
    }

    #[test]
    fn one_organisation_cannot_push_out_the_refusals_of_another() {
        let log = RefusalBuffer::default();
        (0..10 * KINDS_MAX).for_each(|number| note(&log, "org_a", &number.to_string()));
        note(&log, "org_b", "no");
        let mut taken = log.take();
        let of_b: Vec<&Refusals> = taken.refusals.iter().filter(|r| r.org == Some("org_b".into())).collect();
        assert_eq!((of_b.len(), of_b[0].detail.as_str()), (1, "no"));
        let of_a = taken.refusals.iter().filter(|refusal| refusal.org == Some("org_a".into()));
        let (kinds, times) = of_a.fold((0, 0), |(kinds, times), refusal| (kinds + 1, times + refusal.times));
        assert_eq!((kinds, times), (KINDS_MAX + 1, 10 * KINDS_MAX as i64));
        taken.refusals.clear();
    }

    #[test]
    fn what_was_taken_and_not_written_comes_back() {
        let log = RefusalBuffer::default();
        note(&log, "org_a", "no");
        drop(log.take());
        note(&log, "org_a", "no");
        assert_eq!(log.take().refusals[0].times, 2);
    }
}
