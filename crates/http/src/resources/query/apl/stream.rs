//! One query whose asker wants to see that it goes on: server-sent events with the time that it has taken so far and
//! what it has read of how much, then its answer and what that took, or what is wrong.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue};
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use futures_util::{Stream, StreamExt, stream};
use serde::Serialize;
use tidegauge_app::App;
use tidegauge_app::service::query::apl;
use tidegauge_engine::{Held, Progress};
use tidegauge_model::{ErrorKind, Violation};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};
use utoipa::ToSchema;

use super::asking::Asking;
use super::parts::Parts;
use super::spent::Spent;
use crate::error::ApiError;
use crate::extract::Caller;
use crate::guard::InFlight;
use crate::resources::query::parameters::Format;
use crate::resources::query::write;

/// What asks for events.
pub const MEDIA_TYPE: &str = "text/event-stream";

/// One event of a stream, as those who read it see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct StreamEvent {
    /// What kind of event it is; `message` where it has no name.
    pub event: String,
    /// JSON text.
    pub data: String,
}

/// What proxies read that would otherwise hand an answer on in one piece.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// How often a query tells that it goes on.
pub const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// How soon a connection without events is kept open by a comment.
const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(10);

/// What a stream is at. An answer has its memory until the connection asks for what comes after it.
enum Stage {
    Going(Box<Going>),
    Answered(Ended),
    Done,
}

/// A query that has ended: its memory, and the event behind its answer.
struct Ended {
    held: Held,
    done: Option<Event>,
}

/// A query that goes on.
struct Going {
    answer: Pin<Box<dyn Future<Output = (Event, Ended)> + Send>>,
    ticks: Interval,
    began: Instant,
    progress: Progress,
    parts: Option<Parts>,
}

/// How far a query is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    /// In microseconds.
    elapsed_time: u128,
    rows_examined: u64,
    rows_matched: u64,
    blocks_done: u64,
    blocks_total: u64,
    bytes_read: u64,
}

/// Refuses the formats that are no JSON: an event is text.
pub fn check_format(format: Format) -> Result<(), Violation> {
    match format {
        Format::Legacy | Format::Tabular | Format::TabularRows => Ok(()),
        Format::Csv | Format::Ndjson | Format::Arrow => {
            Err(Violation::one_of("format", &["legacy", "tabular", "tabular-rows"]).in_query())
        }
    }
}

/// Runs a query and tells of it. The query stops when nobody reads any more.
pub fn watched(app: Arc<App>, caller: Caller, in_flight: Arc<InFlight>, mut asking: Asking) -> Response {
    let began = Instant::now();
    let mut ticks = interval_at(began + PROGRESS_EVERY, PROGRESS_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let progress = Progress::default();
    let parts = Parts::of(&app, &caller, &asking);
    asking.input.progress = Some(progress.clone());
    let answer = Box::pin(async move {
        match json(&app, &caller, asking).await {
            Ok(Answered { text, held, spent }) => {
                // Numbers and texts always have a JSON form.
                let done = serde_json::to_string(&spent).unwrap_or_default();
                let done = Some(Event::default().event("done").data(done));
                (Event::default().event("result").data(text), Ended { held, done })
            }
            Err(error) => {
                in_flight.note_refusal(&app, &caller, &error);
                let event = Event::default().event("error").data(error_text(error, &caller));
                (event, Ended { held: Held::default(), done: None })
            }
        }
    });
    let begun = Stage::Going(Box::new(Going { answer, ticks, began, progress, parts }));
    let events = stream::unfold(begun, |stage| async move {
        let mut going = match stage {
            Stage::Going(going) => going,
            Stage::Answered(Ended { held, done }) => {
                drop(held);
                return done.map(|done| (Ok(done), Stage::Done));
            }
            Stage::Done => return None,
        };
        tokio::select! {
            biased;
            (answer, ended) = &mut going.answer => Some((Ok(answer), Stage::Answered(ended))),
            part = next_part(&mut going.parts) => Some((Ok(part), Stage::Going(going))),
            now = going.ticks.tick() => {
                going.parts.iter_mut().for_each(Parts::begin);
                Some((Ok(going.told(now)), Stage::Going(going)))
            }
        }
    });
    kept_alive(events)
}

/// Events, with comments between them where there is none for long. Proxies that collect answers are told not to.
pub fn kept_alive<S>(events: S) -> Response
where
    S: Stream<Item = Result<Event, Infallible>> + Send + 'static,
{
    let events = Sse::new(events.fuse()).keep_alive(KeepAlive::new().interval(KEEP_ALIVE_EVERY));
    ([(UNBUFFERED, HeaderValue::from_static("no"))], events).into_response()
}

/// The answer of a query as JSON text, with its memory and what it took.
pub(in crate::resources) struct Answered {
    pub(in crate::resources) text: String,
    pub(in crate::resources) held: Held,
    pub(in crate::resources) spent: Spent,
}

/// Runs a query and writes its answer.
pub(in crate::resources) async fn json(
    app: &App,
    caller: &Caller,
    asking: Asking,
) -> Result<Answered, ApiError> {
    let Asking { input, format, shows_nulls, .. } = asking;
    let queried = Box::pin(apl::query(app, caller, input)).await?;
    let spent = Spent::of(&queried);
    let (bytes, held) = write(app, format, shows_nulls, queried).await?.whole();
    let is_no_text = |_| ApiError::new(ErrorKind::Internal, "the answer could not be written");
    Ok(Answered { text: String::from_utf8(bytes).map_err(is_no_text)?, held, spent })
}

/// The body of an error as JSON text.
pub fn error_text(error: ApiError, caller: &Caller) -> String {
    let mut body = error.body;
    body.request_id = Some(caller.request_id.clone());
    // Texts and numbers always have a JSON form.
    serde_json::to_string(&body).unwrap_or_default()
}

async fn next_part(parts: &mut Option<Parts>) -> Event {
    match parts {
        Some(parts) => parts.next().await,
        None => std::future::pending().await,
    }
}

impl Going {
    fn told(&self, now: Instant) -> Event {
        let so_far = self.progress.so_far();
        let told = Told {
            elapsed_time: (now - self.began).as_micros(),
            rows_examined: so_far.rows_examined,
            rows_matched: so_far.rows_matched,
            blocks_done: so_far.blocks_done,
            blocks_total: so_far.blocks_total,
            bytes_read: so_far.bytes_read,
        };
        // Numbers always have a JSON form.
        Event::default().event("progress").data(serde_json::to_string(&told).unwrap_or_default())
    }
}
