//! Files that a browser downloads: a link stands for a query and for who may ask it, is good once and for ten minutes,
//! because a download carries no other proof of who asks, and for as long as who made it could make it again. Links are
//! kept in memory: one that a restart took is made anew.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tidegauge_auth::OpaqueSecret;
use tidegauge_model::{ErrorKind, Timestamp};

use super::query::Queried;
use super::query::apl::export::{Common, Export, ExportInput};
use super::{Caller, Error, Result, standing};
use crate::app::App;

/// How long a link is good.
const GOOD_FOR: Duration = Duration::from_secs(10 * 60);

/// How many links may be open, of one caller and of all.
const OPEN_MAX: usize = 10_000;
const OPEN_OF_ONE_MAX: usize = 20;

/// As what a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    Csv,
    Ndjson,
    Parquet,
}

impl FileFormat {
    pub const ALL: [Self; 3] = [Self::Csv, Self::Ndjson, Self::Parquet];

    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
            Self::Parquet => "parquet",
        }
    }

    fn common(self) -> Common {
        match self {
            Self::Csv => Common::Names,
            Self::Ndjson => Common::Nothing,
            Self::Parquet => Common::NamesAndTypes,
        }
    }
}

/// The links that are open.
#[derive(Debug, Default)]
pub struct ExportState {
    /// By the digests of their secrets.
    open: Mutex<HashMap<String, Offer>>,
}

/// What a link stands for.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Who made it, as they stood then.
    caller: Caller,
    export: Export,
    pub format: FileFormat,
    expires_at: Timestamp,
}

/// A link that was made.
#[derive(Debug)]
pub struct Link {
    pub secret: OpaqueSecret,
    pub expires_at: Timestamp,
}

/// Makes a link to the answer of a query.
pub async fn offer(app: &App, caller: &Caller, input: ExportInput, format: FileFormat) -> Result<Link> {
    let export = Export::new(app, caller, input, format.common()).await?;
    let secret = OpaqueSecret::generate(&*app.rng);
    let expires_at = caller.now.plus(GOOD_FOR);
    let offer = Offer { caller: caller.clone(), export, format, expires_at };
    app.exports.add(secret.digest(), offer, caller.now)?;
    Ok(Link { secret, expires_at })
}

/// Looks what a link stands for, without using it up.
pub async fn look(app: &App, secret: &str) -> Result<Offer> {
    let secret = OpaqueSecret::parse(secret).ok_or_else(gone)?;
    let offer = app.exports.lock().get(&secret.digest()).cloned();
    good(app, offer).await
}

/// Uses a link up.
pub async fn take(app: &App, secret: &str) -> Result<Offer> {
    let secret = OpaqueSecret::parse(secret).ok_or_else(gone)?;
    let offer = app.exports.lock().remove(&secret.digest());
    good(app, offer).await
}

/// What a link stands for, if its time is not over and who made it could make it now.
async fn good(app: &App, offer: Option<Offer>) -> Result<Offer> {
    let offer = offer.filter(|offer| app.now() < offer.expires_at).ok_or_else(gone)?;
    let checked = Box::pin(check(app, &offer)).await;
    match checked {
        Ok(()) => Ok(offer),
        Err(Error {
            kind: ErrorKind::Unauthenticated | ErrorKind::Forbidden | ErrorKind::NotFound, ..
        }) => Err(gone()),
        Err(error) => Err(error),
    }
}

async fn check(app: &App, offer: &Offer) -> Result<()> {
    let present = standing::again(app, &offer.caller).await?;
    offer.export.check(app, &present).await
}

impl Offer {
    /// The next page of the file, none behind the last. Who made the link must still be allowed to ask for it.
    pub async fn next(&mut self, app: &App) -> Result<Option<Queried>> {
        let present = standing::again(app, &self.caller).await?;
        Box::pin(self.export.next(app, &present)).await
    }
}

fn gone() -> Error {
    Error::new(ErrorKind::NotFound, "the link to the file is not good any more")
        .hint("it is good once, for ten minutes, and while who made it may ask the query: export again")
}

impl ExportState {
    fn add(&self, digest: String, offer: Offer, now: Timestamp) -> Result<()> {
        let mut open = self.lock();
        open.retain(|_, offer| now < offer.expires_at);
        let own = open.values().filter(|other| other.caller.actor == offer.caller.actor).count();
        if own >= OPEN_OF_ONE_MAX || open.len() >= OPEN_MAX {
            return Err(Error::new(ErrorKind::Busy, "too many links to files are open")
                .hint("use those that there are, or wait for ten minutes"));
        }
        open.insert(digest, offer);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Offer>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
