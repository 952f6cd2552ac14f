//! Reads capabilities from the names that callers send, and checks each against the table of areas and actions.

use std::collections::BTreeMap;

use tidegauge_model::capability::{ANY, Grants};
use tidegauge_model::{Action, Capabilities, DatasetArea, OrgArea, Rule, ViewArea, Violation};

use super::text::{check_dataset_name, check_name};

/// Most datasets or views that one token can name; beyond that, use `*`.
const NAMES_MAX: usize = 100;

/// Actions by area, by name. A missing list is an empty one.
pub type NamedActions = BTreeMap<String, Option<Vec<String>>>;

/// Capabilities as they are sent.
#[derive(Debug, Default)]
pub struct CapabilityInput {
    pub org: NamedActions,
    pub dataset: BTreeMap<String, Option<NamedActions>>,
    pub view: BTreeMap<String, Option<NamedActions>>,
}

pub fn read(input: &CapabilityInput) -> Result<Capabilities, Violation> {
    let org_areas = Areas { all: OrgArea::ALL, name: OrgArea::name, actions: OrgArea::actions };
    let dataset_areas =
        Areas { all: DatasetArea::ALL, name: DatasetArea::name, actions: DatasetArea::actions };
    let view_areas = Areas { all: ViewArea::ALL, name: ViewArea::name, actions: ViewArea::actions };
    Ok(Capabilities {
        org: org_areas.read("orgCapabilities", &input.org)?,
        dataset: dataset_areas.read_named("datasetCapabilities", &input.dataset, check_dataset_name)?,
        view: view_areas.read_named("viewCapabilities", &input.view, check_name)?,
    })
}

/// One family of areas.
struct Areas<Area: 'static> {
    all: &'static [Area],
    name: fn(Area) -> &'static str,
    actions: fn(Area) -> &'static [Action],
}

impl<Area: Copy + Ord> Areas<Area> {
    fn read_named(
        &self,
        path: &str,
        input: &BTreeMap<String, Option<NamedActions>>,
        check: fn(&str, &str) -> Result<(), Violation>,
    ) -> Result<BTreeMap<String, Grants<Area>>, Violation> {
        if input.len() > NAMES_MAX {
            let problem = format!("should have at most {NAMES_MAX} items; use * for all");
            return Err(Violation::new(path, Rule::TooManyItems, problem));
        }
        let mut named = BTreeMap::new();
        for (name, areas) in input {
            let path = format!("{path}.{name}");
            if name != ANY {
                check(&path, name)?;
            }
            if let Some(areas) = areas {
                named.insert(name.clone(), self.read(&path, areas)?);
            }
        }
        Ok(named)
    }

    fn read(&self, path: &str, input: &NamedActions) -> Result<Grants<Area>, Violation> {
        let mut grants = Grants::new();
        for (name, actions) in input {
            let Some(&area) = self.all.iter().find(|&&area| (self.name)(area) == name) else {
                let names: Vec<&str> = self.all.iter().map(|&area| (self.name)(area)).collect();
                let problem = format!("has no area {name:?}; the areas are [{}]", names.join(" "));
                return Err(Violation::new(path, Rule::OneOf, problem));
            };
            let actions = actions.as_deref().unwrap_or_default();
            let read = read_actions(&format!("{path}.{name}"), actions, (self.actions)(area))?;
            if !read.is_empty() {
                grants.insert(area, read);
            }
        }
        Ok(grants)
    }
}

fn read_actions(path: &str, names: &[String], allowed: &[Action]) -> Result<Vec<Action>, Violation> {
    let mut actions = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let Some(action) = Action::from_name(name).filter(|action| allowed.contains(action)) else {
            let allowed: Vec<&str> = allowed.iter().map(|action| action.name()).collect();
            return Err(Violation::one_of(format!("{path}.{index}"), &allowed));
        };
        if !actions.contains(&action) {
            actions.push(action);
        }
    }
    Ok(actions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn org(area: &str, actions: &[&str]) -> CapabilityInput {
        let actions = actions.iter().map(|action| (*action).to_owned()).collect();
        CapabilityInput {
            org: BTreeMap::from([(area.to_owned(), Some(actions))]),
            ..CapabilityInput::default()
        }
    }

    #[test]
    fn actions_keep_their_order_and_repeats_are_dropped() {
        let read = read(&org("users", &["read", "create", "read"])).unwrap();
        assert_eq!(read.org[&OrgArea::Users], [Action::Read, Action::Create]);
    }

    #[test]
    fn null_and_empty_lists_grant_nothing() {
        let mut input = org("users", &[]);
        input.org.insert("views".to_owned(), None);
        assert!(read(&input).unwrap().org.is_empty());
    }

    #[test]
    fn unknown_areas_and_actions_are_named() {
        let unknown = read(&org("rockets", &["read"])).unwrap_err();
        assert!(unknown.to_string().starts_with("orgCapabilities in body has no area \"rockets\""));
        let wrong = read(&org("auditLog", &["delete"])).unwrap_err();
        assert_eq!(wrong.to_string(), "orgCapabilities.auditLog.0 in body must be one of [read]");
    }
}
