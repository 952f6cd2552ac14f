//! Events as they arrive: a query over one dataset that is asked again whenever events have come, of those events alone,
//! and whatever their own times are. Requests are told apart by their sequences, so that none is seen twice or missed.

use std::time::Duration;

use arrow_array::UInt32Array;
use arrow_select::take::take;
use tidegauge_engine::{Answer, Arrived, Held, Table};
use tidegauge_lang::tree::{Query, Stage};
use tidegauge_model::ErrorKind;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use super::compile::{self, Understood};
use super::{AplInput, Run, sources};
use crate::app::App;
use crate::service::query::single_events::{hint_of_first, is_of_one_dataset, keeps_events};
use crate::service::query::{Queried, TextQuery, meter};
use crate::service::{Caller, Error, Result, standing};

/// How many events are told at once. More arrive faster than anybody reads.
const ROWS_AT_ONCE: usize = 500;

/// The shortest time between two answers.
const PAUSE: Duration = Duration::from_millis(200);

/// How soon one that waits notices that the service stops, and that its caller may not look any more.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long events are followed; then whoever still looks asks again, if they still may.
const FOLLOWED_MAX: Duration = Duration::from_secs(5 * 60);

/// The clocks of senders may be ahead of ours.
const END: &str = "now+1h";

/// Events that have arrived.
#[derive(Debug)]
pub struct Arrivals {
    /// In the order of their arrival.
    pub queried: Queried,
    /// How many more there were since the last time.
    pub dropped: u64,
    /// Where to go on after these.
    pub position: u64,
}

/// Follows the events of a dataset behind some stages, which [`check`] has found to be good: from this moment or
/// from an earlier position on, until nobody listens any more, or until the caller may not any more.
pub async fn tail(
    app: &App,
    caller: &Caller,
    text: &str,
    position: Option<u64>,
    told: mpsc::Sender<Arrivals>,
) -> Result<()> {
    let began = Instant::now();
    let mut after = position;
    loop {
        // Read before the caller is looked up, so that a change during that is noticed.
        let known = Known { changes: app.catalog.changes(), at: Instant::now() };
        let present = standing::again(app, caller).await?;
        let mut looks = Box::pin(Looks::of(app, &present, text)).await?;
        match Box::pin(looks.follow(began, known, after, &told)).await? {
            Some(reached) => after = Some(reached),
            None => return Ok(()),
        }
    }
}

/// From when it is what is known of a caller, and of what they may read.
#[derive(Clone, Copy)]
struct Known {
    changes: u64,
    at: Instant,
}

impl Known {
    fn is_old(self, app: &App) -> bool {
        self.changes != app.catalog.changes() || self.at.elapsed() >= LOOK_EVERY
    }
}

/// What is asked at each look: for the events, and for how many there are.
struct Looks<'a> {
    events: Run<'a>,
    counts: Run<'a>,
}

impl<'a> Looks<'a> {
    async fn of(app: &'a App, caller: &'a Caller, text: &str) -> Result<Self> {
        let input = |text: String| AplInput { text, end_time: Some(END.to_owned()), ..AplInput::default() };
        let counting = input(format!("{text}\n| count"));
        let asking =
            AplInput { has_cursor_field: true, default_limit: Some(ROWS_AT_ONCE), ..input(text.to_owned()) };
        let events = Box::pin(understood(app, caller, asking)).await?;
        let counts = Box::pin(understood(app, caller, counting)).await?;
        Ok(Self { events, counts })
    }

    /// Looks at what arrives for as long as what is known of the caller counts, and once at least. Gives how far that
    /// came; nothing where nobody is to be told any more.
    async fn follow(
        &mut self,
        began: Instant,
        known: Known,
        after: Option<u64>,
        told: &mpsc::Sender<Arrivals>,
    ) -> Result<Option<u64>> {
        let (app, caller) = (self.events.app, self.events.caller);
        let [dataset] = self.events.datasets.as_slice() else {
            return Err(not_one_dataset());
        };
        let state = std::sync::Arc::clone(&dataset.state);
        let mut after = after.unwrap_or(u64::MAX).min(state.last_sequence());
        while began.elapsed() < FOLLOWED_MAX && !app.is_draining() && !told.is_closed() {
            // Asked for before the look, or what comes in between would be missed.
            let appended = state.appended();
            let until = state.last_sequence();
            if until <= after {
                let _ = timeout(LOOK_EVERY, appended).await;
            } else {
                let arrived = Some(Arrived { after, until });
                (self.events.input.arrived, self.counts.input.arrived) = (arrived, arrived);
                if let Some((queried, dropped)) = arrivals(app, caller, &self.events, &self.counts).await?
                    && told.send(Arrivals { queried, dropped, position: until }).await.is_err()
                {
                    return Ok(None);
                }
                after = until;
                sleep(PAUSE).await;
            }
            if known.is_old(app) {
                return Ok(Some(after));
            }
        }
        Ok(None)
    }
}

/// Says what is wrong with what is to be followed, before anybody waits for it.
pub async fn check(app: &App, caller: &Caller, text: &str) -> Result<()> {
    let input = AplInput { text: text.to_owned(), ..AplInput::default() };
    let run = understood(app, caller, input).await?;
    check_is_of_events(&run.resolved.query)?;
    if run.datasets.len() == 1 { Ok(()) } else { Err(not_one_dataset()) }
}

/// A query that is ready to be asked again and again.
async fn understood<'a>(app: &'a App, caller: &'a Caller, input: AplInput) -> Result<Run<'a>> {
    caller.org_context()?;
    let Understood { resolved, direct, by_views, .. } = compile::understood(app, caller, &input).await?;
    let datasets = sources::of(app, caller, &direct, &by_views).await?;
    sources::check_may_compute(caller, &datasets)?;
    Ok(Run { app, caller, input, resolved, datasets })
}

async fn arrivals(
    app: &App,
    caller: &Caller,
    events: &Run<'_>,
    counts: &Run<'_>,
) -> Result<Option<(Queried, u64)>> {
    let quota_remaining = meter::check(&app.queries.meter, &app.catalog, caller).await?;
    let mut found = events.once(app.now()).await?;
    let rows = found.answer.tables.first().map_or(0, |table| table.rows);
    if rows == 0 {
        return Ok(None);
    }
    let mut cost = found.cost;
    let mut dropped = 0;
    if rows >= ROWS_AT_ONCE {
        // What is shown has its place while it is counted; whoever holds one must not wait for another.
        found.answer.held = Held::default();
        let counted = counts.once(app.now()).await?;
        cost += counted.cost;
        dropped = count(&counted.answer).saturating_sub(rows as u64);
    }
    for table in &mut found.answer.tables {
        in_order_of_arrival(table);
    }
    let described = events.described(&mut found.answer).await?;
    let queried = Queried {
        datasets: described,
        continuation_token: None,
        default_limit: None,
        is_window_cut: found.is_window_cut,
        cost,
        quota_remaining: quota_remaining.less(cost),
        history_id: None,
        text: Some(TextQuery {
            range: found.range,
            warnings: Vec::new(),
            cursor: None,
            includes_cursor: false,
        }),
        answer: found.answer,
    };
    Ok(Some((queried, dropped)))
}

fn count(answer: &Answer) -> u64 {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    let value = answer.tables.first().and_then(|table| table.fields.first());
    let array = value.and_then(|field| field.values.first()).map(|(_, array)| array);
    let counts = array.and_then(|array| array.as_primitive_opt::<Int64Type>());
    counts
        .and_then(|counts| counts.iter().next().flatten())
        .map_or(0, |count| u64::try_from(count).unwrap_or(0))
}

/// Sorts the rows of a table by the request that they came with, and within it as they were sent.
fn in_order_of_arrival(table: &mut Table) {
    if table.row_ids.len() != table.rows {
        return;
    }
    let mut places: Vec<u32> = (0..table.rows as u32).collect();
    places.sort_by_key(|place| {
        let id = table.row_ids[*place as usize];
        (id.sequence, id.index)
    });
    table.row_ids = places.iter().map(|place| table.row_ids[*place as usize]).collect();
    let places = UInt32Array::from(places);
    for (_, array) in table.fields.iter_mut().flat_map(|field| &mut field.values) {
        // Every place is one of a row, so that this cannot fail.
        if let Ok(taken) = take(array, &places, None) {
            *array = taken;
        }
    }
}

fn not_one_dataset() -> Error {
    Error::new(ErrorKind::Malformed, "the events of one dataset can be followed")
        .hint("begin with one dataset: `['my-dataset'] | where …`")
}

/// What is followed are single events, so the query may only choose and shape them.
fn check_is_of_events(query: &Query) -> Result<()> {
    if !is_of_one_dataset(query) {
        return Err(not_one_dataset());
    }
    let is_possible = |stage: &Stage| matches!(stage, Stage::Search(_)) || keeps_events(stage);
    let words = "`where`, `search`, `extend`, `extend-valid`, `parse`, `parse-kv`";
    let Some(hint) = hint_of_first(query, is_possible, words) else { return Ok(()) };
    Err(Error::new(ErrorKind::Malformed, "only single events can be followed").hint(hint))
}
