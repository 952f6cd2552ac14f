//! The history: queries that their askers wanted to be kept. Bounded by number and age; a job drops the rest.

use std::collections::HashMap;

use tidegauge_catalog::query_history::SavedQuery;
use tidegauge_catalog::starred::Whose;
use tidegauge_model::{Action, DatasetArea, Rng, Rule, Timestamp, Violation, rng};

use crate::app::App;
use crate::service::{Caller, Error, Result};

/// Largest query that is kept, in bytes.
const QUERY_BYTES_MAX: usize = 64 << 10;

const ID_LENGTH: usize = 18;

/// How many queries are looked at in one go for a list.
const LIST_BATCH: i64 = 200;

/// As what a query is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveAs {
    Analytics,
    Stream,
    /// A query in text.
    Apl,
}

impl SaveAs {
    pub fn name(self) -> &'static str {
        match self {
            Self::Analytics => "analytics",
            Self::Stream => "stream",
            Self::Apl => "apl",
        }
    }
}

/// A query to be kept: as what, and its JSON text.
#[derive(Clone, Debug)]
pub struct Kept {
    pub save_as: SaveAs,
    pub text: String,
}

/// Refuses a query that is too large to be kept, before it is run.
pub(super) fn check(kept: &Kept) -> Result<()> {
    if kept.text.len() > QUERY_BYTES_MAX {
        let problem = format!("can keep a query of at most {QUERY_BYTES_MAX} bytes");
        return Err(Violation::new("saveAsKind", Rule::TooLong, problem).in_query().into());
    }
    Ok(())
}

/// Keeps a query, and returns its id.
pub(super) async fn save(app: &App, caller: &Caller, dataset: &str, kept: Kept) -> Result<String> {
    let saved = SavedQuery {
        id: new_id(&*app.rng),
        kind: kept.save_as.name().to_owned(),
        dataset: dataset.to_owned(),
        who: caller.user.to_string(),
        query: kept.text,
        created: caller.now,
    };
    app.catalog.insert_saved_query(caller.org()?, &saved).await?;
    Ok(saved.id)
}

/// Finds a query that was kept. One over a dataset that the caller may not query does not exist to the caller, and one
/// without a dataset exists to its asker alone: what stands in it may be data too. A query in text has the names of all
/// its datasets, with commas between them. It goes with them, and does not come back with others of their names.
pub async fn find(app: &App, caller: &Caller, id: &str) -> Result<SavedQuery> {
    let found = app.catalog.find_saved_query(caller.org()?, id).await?;
    let made = made(app, caller).await?;
    found.filter(|saved| may_see(caller, &made, saved)).ok_or_else(|| Error::not_found("query"))
}

/// When each dataset was made.
async fn made(app: &App, caller: &Caller) -> Result<HashMap<String, Timestamp>> {
    let datasets = app.catalog.list_datasets(caller.org()?).await?;
    Ok(datasets.into_iter().map(|dataset| (dataset.name.to_string(), dataset.created)).collect())
}

fn may_see(caller: &Caller, made: &HashMap<String, Timestamp>, saved: &SavedQuery) -> bool {
    let mut names = saved.dataset.split(',').filter(|name| !name.is_empty()).peekable();
    if names.peek().is_none() {
        return caller.is_user(&saved.who);
    }
    names.all(|name| {
        let may = caller.capabilities.allows_dataset(name, DatasetArea::Query, Action::Read);
        // A dataset that was made later is another one, which the query has not read.
        may && made.get(name).is_some_and(|made| *made <= saved.created)
    })
}

/// Which queries of the history a caller asks for.
#[derive(Debug)]
pub struct HistoryQuestion {
    /// `me`, `team`, `all` or the id of a person; `me` where nobody says it.
    pub who: Option<String>,
    pub dataset: Option<String>,
    /// The id of a query: the answer has those from before it.
    pub before: Option<String>,
    pub limit: i64,
}

/// Lists queries that were kept, the newest first: those that [`find`] finds.
pub async fn list(app: &App, caller: &Caller, question: HistoryQuestion) -> Result<Vec<SavedQuery>> {
    let org = caller.org()?;
    let me = caller.user.as_str().to_owned();
    let whose = match question.who.as_deref() {
        None | Some("" | "me") => Whose::Of(me),
        Some("all") => Whose::All,
        Some("team") => Whose::NotOf(me),
        Some(person) => Whose::Of(person.to_owned()),
    };
    let mut behind = match question.before.as_deref().filter(|id| !id.is_empty()) {
        Some(id) => Some(app.catalog.find_saved_query(org, id).await?.ok_or_else(unknown_place)?),
        None => None,
    };
    let (wanted, made) = (usize::try_from(question.limit).unwrap_or(0), made(app, caller).await?);
    let mut listed = Vec::new();
    while listed.len() < wanted {
        let place = behind.as_ref().map(|last| (last.created, last.id.as_str()));
        let found = app.catalog.list_saved_queries(org, &whose, place, LIST_BATCH).await?;
        let is_last = i64::try_from(found.len()).unwrap_or(LIST_BATCH) < LIST_BATCH;
        behind = found.last().cloned();
        listed.extend(found.into_iter().filter(|saved| may_see(caller, &made, saved)).filter(|saved| {
            question
                .dataset
                .as_deref()
                .is_none_or(|wanted| saved.dataset.split(',').any(|name| name == wanted))
        }));
        if is_last {
            break;
        }
    }
    listed.truncate(wanted);
    Ok(listed)
}

fn unknown_place() -> Error {
    Violation::new("before", Rule::Pattern, "must be the id of a query in the history").in_query().into()
}

/// Digits and letters, as clients know such ids.
pub(in crate::service) fn new_id(rng: &dyn Rng) -> String {
    const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut number = u128::from_le_bytes(rng::bytes::<16>(rng));
    let mut next = || {
        let digit = ALPHABET[(number % 62) as usize];
        number /= 62;
        char::from(digit)
    };
    (0..ID_LENGTH).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use tidegauge_model::rng::SeededRng;

    use super::*;

    #[test]
    fn a_query_that_is_too_large_is_not_kept() {
        let kept = |length: usize| check(&Kept { save_as: SaveAs::Stream, text: "x".repeat(length) });
        assert!(kept(QUERY_BYTES_MAX).is_ok());
        let refused = kept(QUERY_BYTES_MAX + 1).unwrap_err();
        assert_eq!(refused.message, "saveAsKind in query can keep a query of at most 65536 bytes");
    }

    #[test]
    fn ids_are_letters_and_digits_and_differ() {
        let rng = SeededRng::new(1);
        let ids: std::collections::HashSet<String> = (0..1_000).map(|_| new_id(&rng)).collect();
        assert_eq!(ids.len(), 1_000);
        assert!(ids.iter().all(|id| id.len() == 18 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())));
    }
}
