//! Files that a browser downloads: a link stands for a query and for who may ask it, is good once and for ten minutes,
//! because a download carries no other proof of who asks, and for as long as who made it could make it again. Links are
//! kept in memory: one that a restart took is made anew.

mod state;

use std::time::Duration;

use tidegauge_auth::OpaqueSecret;
use tidegauge_model::{ErrorKind, Timestamp};

pub use self::state::{ExportState, FileFormat, Offer};
use super::query::Queried;
use super::query::apl::export::{Export, ExportInput};
use super::{Caller, Error, Result, standing};
use crate::app::App;

/// How long a link is good.
const GOOD_FOR: Duration = Duration::from_secs(10 * 60);

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
