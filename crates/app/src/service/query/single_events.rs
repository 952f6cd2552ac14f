//! Queries whose rows are the events of one dataset, chosen and shaped but not put together: files are read of them page
//! by page, new ones can be followed, and monitors tell of each. What else each of these allows stands with it.

use tidegauge_lang::print_stage;
use tidegauge_lang::tree::{Query, Source, Stage};

/// Whether a query begins with one dataset.
pub(in crate::service) fn is_of_one_dataset(query: &Query) -> bool {
    matches!(query.source, Source::Dataset { .. })
}

/// Whether events come out of a stage as they went in: each for itself, in the same order.
pub(in crate::service) fn keeps_events(stage: &Stage) -> bool {
    matches!(
        stage,
        Stage::Filter(_)
            | Stage::Extend(_)
            | Stage::ExtendValid(_)
            | Stage::Parse(_)
            | Stage::ParseKeyValue(_)
            | Stage::Project(_)
            | Stage::ProjectAway(_)
            | Stage::ProjectKeep(_)
            | Stage::ProjectRename(_)
            | Stage::ProjectReorder(_)
    )
}

/// What to do about the first stage of a query that is not possible; `words` are those that are.
pub(in crate::service) fn hint_of_first(
    query: &Query,
    is_possible: impl Fn(&Stage) -> bool,
    words: &str,
) -> Option<String> {
    let stage = query.stages.iter().find(|stage| !is_possible(stage))?;
    let printed = print_stage(stage);
    let word = printed.split_whitespace().next().unwrap_or_default();
    Some(format!("leave out `{word}`: only {words} and the kinds of `project` are possible"))
}
