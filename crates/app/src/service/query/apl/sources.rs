//! The datasets that a query in text reads: those that it names, which the caller must be allowed to read, and of
//! those that fit a pattern the ones that the caller may. The dataset of the audit trail fits no pattern.

use std::collections::BTreeSet;

use tidegauge_auth::Refusal;
use tidegauge_engine::Dataset;
use tidegauge_lang::nearest;
use tidegauge_lang::tree::NamePattern;
use tidegauge_model::capability::ANY;
use tidegauge_model::dataset::is_audit_name;
use tidegauge_model::{Action, DatasetArea, ErrorKind};

use crate::app::App;
use crate::service::query::defined;
use crate::service::{Caller, Error, Result, datasets};

/// The datasets of a query by their names, each once: what its text reads, and what its views read for it.
pub(super) async fn of(
    app: &App,
    caller: &Caller,
    direct: &[NamePattern],
    by_views: &[NamePattern],
) -> Result<Vec<Dataset>> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    for name in direct.iter().filter_map(NamePattern::plain) {
        caller.check_dataset(name, DatasetArea::Query, Action::Read)?;
        names.insert(name.to_owned());
    }
    for name in by_views.iter().filter_map(NamePattern::plain) {
        // A view hands on what its maker could read, but not the audit trail.
        if is_audit_name(name) {
            caller.check_audit()?;
        }
        names.insert(name.to_owned());
    }
    let is_pattern = |pattern: &&NamePattern| pattern.plain().is_none();
    let direct: Vec<&NamePattern> = direct.iter().filter(is_pattern).collect();
    let by_views: Vec<&NamePattern> = by_views.iter().filter(is_pattern).collect();
    if !direct.is_empty() || !by_views.is_empty() {
        let all = app.catalog.list_datasets(caller.org()?).await?;
        // Nobody comes upon the audit trail who does not name it.
        let in_patterns = |name: &&str| !is_audit_name(name);
        for name in all.iter().map(|dataset| dataset.name.as_str()).filter(in_patterns) {
            let fits = |patterns: &[&NamePattern]| patterns.iter().any(|pattern| pattern.fits(name));
            if fits(&by_views) || (fits(&direct) && may_read(caller, name)) {
                names.insert(name.to_owned());
            }
        }
    }
    // To the engine a pattern stands for all datasets that it is given.
    let fits = |name: &&String| direct.iter().chain(&by_views).any(|pattern| pattern.fits(name));
    if let Some(name) = names.iter().filter(|name| is_audit_name(name)).find(fits) {
        let message = format!("{name} cannot stand beside a pattern that it would fit");
        return Err(
            Error::new(ErrorKind::Malformed, message).hint("name the datasets instead of the pattern")
        );
    }
    if names.iter().any(|name| direct.iter().any(|pattern| pattern.fits(name)) && !may_read(caller, name)) {
        let refused = Refusal::MissingCapability { area: DatasetArea::Query.name(), action: Action::Read };
        let hint = "a pattern beside a view fits what only the view may read: name the datasets instead";
        return Err(Error::from(refused).hint(hint));
    }
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        let Some(state) = datasets::find_state(app, caller, &name).await? else {
            return Err(not_found(app, caller, &name).await);
        };
        let virtual_fields = defined::virtual_fields(app, caller, &name).await?;
        found.push(Dataset { name, state, virtual_fields });
    }
    Ok(found)
}

/// Refuses a query that reads nothing, as `print` does, of who may query nothing: it computes all the same.
pub(super) fn check_may_compute(caller: &Caller, datasets: &[Dataset]) -> Result<()> {
    if !datasets.is_empty() || caller.capabilities.allows_some_dataset(DatasetArea::Query, Action::Read) {
        return Ok(());
    }
    let refused = Refusal::MissingCapability { area: DatasetArea::Query.name(), action: Action::Read };
    Err(Error::from(refused).hint("a query needs the right to query at least one dataset"))
}

/// Whether the caller holds the right to query all of them; on `*` where one is a pattern.
pub(super) fn may_read_all(caller: &Caller, names: &[NamePattern]) -> bool {
    names.iter().all(|name| may_read(caller, name.plain().unwrap_or(ANY)))
}

/// Whether the caller holds the right to query a dataset.
pub(super) fn may_read(caller: &Caller, name: &str) -> bool {
    caller.capabilities.allows_dataset(name, DatasetArea::Query, Action::Read)
}

async fn not_found(app: &App, caller: &Caller, name: &str) -> Error {
    let error = Error::not_found("dataset");
    let error = Error { message: format!("{}: {name:?}", error.message), ..error };
    let known = datasets::queryable(app, caller).await.unwrap_or_default();
    match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => error.hint(format!("did you mean `['{near}']`?")),
        None => error.hint("write the name of a dataset that there is"),
    }
}
