//! Places among the requests that are worked on at once: those of the service, and those of an organisation. Who cannot have
//! one is refused, but for those who would not hear it: they wait, as long as a request may take.

use std::sync::Arc;

use tidegauge_admission::limits::Share;
use tidegauge_app::App;
use tidegauge_model::ErrorKind;
use tidegauge_web::error::ApiError;
use tokio::sync::OwnedSemaphorePermit;

use super::found::Head;

/// One organisation can have one in so many of the requests that are worked on at once.
const SHARE_OF_LOAD: usize = 2;

/// And of those, one in so many for senders that wait, so that others of the organisation have places beside them.
const SHARE_OF_WAITING: usize = 2;

/// One of the service's places.
#[derive(Debug)]
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
    _unheard: Option<OwnedSemaphorePermit>,
}

/// What a request that is let through holds until it is answered.
#[derive(Debug)]
pub(super) struct Held {
    _place: Place,
    _share: Share,
    _turn: Option<OwnedSemaphorePermit>,
}

/// Takes one of the service's places.
pub(super) async fn of_service(app: &App, head: Head<'_>) -> Result<Place, ApiError> {
    // First among its own kind: those that wait for `load` come before all that ask for it later.
    let unheard = match head.is_unheard {
        true => Arc::clone(&app.unheard_load).acquire_owned().await.ok(),
        false => None,
    };
    let load = Arc::clone(&app.load);
    let permit = match head.is_unheard {
        true => load.acquire_owned().await.ok(),
        false => load.try_acquire_owned().ok(),
    };
    let permit = permit.ok_or_else(|| busy("the service is working on as many requests as it can"))?;
    Ok(Place { _permit: permit, _unheard: unheard })
}

/// Takes one of the organisation's, beside the one of the service.
pub(super) async fn of_org(app: &App, head: Head<'_>, org: &str, place: Place) -> Result<Held, ApiError> {
    let max = app.http.max_requests_in_flight / SHARE_OF_LOAD;
    if !head.is_unheard {
        let share = app.shares.take(org, max);
        let share = share.ok_or_else(|| busy("the organisation has as many requests running as it may"))?;
        return Ok(Held { _place: place, _share: share, _turn: None });
    }
    // Who waits for the organisation's place does not keep one of the service from others.
    drop(place);
    let turn = app.turns.wait(org, max / SHARE_OF_WAITING).await;
    let share = app.shares.wait(org, max).await;
    let place = of_service(app, head).await?;
    Ok(Held { _place: place, _share: share, _turn: turn })
}

fn busy(message: &str) -> ApiError {
    ApiError::new(ErrorKind::Unavailable, message)
}
