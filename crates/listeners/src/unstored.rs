//! Why something that came over a listener was not stored, and how its endpoint stood then: the reason may quote an event,
//! and is shown to nobody who may not query where that was to go.

use tidegauge_app::App;
use tidegauge_app::endpoint_uses::EndpointAt;
use tidegauge_app::service::ingest::sender::Refused;
use tidegauge_app::service::{Caller, Error};
use tidegauge_model::{EndpointId, ErrorKind};

/// What was not stored.
#[derive(Debug)]
pub(crate) struct Unstored {
    endpoint: EndpointAt,
    pub(crate) kind: ErrorKind,
    pub(crate) reason: String,
}

impl Unstored {
    /// What was refused to the caller that the listener of an endpoint acts as.
    pub(crate) fn of(id: &EndpointId, caller: &Caller, refused: Refused) -> Self {
        let (kind, reason) = match refused {
            Refused::Protocol(problem) => (problem.kind, problem.message),
            Refused::Service(error) => (error.kind, error.message),
        };
        let known = caller.endpoint.as_ref().map(|endpoint| endpoint.as_it_stands());
        Self { endpoint: known.unwrap_or_else(|| unknown(id)), kind, reason }
    }

    /// The endpoint could not be found, so that nothing was looked at.
    pub(crate) fn of_unknown(id: &EndpointId, error: Error) -> Self {
        Self { endpoint: unknown(id), kind: error.kind, reason: error.message }
    }

    /// Whether it is what came that is in the way. All else passes with time, or when somebody mends it.
    pub(crate) fn is_final(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::Malformed | ErrorKind::Invalid | ErrorKind::TooLarge | ErrorKind::UnsupportedMedia
        )
    }

    /// Notes it for the endpoint, with how many events it was.
    pub(crate) fn note(&self, app: &App, failures: u64) {
        app.endpoint_uses.failed(self.endpoint.clone(), failures, &self.reason, app.now());
    }
}

fn unknown(id: &EndpointId) -> EndpointAt {
    EndpointAt { id: id.clone(), version: None }
}
