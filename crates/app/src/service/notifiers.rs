//! Notifiers: list, read, create, replace, delete.

use serde_json::value::RawValue;
use tidegauge_catalog::notifiers::{Notifier, Unsent};
use tidegauge_model::capability::ANY;
use tidegauge_model::notifier::DisabledUntil;
use tidegauge_model::{Action, DatasetArea, ErrorKind, NotifierId, OrgArea, Timestamp, ViewArea, Violation};
use tidegauge_notify::channels::Configured;
use tidegauge_notify::properties::{self, PROPERTIES_BYTES_MAX};

use super::documents::read_object;
use super::monitors::reader::may_query;
use super::text::check_name;
use super::{Caller, Error, Result};
use crate::app::App;

/// The channel that has headers which are secret.
const WITH_SECRET_HEADERS: &str = "customWebhook";

/// What a caller sets of a notifier.
#[derive(Debug)]
pub struct NotifierInput {
    pub name: String,
    /// JSON text, kept and repeated as it is.
    pub properties: Box<RawValue>,
    pub disabled_until: Option<String>,
}

pub async fn list(app: &App, caller: &Caller) -> Result<Vec<Notifier>> {
    let notifiers = app.catalog.list_notifiers(caller.org()?).await?;
    Ok(notifiers.into_iter().map(|notifier| shown(caller, notifier)).collect())
}

pub async fn get(app: &App, caller: &Caller, id: &str) -> Result<Notifier> {
    let id = NotifierId::parse(id).ok_or_else(not_found)?;
    let found = app.catalog.find_notifier(caller.org()?, &id).await?;
    found.map(|notifier| shown(caller, notifier)).ok_or_else(not_found)
}

pub async fn create(app: &App, caller: &Caller, input: NotifierInput) -> Result<Notifier> {
    let org = caller.org_to_create_in()?;
    let id = NotifierId::generate(caller.now, &*app.rng);
    let notifier = checked(app, caller, id, input)?;
    app.catalog.insert_notifier(org, &notifier, &caller.change()).await?;
    Ok(notifier)
}

/// Replaces a notifier; it never creates one.
pub async fn replace(app: &App, caller: &Caller, id: &str, input: NotifierInput) -> Result<Notifier> {
    let id = NotifierId::parse(id).ok_or_else(not_found)?;
    let notifier = checked(app, caller, id, input)?;
    check_readers(app, caller, &notifier).await?;
    let (org, change) = (caller.org()?, caller.change());
    let replaced = app.catalog.replace_notifier(org, &notifier, unsent_for(caller), &change).await?;
    replaced.ok_or_else(not_found)
}

pub async fn delete(app: &App, caller: &Caller, id: &str) -> Result<()> {
    let id = NotifierId::parse(id).ok_or_else(not_found)?;
    if app.catalog.delete_notifier(caller.org()?, &id, &caller.change()).await? {
        return Ok(());
    }
    Err(not_found())
}

/// Messages carry what monitors have found. Who sends them elsewhere must be allowed to choose a notifier for those
/// monitors: to change monitors, and to query what they read.
async fn check_readers(app: &App, caller: &Caller, notifier: &Notifier) -> Result<()> {
    let org = caller.org()?;
    let Some(present) = app.catalog.find_notifier(org, &notifier.id).await? else { return Ok(()) };
    if present.points_where(notifier) {
        return Ok(());
    }
    let may_change = caller.capabilities.allows_org(OrgArea::Monitors, Action::Update);
    for monitor in app.catalog.list_monitors(org).await? {
        let is_used = monitor.definition.notifiers.contains(&notifier.id);
        if is_used && !(may_change && may_query(caller, &monitor.reads)) {
            let message = "monitors send what they find to this notifier: who changes where it goes must be allowed \
                           to change them, and to query what they read";
            return Err(Error::new(ErrorKind::Forbidden, message).hint(
                "make a notifier of its own, or ask somebody with the rights monitors|update and query|read",
            ));
        }
    }
    Ok(())
}

/// What becomes of messages that were not sent when a caller points their notifier elsewhere. The monitor behind a
/// message may be gone, use another notifier or read something else by now, so that only who could choose a notifier for
/// every monitor may have them sent to another place than the one they were made for.
pub fn unsent_for(caller: &Caller) -> Unsent {
    let held = &caller.capabilities;
    let may_choose = held.allows_org(OrgArea::Monitors, Action::Update)
        && held.allows_dataset(ANY, DatasetArea::Query, Action::Read)
        && held.allows_view(ANY, ViewArea::Query, Action::Read)
        && held.allows_audit();
    if may_choose { Unsent::Follow } else { Unsent::Withdraw }
}

fn not_found() -> Error {
    Error::not_found("notifier")
}

/// A notifier as a caller may see it now. Who may not change it cannot write back what they read, and needs no secret.
fn shown(caller: &Caller, notifier: Notifier) -> Notifier {
    let mut notifier = as_of(caller.now, notifier);
    let may_change = caller.capabilities.allows_org(OrgArea::Notifiers, Action::Update);
    if notifier.channel == WITH_SECRET_HEADERS && !may_change {
        notifier.properties = properties::without_secret_headers(&notifier.properties);
    }
    notifier
}

/// The notifier as it stands at a time: one whose time has passed is enabled.
fn as_of(now: Timestamp, notifier: Notifier) -> Notifier {
    Notifier { disabled_until: notifier.disabled_until.and_then(|until| until.if_later(now)), ..notifier }
}

fn checked(app: &App, caller: &Caller, id: NotifierId, input: NotifierInput) -> Result<Notifier> {
    check_name("name", &input.name)?;
    let channel = properties::check(&read_object("properties", &input.properties, PROPERTIES_BYTES_MAX)?)?;
    if let Some(configured) = Configured::read(input.properties.get()) {
        configured.check(app.notify.webhook_client())?;
    }
    let disabled_until = input.disabled_until.map(read_disabled_until).transpose()?;
    Ok(Notifier {
        id,
        name: input.name,
        channel: channel.canonical_key().to_owned(),
        properties: input.properties.get().to_owned(),
        disabled_until: disabled_until.and_then(|until| until.if_later(caller.now)),
        created: caller.now,
        created_by: caller.user.clone(),
        modified: caller.now,
    })
}

fn read_disabled_until(text: String) -> Result<DisabledUntil> {
    match Timestamp::parse(&text) {
        Ok(time) => Ok(DisabledUntil { text, time }),
        Err(_) => Err(Violation::not_a_timestamp("disabledUntil").into()),
    }
}
