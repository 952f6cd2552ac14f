//! One query whose asker wants to see that it goes on: server-sent events with the time that it has taken so far and
//! what it has read of how much, then its answer and what that took, or what is wrong.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use futures_util::stream;
use serde::Serialize;
use tidegauge_app::App;
use tidegauge_app::service::query::apl;
use tidegauge_engine::Progress;
use tidegauge_formats::Written;
use tidegauge_model::Violation;
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::Caller;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::asking::Asking;
use super::parts::Parts;
use super::spent::Spent;
use crate::guard::InFlight;
use crate::resources::query::event_stream::{self, Event};
use crate::resources::query::parameters::Format;
use crate::resources::query::write;

/// How often a query tells that it goes on.
pub const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// What a stream is at: its query goes on, or has ended, and an event may be left behind its answer.
enum Stage {
    Going(Box<Going>),
    Ended(Option<Event>),
}

/// A query that goes on.
struct Going {
    /// The event with the answer, and the one behind it.
    answer: Pin<Box<dyn Future<Output = (Event, Option<Event>)> + Send>>,
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
            Ok(Answered { written, spent }) => {
                // Numbers and texts always have a JSON form.
                let done = serde_json::to_string(&spent).unwrap_or_default();
                (Event::of("result", written), Some(Event::new("done", &done)))
            }
            Err(error) => {
                in_flight.note_refusal(&app, &caller, &error);
                (Event::new("error", &error_text(error, &caller)), None)
            }
        }
    });
    let begun = Stage::Going(Box::new(Going { answer, ticks, began, progress, parts }));
    let events = stream::unfold(begun, |stage| async move {
        let mut going = match stage {
            Stage::Going(going) => going,
            Stage::Ended(done) => return done.map(|done| (done, Stage::Ended(None))),
        };
        tokio::select! {
            biased;
            (answer, done) = &mut going.answer => Some((answer, Stage::Ended(done))),
            part = next_part(&mut going.parts) => Some((part, Stage::Going(going))),
            now = going.ticks.tick() => {
                going.parts.iter_mut().for_each(Parts::begin);
                Some((going.told(now), Stage::Going(going)))
            }
        }
    });
    event_stream::respond(events)
}

/// The answer of a query as JSON text, and what it took.
pub(in crate::resources) struct Answered {
    pub(in crate::resources) written: Written,
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
    Ok(Answered { written: write(app, format, shows_nulls, queried).await?, spent })
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
        Event::new("progress", &serde_json::to_string(&told).unwrap_or_default())
    }
}
