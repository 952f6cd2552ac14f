//! Answers over the newest part of a query's range, shown while the whole takes its time.

use std::pin::Pin;
use std::sync::Arc;

use tidegauge_app::App;
use tidegauge_app::service::query::apl::AplInput;
use tidegauge_app::service::query::apl::part;
use tidegauge_web::extract::Caller;

use super::asking::Asking;
use crate::resources::query::event_stream::Event;
use crate::resources::query::parameters::Format;
use crate::resources::query::write;

/// Of how many parts the newest is asked, one after the other: together they cost a sixth of the whole.
const PARTS: [i64; 2] = [32, 8];

/// The parts of one query that are still to be asked.
pub(super) struct Parts {
    app: Arc<App>,
    caller: Caller,
    input: AplInput,
    format: Format,
    shows_nulls: bool,
    left: std::array::IntoIter<i64, 2>,
    asked: Option<Pin<Box<dyn Future<Output = Option<Event>> + Send>>>,
}

impl Parts {
    /// None where nobody wants to see them.
    pub(super) fn of(app: &Arc<App>, caller: &Caller, asking: &Asking) -> Option<Self> {
        asking.shows_parts.then(|| Self {
            app: Arc::clone(app),
            caller: caller.clone(),
            input: asking.input.clone(),
            format: asking.format,
            shows_nulls: asking.shows_nulls,
            left: PARTS.into_iter(),
            asked: None,
        })
    }

    /// Asks for the next part, unless one is under way.
    pub(super) fn begin(&mut self) {
        if self.asked.is_some() {
            return;
        }
        let Some(parts) = self.left.next() else { return };
        let Some(input) = part::newest(&self.caller, &self.input, parts) else { return };
        let (app, caller) = (Arc::clone(&self.app), self.caller.clone());
        let (format, shows_nulls) = (self.format, self.shows_nulls);
        self.asked = Some(Box::pin(async move {
            // What is wrong with it is told of the whole.
            let queried = part::ask(&app, &caller, input).await.ok()?;
            Some(Event::of("partial", write(&app, format, shows_nulls, queried).await.ok()?))
        }));
    }

    /// The answer of the part that is under way; waits for ever where none is.
    pub(super) async fn next(&mut self) -> Event {
        loop {
            let Some(asked) = &mut self.asked else { return std::future::pending().await };
            let found = asked.await;
            self.asked = None;
            if let Some(event) = found {
                return event;
            }
        }
    }
}
