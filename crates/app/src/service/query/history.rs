//! The history: queries that their askers wanted to be kept. Bounded by number and age; a job drops the rest.

use tidegauge_catalog::query_history::SavedQuery;
use tidegauge_model::{Action, Chance, DatasetArea, Rule, Violation, chance};

use crate::app::App;
use crate::service::{Caller, Error, Result};

/// Largest query that is kept, in bytes.
const QUERY_BYTES_MAX: usize = 64 << 10;

const ID_LENGTH: usize = 18;

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
#[derive(Debug)]
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
        id: new_id(&*app.chance),
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
/// its datasets, with commas between them.
pub async fn find(app: &App, caller: &Caller, id: &str) -> Result<SavedQuery> {
    let found = app.catalog.find_saved_query(caller.org()?, id).await?;
    let may = |saved: &SavedQuery| {
        let mut names = saved.dataset.split(',').filter(|name| !name.is_empty()).peekable();
        if names.peek().is_none() {
            return saved.who == caller.user.as_str();
        }
        names.all(|name| caller.capabilities.allows_dataset(name, DatasetArea::Query, Action::Read))
    };
    found.filter(may).ok_or_else(|| Error::not_found("query"))
}

/// Digits and letters, as clients know such ids.
fn new_id(chance: &dyn Chance) -> String {
    const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut number = u128::from_le_bytes(chance::bytes::<16>(chance));
    let mut next = || {
        let digit = ALPHABET[(number % 62) as usize];
        number /= 62;
        char::from(digit)
    };
    (0..ID_LENGTH).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use tidegauge_model::chance::SeededChance;

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
        let chance = SeededChance::new(1);
        let ids: std::collections::HashSet<String> = (0..1_000).map(|_| new_id(&chance)).collect();
        assert_eq!(ids.len(), 1_000);
        assert!(ids.iter().all(|id| id.len() == 18 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())));
    }
}
