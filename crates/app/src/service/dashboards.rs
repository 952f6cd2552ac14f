//! Dashboards: list, read, create, replace, change a chart, delete. What a document must look like is in `document`, how a
//! chart is changed in `merge`, and how dashboards were before in `versions`.

mod charts;
mod document;
mod fault;
mod fields;
mod merge;
mod unique;
pub mod versions;

use serde_json::value::RawValue;
use tidegauge_auth::Refusal;
use tidegauge_catalog::dashboards::{Dashboard, Note, Visible};
use tidegauge_model::dashboard::{DashboardUid, UID_BYTES_MAX};
use tidegauge_model::{Action, DashboardId, ErrorKind, OrgArea, Role, Rule, UserId, Violation};

use self::document::Checked;
use self::fault::{invalid, with_fault};
use super::error::DashboardReason;
use super::text::check_text;
use super::{Caller, Error, Result};
use crate::app::App;

/// Longest message about a change, in characters.
pub const MESSAGE_MAX: usize = 1_000;

/// A document that a caller wants to have kept.
#[derive(Debug)]
pub struct DashboardInput {
    /// JSON text, kept and repeated as it is.
    pub document: Box<RawValue>,
    /// Chosen for the caller unless given.
    pub uid: Option<String>,
    pub basis: Basis,
    pub message: Option<String>,
}

/// A change of one chart.
#[derive(Debug)]
pub struct ChartInput {
    /// A JSON merge patch.
    pub patch: Box<RawValue>,
    pub basis: Basis,
    pub message: Option<String>,
}

/// What a change builds on: the version that its maker has read, or whatever is there.
#[derive(Clone, Copy, Debug)]
pub struct Basis {
    pub version: Option<i64>,
    pub overwrite: bool,
}

/// A dashboard as it was written.
#[derive(Debug)]
pub struct Written {
    pub dashboard: Dashboard,
    pub is_new: bool,
    /// Whether it stands in the place of whatever was there.
    pub overwritten: bool,
}

pub async fn list(app: &App, caller: &Caller, limit: i64, offset: i64) -> Result<Vec<Dashboard>> {
    let own = caller.is_person.then_some(&caller.user);
    let visible = if sees_all(caller) { Visible::All } else { Visible::Of(own) };
    Ok(app.catalog.list_dashboards(caller.org()?, visible, limit, offset).await?)
}

pub async fn get(app: &App, caller: &Caller, uid: &str) -> Result<Dashboard> {
    let uid = DashboardUid::parse(uid).ok_or_else(not_found)?;
    let found = app.catalog.find_dashboard(caller.org()?, &uid).await?;
    found.filter(|dashboard| sees(caller, dashboard)).ok_or_else(not_found)
}

/// Creates a dashboard. One that has the uid is replaced, if the caller names its version or wants to overwrite it.
pub async fn create(app: &App, caller: &Caller, input: DashboardInput) -> Result<Written> {
    let org = caller.org()?;
    let checked = document::check(&input.document)?;
    let chosen = chosen_uid(input.uid.as_deref(), &checked)?;
    let uid = chosen.unwrap_or_else(|| DashboardUid::generate(caller.now, &*app.rng));
    let note = note(input.message)?;
    let edit = |present: Option<&Dashboard>| match present {
        None => {
            caller.org_to_create_in()?;
            check_owner(caller, None, &checked)?;
            let id = DashboardId::generate(caller.now, &*app.rng);
            Ok(new(caller, id, uid.clone(), &checked, &input.document))
        }
        Some(present) => {
            if !sees(caller, present) {
                return Err(exists(&uid, None));
            }
            if !input.basis.overwrite && input.basis.version.is_none() {
                return Err(exists(&uid, Some(present.version)));
            }
            check_may(caller, Action::Update)?;
            input.basis.check(present)?;
            replaced(caller, present, &checked, input.document.get().to_owned())
        }
    };
    let written = app.catalog.write_dashboard(org, &uid, &note, &caller.change(), edit).await??;
    Ok(Written::of(written, input.basis))
}

/// Replaces a dashboard; it never creates one.
pub async fn replace(app: &App, caller: &Caller, uid: &str, input: DashboardInput) -> Result<Written> {
    let uid = DashboardUid::parse(uid).ok_or_else(not_found)?;
    let checked = document::check(&input.document)?;
    if chosen_uid(input.uid.as_deref(), &checked)?.is_some_and(|chosen| chosen != uid) {
        let problem = "must be the uid of the path: a dashboard keeps its uid";
        return Err(Violation::new("uid", Rule::OneOf, problem).into());
    }
    let edit = |present: &Dashboard| replaced(caller, present, &checked, input.document.get().to_owned());
    change(app, caller, &uid, input.basis, note(input.message)?, edit).await
}

/// Changes one chart by a JSON merge patch; all else keeps its text.
pub async fn patch_chart(
    app: &App,
    caller: &Caller,
    uid: &str,
    chart: &str,
    input: ChartInput,
) -> Result<Written> {
    let uid = DashboardUid::parse(uid).ok_or_else(not_found)?;
    merge::check_patch(&input.patch, chart)?;
    let edit = |present: &Dashboard| {
        let text = merge::patched(&present.document, chart, &input.patch)?;
        let text = text.ok_or_else(|| Error::not_found("chart"))?;
        let checked = document::check_text(&text)?;
        replaced(caller, present, &checked, text)
    };
    change(app, caller, &uid, input.basis, note(input.message)?, edit).await
}

pub async fn delete(app: &App, caller: &Caller, uid: &str) -> Result<()> {
    let uid = DashboardUid::parse(uid).ok_or_else(not_found)?;
    let (org, change) = (caller.org()?, caller.change());
    let seen = |present: &Dashboard| if sees(caller, present) { Ok(()) } else { Err(not_found()) };
    app.catalog.delete_dashboard(org, &uid, &change, seen).await?.ok_or_else(not_found)?
}

/// Writes what `edit` makes of a dashboard that the caller sees and has read.
async fn change(
    app: &App,
    caller: &Caller,
    uid: &DashboardUid,
    basis: Basis,
    note: Note,
    edit: impl FnOnce(&Dashboard) -> Result<Dashboard>,
) -> Result<Written> {
    let edit = |present: Option<&Dashboard>| {
        let present = present.filter(|present| sees(caller, present)).ok_or_else(not_found)?;
        basis.check(present)?;
        edit(present)
    };
    let written = app.catalog.write_dashboard(caller.org()?, uid, &note, &caller.change(), edit).await??;
    Ok(Written::of(written, basis))
}

impl Written {
    fn of(dashboard: Dashboard, basis: Basis) -> Self {
        let is_new = dashboard.version == 1;
        Self { dashboard, is_new, overwritten: basis.overwrite && !is_new }
    }
}

impl Basis {
    /// Refuses a change of something else than its maker has read.
    fn check(self, present: &Dashboard) -> Result<()> {
        let (reason, message) = match self.version {
            _ if self.overwrite => return Ok(()),
            Some(version) if version == present.version => return Ok(()),
            Some(version) => {
                let message =
                    format!("version conflict: the dashboard has version {}, not {version}", present.version);
                (DashboardReason::VersionMismatch, message)
            }
            None => (
                DashboardReason::VersionMissing,
                "version conflict: the version that is to be changed must be given".to_owned(),
            ),
        };
        let hint = "read the dashboard again and send its version, or send overwrite to replace it unread";
        let error = Error::new(ErrorKind::Outdated, message).hint(hint);
        Err(with_fault(error, reason, Some(&present.uid), Some(present.version)))
    }
}

fn new(
    caller: &Caller,
    id: DashboardId,
    uid: DashboardUid,
    checked: &Checked,
    document: &RawValue,
) -> Dashboard {
    Dashboard {
        id,
        uid,
        name: checked.name.clone(),
        owner: checked.owner.clone(),
        document: document.get().to_owned(),
        version: 1,
        created: caller.now,
        created_by: caller.user.clone(),
        modified: caller.now,
        modified_by: caller.user.clone(),
    }
}

/// The next version of a dashboard, if the caller may make it.
fn replaced(caller: &Caller, present: &Dashboard, checked: &Checked, document: String) -> Result<Dashboard> {
    check_owner(caller, Some(present), checked)?;
    Ok(Dashboard {
        name: checked.name.clone(),
        owner: checked.owner.clone(),
        document,
        version: present.version + 1,
        modified: caller.now,
        modified_by: caller.user.clone(),
        ..present.clone()
    })
}

/// Whether the caller sees every dashboard, also those of one person: who runs the organisation, so that those of people
/// who have left can be found. An API token is nobody's.
fn sees_all(caller: &Caller) -> bool {
    let role = caller.org_context.as_ref().and_then(|org_context| org_context.role);
    caller.is_person && matches!(role, Some(Role::Owner | Role::Admin))
}

fn sees(caller: &Caller, dashboard: &Dashboard) -> bool {
    sees_of(caller, dashboard.owner.as_ref())
}

/// Whether the caller sees what is this person's, or the whole organisation's.
fn sees_of(caller: &Caller, owner: Option<&UserId>) -> bool {
    match owner {
        None => true,
        Some(owner) => sees_all(caller) || caller.is_user(owner.as_str()),
    }
}

/// A dashboard is for the whole organisation or for who writes it; one that is somebody else's can stay so. Who takes one
/// from the others must be allowed to delete it.
fn check_owner(caller: &Caller, present: Option<&Dashboard>, checked: &Checked) -> Result<()> {
    let Some(owner) = &checked.owner else {
        return Ok(());
    };
    let before = present.map(|present| present.owner.as_ref());
    if before == Some(Some(owner)) {
        return Ok(());
    }
    if !caller.is_user(owner.as_str()) {
        let message = "the owner of a dashboard can be the whole organisation or the person who writes it";
        let hint = "leave owner empty for the whole organisation; an API token can make no other";
        return Err(Error::new(ErrorKind::Forbidden, message).hint(hint));
    }
    if before == Some(None) {
        check_may(caller, Action::Delete)?;
    }
    Ok(())
}

fn check_may(caller: &Caller, action: Action) -> Result<()> {
    if caller.capabilities.allows_org(OrgArea::Dashboards, action) {
        return Ok(());
    }
    Err(Refusal::MissingCapability { area: OrgArea::Dashboards.name(), action }.into())
}

/// The uid that the request or the document names; both must name the same.
fn chosen_uid(given: Option<&str>, checked: &Checked) -> Result<Option<DashboardUid>> {
    let Some(given) = given.filter(|given| !given.is_empty()) else {
        return Ok(checked.uid.clone());
    };
    let Some(uid) = DashboardUid::parse(given) else {
        let problem = format!("must be 1 to {UID_BYTES_MAX} letters, digits, _ and -");
        return Err(Violation::new("uid", Rule::Pattern, problem).into());
    };
    if checked.uid.as_ref().is_some_and(|other| *other != uid) {
        return Err(invalid("uid", "must be the uid of the request where both are given"));
    }
    Ok(Some(uid))
}

fn note(message: Option<String>) -> Result<Note> {
    let message = message.unwrap_or_default();
    check_text("message", &message, MESSAGE_MAX)?;
    Ok(Note { message, restored: None })
}

fn not_found() -> Error {
    Error::not_found("dashboard")
}

fn exists(uid: &DashboardUid, version: Option<i64>) -> Error {
    let error = Error::new(ErrorKind::Conflict, format!("there is a dashboard with the uid {uid}"))
        .hint("choose another uid, or send the dashboard's version or overwrite to replace it");
    with_fault(error, DashboardReason::Exists, Some(uid), version)
}
