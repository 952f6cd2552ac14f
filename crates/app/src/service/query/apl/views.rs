//! The views that a query in text names. Who may query a view reads what it reads, also without a right on the datasets;
//! who may query all its datasets could have written it, and needs no right on the view.

use std::collections::{BTreeMap, HashMap};

use tidegauge_auth::Refusal;
use tidegauge_lang::dataset_names;
use tidegauge_lang::tree::{NamePattern, Query};
use tidegauge_model::{Action, ViewArea};

use super::sources;
use crate::app::App;
use crate::service::query::defined;
use crate::service::{Caller, Result};

/// The views of a query by their names.
#[derive(Debug, Default)]
pub(super) struct Views(BTreeMap<String, Query>);

impl Views {
    /// Those of the names that are views.
    pub(super) async fn of(app: &App, caller: &Caller, names: &[NamePattern]) -> Result<Self> {
        let mut views = BTreeMap::new();
        for name in names.iter().filter_map(NamePattern::plain) {
            if let Some(mut view) = defined::view(app, caller, name).await? {
                check(caller, name, &mut view)?;
                views.insert(name.to_owned(), view);
            }
        }
        Ok(Self(views))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    pub(super) fn queries(&self) -> HashMap<String, Query> {
        self.0.iter().map(|(name, view)| (name.clone(), view.clone())).collect()
    }

    /// The datasets that the views read.
    pub(super) fn reads(&self) -> Vec<NamePattern> {
        self.0.values().flat_map(|view| dataset_names(&mut view.clone())).collect()
    }
}

fn check(caller: &Caller, name: &str, query: &mut Query) -> Result<()> {
    let may_query = caller.capabilities.allows_view(name, ViewArea::Query, Action::Read);
    if may_query || sources::may_read_all(caller, &dataset_names(query)) {
        return Ok(());
    }
    Err(Refusal::MissingCapability { area: ViewArea::Query.name(), action: Action::Read }.into())
}
