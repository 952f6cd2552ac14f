//! The query of a monitor when it is saved: it must be one that can be run, with the rights of who saves it, and one
//! that its kind of monitor can judge.

use std::time::Duration;

use tidegauge_catalog::monitors::Reads;
use tidegauge_lang::nearest;
use tidegauge_lang::tree::Query;
use tidegauge_model::monitor::{Definition, MonitorKind};
use tidegauge_model::{ErrorKind, Rule, Violation};

use crate::app::App;
use crate::service::query::apl::check::{Runnable, check};
use crate::service::query::single_events::{hint_of_first, is_of_one_dataset, keeps_events};
use crate::service::{Caller, Error, Result};

/// A monitor that tells of every event may not begin with more of them than this in a day.
const MATCHES_MAX: u64 = 500;

const MATCHES_IN: Duration = Duration::from_secs(24 * 60 * 60);

/// Checks the query of a definition and tells what its runs may read. `is_new` says that no monitor has it yet.
pub(super) async fn checked(
    app: &App,
    caller: &Caller,
    definition: &Definition,
    is_new: bool,
) -> Result<Reads> {
    let runnable = check(app, caller, &definition.query).await?;
    match definition.kind {
        MonitorKind::MatchEvent => {
            check_is_of_events(runnable.query())?;
            if is_new {
                check_matches(app, caller, &runnable).await?;
            }
        }
        MonitorKind::Threshold | MonitorKind::AnomalyDetection => check_column(definition, &runnable)?,
    }
    Ok(Reads { datasets: runnable.datasets(caller), views: runnable.views })
}

/// A monitor of events tells of single events as they are, so its query may only choose and shape them.
fn check_is_of_events(query: &Query) -> Result<()> {
    let refused = |hint: String| {
        Err(Error::new(ErrorKind::Malformed, "the query of a MatchEvent monitor must give single events")
            .hint(hint))
    };
    if !is_of_one_dataset(query) {
        return refused("it must begin with one dataset: `['my-dataset'] | where …`".to_owned());
    }
    let words = "`where`, `extend`, `extend-valid`, `parse`, `parse-kv`";
    hint_of_first(query, keeps_events, words).map_or(Ok(()), refused)
}

async fn check_matches(app: &App, caller: &Caller, runnable: &Runnable) -> Result<()> {
    let day = (caller.now.minus(MATCHES_IN), caller.now);
    let matches = runnable.count(app, caller, day).await?;
    if matches <= MATCHES_MAX {
        return Ok(());
    }
    let message = format!(
        "the query matches {matches} events of the last 24 hours, which is more than the {MATCHES_MAX} that a \
         MatchEvent monitor can tell of in a day"
    );
    let hint = "filter more with `| where …`, or count the events in a Threshold monitor";
    Err(Error::new(ErrorKind::Invalid, message).hint(hint))
}

fn check_column(definition: &Definition, runnable: &Runnable) -> Result<()> {
    let Some(column) = &definition.column else { return Ok(()) };
    if runnable.columns.is_empty() || runnable.columns.contains(column) {
        return Ok(());
    }
    let problem = format!("must be a column of the answer, which has no {column:?}");
    let error = Error::from(Violation::new("columnName", Rule::OneOf, problem));
    Err(match nearest(column, runnable.columns.iter().map(String::as_str)) {
        Some(near) => error.hint(format!("did you mean {near:?}?")),
        None => error.hint(format!("the answer has {}", runnable.columns.join(", "))),
    })
}
