//! The views that a query in text names. Who may query a view reads what it reads, also without a right on the datasets;
//! who may query all its datasets could have written it, and needs no right on the view.

use std::collections::{BTreeMap, HashMap};

use tidegauge_auth::Refusal;
use tidegauge_lang::tree::{NamePattern, Query};
use tidegauge_lang::{Diagnostic, Resolved, Span, dataset_names};
use tidegauge_model::capability::ANY;
use tidegauge_model::{Action, DatasetArea, ViewArea};

use crate::app::App;
use crate::service::query::{defined, failure};
use crate::service::{Caller, Result};

/// The views of a query by their names.
#[derive(Debug, Default)]
pub(super) struct Views(BTreeMap<String, Resolved>);

impl Views {
    /// Those of the names that are views.
    pub(super) async fn of(app: &App, caller: &Caller, names: &[NamePattern]) -> Result<Self> {
        let mut views = BTreeMap::new();
        for name in names.iter().filter_map(NamePattern::plain) {
            if let Some(mut view) = defined::view(app, caller, name).await? {
                check(caller, name, &mut view.query)?;
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

    pub(super) fn queries(&self) -> HashMap<String, Query> {
        self.0.iter().map(|(name, view)| (name.clone(), view.query.clone())).collect()
    }

    /// The datasets that the views read.
    pub(super) fn reads(&self) -> Vec<NamePattern> {
        self.0.values().flat_map(|view| dataset_names(&mut view.query.clone())).collect()
    }

    /// Gives a query the values that its views have names for. A name can mean one thing only.
    pub(super) fn add_constants(self, text: &str, resolved: &mut Resolved) -> Result<()> {
        let mut constants = Vec::new();
        for (view, Resolved { constants: own, .. }) in self.0 {
            for (name, value) in own {
                let is_taken = |(known, _): &(String, _)| *known == name;
                if constants.iter().chain(&resolved.constants).any(is_taken) {
                    let message =
                        format!("the view `{view}` defines `{name}`, which is defined elsewhere too");
                    let hint = "give the value another name".to_owned();
                    let diagnostic = Diagnostic::new(message, Span::default()).with_hint(hint);
                    return Err(failure::of_names(text, &[diagnostic]));
                }
                constants.push((name, value));
            }
        }
        resolved.constants.splice(0..0, constants);
        Ok(())
    }
}

fn check(caller: &Caller, name: &str, query: &mut Query) -> Result<()> {
    let may_read =
        |dataset: &str| caller.capabilities.allows_dataset(dataset, DatasetArea::Query, Action::Read);
    let may_query = caller.capabilities.allows_view(name, ViewArea::Query, Action::Read);
    let reads = dataset_names(query);
    if may_query || reads.iter().all(|dataset| may_read(dataset.plain().unwrap_or(ANY))) {
        return Ok(());
    }
    Err(Refusal::MissingCapability { area: ViewArea::Query.name(), action: Action::Read }.into())
}
