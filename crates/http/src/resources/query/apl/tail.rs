//! `/query/tail`: events as they arrive, as server-sent events.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use futures_util::stream;
use serde::Deserialize;
use tidegauge_app::App;
use tidegauge_app::service;
use tidegauge_app::service::query::apl::tail::{self, Arrivals};
use tidegauge_model::{Rule, Violation};
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::Caller;
use tokio::sync::mpsc::{self, Receiver};
use utoipa::ToSchema;

use super::stream::error_text;
use crate::guard::InFlight;
use crate::resources::query::event_stream::{self, Event, StreamEvent};
use crate::resources::query::parameters::Format;
use crate::resources::query::{read_body, write};

/// What to follow.
#[derive(Debug, Deserialize, ToSchema)]
pub struct TailRequest {
    /// One dataset with stages that choose and shape single events.
    #[schema(example = "['web'] | where status >= 500")]
    pub apl: String,
    /// `position` of the last event of a stream that has ended: goes on behind it.
    pub after: Option<String>,
}

/// Who follows, and what.
struct Followed {
    app: Arc<App>,
    caller: Caller,
    in_flight: Arc<InFlight>,
    following: std::pin::Pin<Box<dyn Future<Output = Result<(), service::Error>> + Send>>,
    arrivals: Receiver<Arrivals>,
}

/// Follows the events of a dataset as they arrive, whatever their own times are, from the moment of the request on and
/// for five minutes; `after` goes on where such a stream has ended. Each server-sent event `events` has `answer`, a table in the form `tabular` with the column
/// `_cursor` and in the order of arrival, and `dropped`: how many more events matched since the last one than are shown,
/// which are 500 at once and five times a second. `error` says why it ended: also when its caller may not ask any more, as
/// when the token was deleted. Each look counts as a query.
#[utoipa::path(post, path = "/query/tail", tag = "query", request_body = TailRequest,
    responses(
        (status = 200, body = StreamEvent, content_type = "text/event-stream"),
        (status = 400, body = ErrorBody, description = "The text cannot be understood, or is not of single events."),
    ))]
pub async fn tail(
    State(app): State<Arc<App>>,
    caller: Caller,
    Extension(in_flight): Extension<Arc<InFlight>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let (TailRequest { apl, after }, _) = read_body::<TailRequest>(&app, &headers, body).await?;
    let position = after.filter(|after| !after.is_empty()).map(|after| after.parse::<u64>());
    let position = position.transpose().map_err(|_| {
        Violation::new("after", Rule::Pattern, "must be the position of an event of such a stream")
    })?;
    tail::check(&app, &caller, &apl).await?;
    let (sender, arrivals) = mpsc::channel(1);
    let following = {
        let (app, caller) = (Arc::clone(&app), caller.clone());
        Box::pin(async move { tail::tail(&app, &caller, &apl, position, sender).await })
    };
    let followed = Followed { app, caller, in_flight, following, arrivals };
    let events = stream::unfold(Some(followed), |followed| async move {
        let mut followed = followed?;
        tokio::select! {
            biased;
            Some(arrivals) = followed.arrivals.recv() => {
                let event = told(&followed.app, arrivals).await;
                match event {
                    Ok(event) => Some((event, Some(followed))),
                    Err(error) => Some((followed.ended(error.into()), None)),
                }
            }
            ended = &mut followed.following => match ended {
                Ok(()) => None,
                Err(error) => Some((followed.ended(error.into()), None)),
            },
        }
    });
    Ok(event_stream::respond(events))
}

impl Followed {
    fn ended(&self, error: ApiError) -> Event {
        self.in_flight.note_refusal(&self.app, &self.caller, &error);
        Event::new("error", &error_text(error, &self.caller))
    }
}

async fn told(app: &App, Arrivals { queried, dropped, position }: Arrivals) -> Result<Event, service::Error> {
    let answer = write(app, Format::Tabular, true, queried).await?;
    let before = format!("{{\"dropped\":{dropped},\"position\":\"{position}\",\"answer\":");
    Ok(Event::around("events", &before, Some(answer), "}"))
}
