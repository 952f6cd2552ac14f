//! Remembers for a moment who a token belongs to, because looking it up costs as much as a disk sync. Every change that
//! this process makes to the catalogue, figures of use aside, ends the memory at once; one by another process is noticed
//! after a quarter of a second.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tidegauge_catalog::bearer::Bearer;
use tidegauge_catalog::{Catalog, Error};
use tidegauge_model::{OrgId, Timestamp};

/// How long a look-up counts, in microseconds.
const REMEMBERED_MICROS: i64 = 250_000;

/// How many are remembered.
const TOKENS_MAX: usize = 10_000;

/// Tokens that were looked up a moment ago.
#[derive(Debug, Default)]
pub struct Bearers(Mutex<HashMap<Asked, Known>>);

/// What was asked for: the digest of a token or another name of who sends it, and the organisation that the request
/// names.
type Asked = (String, Option<OrgId>);

#[derive(Debug)]
struct Known {
    bearer: Arc<Bearer>,
    /// The state of the catalogue that it was read from.
    changes: u64,
    at: Timestamp,
}

impl Bearers {
    /// Finds the token with this digest. A token that does not exist is not remembered: it may be made any moment.
    pub async fn find(
        &self,
        catalog: &Catalog,
        digest: String,
        named: Option<&OrgId>,
        now: Timestamp,
    ) -> Result<Option<Arc<Bearer>>, Error> {
        let look_up = catalog.find_bearer(&digest, named);
        self.remembered(catalog, digest.clone(), named, now, look_up).await
    }

    /// What a look-up under this key found a moment ago, or finds now.
    pub async fn remembered(
        &self,
        catalog: &Catalog,
        key: String,
        named: Option<&OrgId>,
        now: Timestamp,
        look_up: impl Future<Output = Result<Option<Bearer>, Error>>,
    ) -> Result<Option<Arc<Bearer>>, Error> {
        let asked = (key, named.cloned());
        // Read before the look-up, so that a change during it ends the memory.
        let changes = catalog.changes();
        if let Some(known) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&asked) {
            let age = now.as_micros().saturating_sub(known.at.as_micros());
            if known.changes == changes && (0..REMEMBERED_MICROS).contains(&age) {
                return Ok(Some(Arc::clone(&known.bearer)));
            }
        }
        let Some(bearer) = look_up.await? else {
            return Ok(None);
        };
        let bearer = Arc::new(bearer);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= TOKENS_MAX {
            known.clear();
        }
        known.insert(asked, Known { bearer: Arc::clone(&bearer), changes, at: now });
        Ok(Some(bearer))
    }
}
