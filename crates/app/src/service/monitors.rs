//! Monitors: list, read, create, replace and delete. Reading a definition is in `definition`, checking its query in `query`,
//! as whom its runs read in `reader`, what they found in `history`, and how all of them stand in `states`. Running them, and
//! closing their alerts by hand, is in `alerting`.

pub mod definition;
pub mod history;
mod query;
pub mod reader;
pub mod states;

use tidegauge_catalog::monitors::{Monitor, Reads};
use tidegauge_model::monitor::{Definition, MonitorKind};
use tidegauge_model::{ErrorKind, MonitorId, Rule, Timestamp, Violation};

pub use self::definition::MonitorInput;
use self::reader::may_query;
use super::{Caller, Error, Result};
use crate::app::App;

/// How often a replacement is tried again when somebody else has changed the monitor at the same moment.
const REPLACE_TRIES: usize = 5;

pub async fn list(app: &App, caller: &Caller) -> Result<Vec<Monitor>> {
    let monitors = app.catalog.list_monitors(caller.org()?).await?;
    Ok(monitors.into_iter().map(|monitor| as_of(caller.now, monitor)).collect())
}

pub async fn get(app: &App, caller: &Caller, id: &str) -> Result<Monitor> {
    let id = MonitorId::parse(id).ok_or_else(not_found)?;
    let found = app.catalog.find_monitor(caller.org()?, &id).await?;
    found.map(|monitor| as_of(caller.now, monitor)).ok_or_else(not_found)
}

pub async fn create(app: &App, caller: &Caller, input: MonitorInput) -> Result<Monitor> {
    let org = caller.org_to_create_in()?;
    let (definition, given) = definition::read(input, caller.now)?;
    check_notifiers(app, caller, &definition, &[]).await?;
    let reads = query::checked(app, caller, &definition, true).await?;
    let monitor = Monitor {
        id: MonitorId::generate(caller.now, &*app.rng),
        org: org.clone(),
        definition,
        given,
        reads,
        revision: 1,
        epoch: 1,
        created: caller.now,
        created_by: caller.user.clone(),
        modified: caller.now,
    };
    let max = caller.org_context()?.limits.max_monitors;
    app.catalog.insert_monitor(&monitor, max, &caller.change()).await.map_err(|error| {
        match error.kind() {
            ErrorKind::LimitReached => {
                let message = format!("the organisation has {max} monitors, as many as its licence allows");
                Error::new(ErrorKind::LimitReached, message).hint("delete one, or raise maxMonitors")
            }
            _ => error.into(),
        }
    })?;
    Ok(monitor)
}

/// Replaces a monitor; it never creates one.
pub async fn replace(app: &App, caller: &Caller, id: &str, input: MonitorInput) -> Result<Monitor> {
    let mut present = get(app, caller, id).await?;
    let (definition, given) = definition::read(input, caller.now)?;
    for _ in 0..REPLACE_TRIES {
        check_notifiers(app, caller, &definition, &present.definition.notifiers).await?;
        let reads = reads_of(app, caller, &present, &definition).await?;
        let is_same = reads == present.reads && watched(&definition) == watched(&present.definition);
        let epoch = if is_same { present.epoch } else { present.revision + 1 };
        let definition = definition.clone();
        let monitor = Monitor { definition, given, reads, epoch, modified: caller.now, ..present };
        if let Some(replaced) = app.catalog.replace_monitor(&monitor, &caller.change()).await? {
            return Ok(replaced);
        }
        // It is gone, or another one than the caller was held to.
        present = get(app, caller, id).await?;
    }
    let message = "the monitor was changed by other requests at the same moment";
    Err(Error::new(ErrorKind::Conflict, message).hint("look at it, and try it again"))
}

/// What decides which alerts there are: where it changes, those that are open are no alerts of the monitor any more.
fn watched(definition: &Definition) -> (&str, &MonitorKind, Option<&str>, bool) {
    let Definition { query, kind, column, notifies_by_group, .. } = definition;
    (query.as_str(), kind, column.as_deref(), *notifies_by_group)
}

pub async fn delete(app: &App, caller: &Caller, id: &str) -> Result<()> {
    let id = MonitorId::parse(id).ok_or_else(not_found)?;
    if app.catalog.delete_monitor(caller.org()?, &id, &caller.change()).await? {
        return Ok(());
    }
    Err(not_found())
}

/// A definition that is not kept, with what its runs may read: what the caller can.
pub async fn tried(app: &App, caller: &Caller, input: MonitorInput) -> Result<(Definition, Reads)> {
    let (definition, _) = definition::read(input, caller.now)?;
    let reads = query::checked(app, caller, &definition, false).await?;
    Ok((definition, reads))
}

fn not_found() -> Error {
    Error::not_found("monitor")
}

/// The monitor as it stands at a time: one whose time has passed is enabled.
fn as_of(now: Timestamp, mut monitor: Monitor) -> Monitor {
    let until = monitor.definition.disabled_until.take();
    monitor.definition.disabled_until = until.and_then(|until| until.if_later(now));
    monitor
}

/// What the runs of a monitor may read from now on. Who only mutes a monitor or gives it another name need not be
/// allowed to read what it reads. Who changes anything else could have themselves told what they may not read, or take
/// from others what they are told, and must be allowed to query what it reads before and after.
async fn reads_of(app: &App, caller: &Caller, present: &Monitor, definition: &Definition) -> Result<Reads> {
    let before = &present.definition;
    let as_before = Definition {
        name: before.name.clone(),
        description: before.description.clone(),
        is_disabled: before.is_disabled,
        disabled_until: before.disabled_until.clone(),
        ..definition.clone()
    };
    if as_before == *before {
        return Ok(present.reads.clone());
    }
    if !may_query(caller, &present.reads) {
        let message = "who changes what a monitor does must be allowed to query what it reads at present, and what it is \
                       to read";
        return Err(Error::new(ErrorKind::Forbidden, message).hint(
            "make a monitor of its own, or ask somebody with the right query|read on all that it reads",
        ));
    }
    let is_new = before.query != definition.query || before.kind != definition.kind;
    query::checked(app, caller, definition, is_new).await
}

/// Refuses notifiers that there are not. One that the monitor named before may have been deleted since: messages to it
/// are left out, and the monitor can still be changed.
async fn check_notifiers(
    app: &App,
    caller: &Caller,
    definition: &Definition,
    named_before: &[tidegauge_model::NotifierId],
) -> Result<()> {
    let mut unknown = app.catalog.unknown_notifiers(caller.org()?, definition).await?;
    unknown.retain(|id| !named_before.iter().any(|before| before.as_str() == id));
    if unknown.is_empty() {
        return Ok(());
    }
    let problem = format!("names notifiers that there are not: {}", unknown.join(", "));
    Err(Violation::new("notifierIds", Rule::OneOf, problem).into())
}
