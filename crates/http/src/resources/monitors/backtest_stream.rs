//! A backtest whose asker wants to see that it goes on: server-sent events with how far it is, then what it found, or
//! what is wrong. It ends with the connection.

use std::pin::Pin;
use std::sync::Arc;

use axum::response::Response;
use futures_util::stream;
use serde::Serialize;
use tidegauge_app::App;
use tidegauge_app::service::alerting::backtest::{BacktestInput, Progress};
use tidegauge_model::ErrorKind;
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::Caller;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::backtest_answer::replayed;
use crate::guard::InFlight;
use crate::resources::query::apl::stream::{PROGRESS_EVERY, error_text};
use crate::resources::query::event_stream::{self, Event};

/// A backtest that goes on.
struct Going {
    answer: Pin<Box<dyn Future<Output = Event> + Send>>,
    ticks: Interval,
    began: Instant,
    progress: Progress,
}

/// How far a backtest is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    /// In microseconds.
    elapsed_time: u128,
    /// Which share of it is done, from 0 to 1.
    share: f64,
    queries: u64,
    cost: u64,
}

/// Runs a backtest and tells of it.
pub(super) fn watched(
    app: Arc<App>,
    caller: Caller,
    in_flight: Arc<InFlight>,
    input: BacktestInput,
) -> Response {
    let began = Instant::now();
    let mut ticks = interval_at(began + PROGRESS_EVERY, PROGRESS_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let progress = Progress::default();
    let answer = {
        let progress = progress.clone();
        Box::pin(async move {
            match result(&app, &caller, input, &progress).await {
                Ok(text) => Event::new("result", &text),
                Err(error) => {
                    in_flight.note_refusal(&app, &caller, &error);
                    Event::new("error", &error_text(error, &caller))
                }
            }
        })
    };
    let going = Going { answer, ticks, began, progress };
    event_stream::respond(stream::unfold(Some(going), |going| async move {
        let mut going = going?;
        tokio::select! {
            biased;
            event = &mut going.answer => Some((event, None)),
            now = going.ticks.tick() => Some((going.told(now), Some(going))),
        }
    }))
}

async fn result(
    app: &App,
    caller: &Caller,
    input: BacktestInput,
    progress: &Progress,
) -> Result<String, ApiError> {
    let found = replayed(app, caller, input, progress).await?;
    serde_json::to_string(&found)
        .map_err(|_| ApiError::new(ErrorKind::Internal, "the answer could not be written"))
}

impl Going {
    fn told(&self, now: Instant) -> Event {
        let so_far = self.progress.so_far();
        let told = Told {
            elapsed_time: (now - self.began).as_micros(),
            share: so_far.share,
            queries: so_far.queries,
            cost: so_far.cost,
        };
        // Numbers always have a JSON form.
        Event::new("progress", &serde_json::to_string(&told).unwrap_or_default())
    }
}
