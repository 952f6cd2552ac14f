//! Capabilities: which actions a token or role may take in which area. Areas exist for the whole organisation, per
//! dataset and per view. The table here says which actions make sense where; deciding a request is left to `auth`.

mod combine;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::dataset::is_audit_name;

/// What can be done in an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Create,
    Read,
    Update,
    Delete,
}

use Action::{Create, Delete, Read, Update};

const EVERY: &[Action] = &[Create, Read, Update, Delete];

impl Action {
    pub const ALL: &[Self] = EVERY;

    pub fn name(self) -> &'static str {
        match self {
            Create => "create",
            Read => "read",
            Update => "update",
            Delete => "delete",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.name() == name)
    }
}

/// An enumeration of areas with, for each, its name on the wire and the actions that exist in it.
macro_rules! areas {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $wire:literal: $actions:expr,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $(#[serde(rename = $wire)] $variant,)*
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $wire,)*
                }
            }

            /// The actions that a token may hold in this area.
            pub fn actions(self) -> &'static [Action] {
                match self {
                    $(Self::$variant => $actions,)*
                }
            }
        }
    };
}

areas!(
    /// Areas of the whole organisation.
    OrgArea {
        Annotations = "annotations": EVERY,
        ApiTokens = "apiTokens": EVERY,
        AuditLog = "auditLog": &[Read],
        Billing = "billing": &[Read, Update],
        Dashboards = "dashboards": EVERY,
        Datasets = "datasets": EVERY,
        Endpoints = "endpoints": EVERY,
        Flows = "flows": EVERY,
        Integrations = "integrations": EVERY,
        Monitors = "monitors": EVERY,
        Notifiers = "notifiers": EVERY,
        Rbac = "rbac": EVERY,
        SharedAccessKeys = "sharedAccessKeys": &[Read, Update],
        Users = "users": EVERY,
        Views = "views": EVERY,
    }
);

areas!(
    /// Areas of one dataset.
    DatasetArea {
        Ingest = "ingest": &[Create],
        Query = "query": &[Read],
        StarredQueries = "starredQueries": EVERY,
        VirtualFields = "virtualFields": EVERY,
        Trim = "trim": &[Update],
        Vacuum = "vacuum": &[Update],
        Data = "data": &[Delete],
        Share = "share": &[Create, Read, Delete],
    }
);

areas!(
    /// Areas of one view.
    ViewArea {
        Query = "query": &[Read],
        Share = "share": &[Create, Read, Delete],
    }
);

impl DatasetArea {
    /// Whether who acts in it sees what events hold, or decides what others see of it.
    pub fn is_about_content(self) -> bool {
        match self {
            Self::Query | Self::VirtualFields | Self::Share => true,
            Self::Ingest | Self::StarredQueries | Self::Trim | Self::Vacuum | Self::Data => false,
        }
    }
}

/// The actions held in each area, in the order in which they were granted, so that an answer repeats a request.
pub type Grants<Area> = BTreeMap<Area, Vec<Action>>;

/// The name that stands for every dataset or every view.
pub const ANY: &str = "*";

/// All that a token or a role may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    pub org: Grants<OrgArea>,
    /// By dataset name, or [`ANY`].
    pub dataset: BTreeMap<String, Grants<DatasetArea>>,
    /// By view name, or [`ANY`].
    pub view: BTreeMap<String, Grants<ViewArea>>,
}

impl Capabilities {
    /// Whether nothing at all is allowed.
    pub fn is_empty(&self) -> bool {
        fn grants_nothing<Area>(grants: &Grants<Area>) -> bool {
            grants.values().all(Vec::is_empty)
        }
        grants_nothing(&self.org)
            && self.dataset.values().all(grants_nothing)
            && self.view.values().all(grants_nothing)
    }

    /// Everything there is.
    pub fn all() -> Self {
        Self::where_allowed(|_, _| true, |_, _| true, |_, _| true)
    }

    /// Every action of every area, over all datasets and views, that the three rules let through.
    pub fn where_allowed(
        org: impl Fn(OrgArea, Action) -> bool,
        dataset: impl Fn(DatasetArea, Action) -> bool,
        view: impl Fn(ViewArea, Action) -> bool,
    ) -> Self {
        Self {
            org: filter_grants(OrgArea::ALL, OrgArea::actions, org),
            dataset: over_any(filter_grants(DatasetArea::ALL, DatasetArea::actions, dataset)),
            view: over_any(filter_grants(ViewArea::ALL, ViewArea::actions, view)),
        }
    }

    pub fn allows_org(&self, area: OrgArea, action: Action) -> bool {
        holds(&self.org, area, action)
    }

    /// Whether the action is allowed on a dataset. What is in the dataset of the audit trail is for who may read the audit
    /// trail, so a right to read it, also one on all datasets, is worth nothing without that.
    pub fn allows_dataset(&self, dataset: &str, area: DatasetArea, action: Action) -> bool {
        let is_open = !is_audit_name(dataset) || !area.is_about_content() || self.allows_audit();
        is_open && self.grants_dataset(dataset, area, action)
    }

    /// Whether the audit trail may be read, and what is made of it.
    pub fn allows_audit(&self) -> bool {
        self.allows_org(OrgArea::AuditLog, Read)
    }

    /// Whether the action was granted on a dataset, whatever else it takes.
    fn grants_dataset(&self, dataset: &str, area: DatasetArea, action: Action) -> bool {
        allows_named(&self.dataset, dataset, area, action)
    }

    pub fn allows_view(&self, view: &str, area: ViewArea, action: Action) -> bool {
        allows_named(&self.view, view, area, action)
    }

    /// Whether the action is allowed on at least one dataset; which one is then for the use case to check.
    pub fn allows_some_dataset(&self, area: DatasetArea, action: Action) -> bool {
        self.dataset.values().any(|grants| holds(grants, area, action))
    }

    /// Whether everything in `other` is held here too: nobody may grant more than they hold.
    pub fn contains(&self, other: &Self) -> bool {
        each(&other.org).all(|(area, action)| self.allows_org(area, action))
            && other.dataset.iter().all(|(name, grants)| {
                each(grants).all(|(area, action)| self.grants_dataset(name, area, action))
            })
            && other
                .view
                .iter()
                .all(|(name, grants)| each(grants).all(|(area, action)| self.allows_view(name, area, action)))
    }
}

fn filter_grants<Area: Copy + Ord>(
    areas: &[Area],
    actions: fn(Area) -> &'static [Action],
    keep: impl Fn(Area, Action) -> bool,
) -> Grants<Area> {
    let mut grants = Grants::new();
    for &area in areas {
        let kept: Vec<Action> = actions(area).iter().copied().filter(|&action| keep(area, action)).collect();
        if !kept.is_empty() {
            grants.insert(area, kept);
        }
    }
    grants
}

fn over_any<Area>(grants: Grants<Area>) -> BTreeMap<String, Grants<Area>> {
    if grants.is_empty() { BTreeMap::new() } else { BTreeMap::from([(ANY.to_owned(), grants)]) }
}

fn holds<Area: Ord>(grants: &Grants<Area>, area: Area, action: Action) -> bool {
    grants.get(&area).is_some_and(|actions| actions.contains(&action))
}

fn allows_named<Area: Ord + Copy>(
    grants: &BTreeMap<String, Grants<Area>>,
    name: &str,
    area: Area,
    action: Action,
) -> bool {
    [ANY, name].iter().filter_map(|key| grants.get(*key)).any(|found| holds(found, area, action))
}

fn each<Area: Copy>(grants: &Grants<Area>) -> impl Iterator<Item = (Area, Action)> + '_ {
    grants.iter().flat_map(|(&area, actions)| actions.iter().map(move |&action| (area, action)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::AUDIT_DATASET;

    fn dataset(name: &str, area: DatasetArea, actions: &[Action]) -> Capabilities {
        let grants = Grants::from([(area, actions.to_vec())]);
        Capabilities { dataset: BTreeMap::from([(name.to_owned(), grants)]), ..Capabilities::default() }
    }

    #[test]
    fn the_star_covers_every_dataset_and_a_name_only_itself() {
        let star = dataset("*", DatasetArea::Query, &[Read]);
        let logs = dataset("logs", DatasetArea::Query, &[Read]);
        assert!(star.allows_dataset("anything", DatasetArea::Query, Read));
        assert!(logs.allows_dataset("logs", DatasetArea::Query, Read));
        assert!(!logs.allows_dataset("other", DatasetArea::Query, Read));
        assert!(star.contains(&logs));
        assert!(!logs.contains(&star));
    }

    #[test]
    fn the_dataset_of_the_audit_trail_is_for_who_may_read_the_audit_trail() {
        let auditor =
            Capabilities { org: Grants::from([(OrgArea::AuditLog, vec![Read])]), ..Default::default() };
        for name in [ANY, AUDIT_DATASET] {
            for &area in DatasetArea::ALL {
                for &action in area.actions() {
                    let granted = dataset(name, area, &[action]);
                    let is_enough = granted.allows_dataset(AUDIT_DATASET, area, action);
                    assert_eq!(is_enough, !area.is_about_content(), "{name} {area:?}");
                    assert!(granted.contains(&granted), "a right that is worth nothing is still held");
                    let both = granted.union(&auditor);
                    assert!(both.allows_dataset(AUDIT_DATASET, area, action), "{name} {area:?}");
                }
            }
        }
        assert!(!auditor.allows_dataset(AUDIT_DATASET, DatasetArea::Query, Read));
        let only = dataset(AUDIT_DATASET, DatasetArea::Query, &[Read]).union(&auditor);
        assert!(!only.allows_dataset("logs", DatasetArea::Query, Read));
    }

    #[test]
    fn everything_contains_everything() {
        assert!(Capabilities::all().contains(&Capabilities::all()));
        assert!(Capabilities::all().contains(&Capabilities::default()));
        assert!(!Capabilities::default().contains(&Capabilities::all()));
    }
}
