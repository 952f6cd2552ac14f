//! The newest part of a question's range, asked while the whole takes its time: most people look at the newest first.

use tidegauge_engine::Continuation;
use tidegauge_lang::dataset_query::{Surroundings, allowed_range};
use tidegauge_lang::tree::TimeRange;
use tidegauge_model::RowId;

use super::{AUTO_BINS_DEFAULT, AplInput, query};
use crate::app::App;
use crate::service::query::Queried;
use crate::service::{Caller, Result};

/// The same question over one of so many parts of its range, the newest; none where the range has no beginning, or the
/// question goes on from an earlier answer.
pub fn newest(caller: &Caller, input: &AplInput, parts: i64) -> Option<AplInput> {
    let goes_on =
        input.cursor.is_some() || input.continuation_token.is_some() || input.run_options.wait.is_some();
    if input.start_time.is_none() || goes_on || parts < 2 {
        return None;
    }
    let limits = &caller.org_context.as_ref()?.limits;
    let around = Surroundings {
        now: caller.now.as_nanos(),
        data: None,
        window_seconds_max: u64::try_from(limits.max_query_window_seconds).unwrap_or(0),
    };
    let range = allowed_range(input.start_time.as_deref(), input.end_time.as_deref(), around).ok()?.range;
    let length = range.end.checked_sub(range.start)?;
    let start = range.end.checked_sub(length / parts).filter(|start| *start < range.end)?;
    let bins = input.auto_bins_max.unwrap_or(AUTO_BINS_DEFAULT) / usize::try_from(parts).ok()?;
    Some(AplInput {
        part: Some(TimeRange { start, end: range.end }),
        // So that buckets are about as long as those of the whole.
        auto_bins_max: Some(bins.max(1)),
        kept: None,
        progress: None,
        ..input.clone()
    })
}

/// Answers it. The answer says of itself that it is a part.
pub async fn ask(app: &App, caller: &Caller, input: AplInput) -> Result<Queried> {
    let start = input.part.map_or(i64::MIN, |part| part.start);
    let mut queried = query(app, caller, input).await?;
    queried.answer.continues_at = Some(Continuation { after: RowId { time: start, sequence: 0, index: 0 } });
    queried.continuation_token = None;
    Ok(queried)
}
