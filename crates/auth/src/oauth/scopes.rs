//! What the scopes of a token allow. A scope is one capability, `area|action`, as routes declare it and the API document
//! shows it; `*` stands for all that the person may.

use tidegauge_model::capability::ANY;
use tidegauge_model::{Action, Capabilities, DatasetArea, OrgArea, ViewArea};

/// The scope that stands for everything that the person may do.
pub const ALL: &str = "*";

/// The scopes of a token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scopes {
    /// All that the person may; the capabilities then say nothing.
    pub all: bool,
    pub capabilities: Capabilities,
}

impl Scopes {
    /// Reads scopes with spaces between them. Words that are no capability, such as `openid`, allow nothing.
    pub fn parse(text: &str) -> Self {
        Self::parse_with_prefix(text, "")
    }

    /// Reads scopes that each begin with a prefix, for servers whose scopes must be addresses.
    pub fn parse_with_prefix(text: &str, prefix: &str) -> Self {
        let mut scopes = Self::default();
        for word in text.split(' ').filter_map(|word| word.strip_prefix(prefix)) {
            scopes.add(word);
        }
        scopes
    }

    /// Everything that the person may.
    pub fn everything() -> Self {
        Self { all: true, capabilities: Capabilities::default() }
    }

    /// Every scope there is by its name.
    pub fn names() -> Vec<String> {
        let org = OrgArea::ALL.iter().map(|area| (area.name(), area.actions()));
        let dataset = DatasetArea::ALL.iter().map(|area| (area.name(), area.actions()));
        let pairs = org.chain(dataset);
        pairs.flat_map(|(area, actions)| actions.iter().map(move |action| name(area, *action))).collect()
    }

    /// What the token can do in the hands of someone with these rights: the scopes never give more.
    pub fn within(&self, rights: &Capabilities) -> Capabilities {
        if self.all { rights.clone() } else { self.capabilities.intersection(rights) }
    }

    fn add(&mut self, word: &str) {
        if word == ALL {
            self.all = true;
            return;
        }
        let Some((area, action)) = word.split_once('|') else {
            return;
        };
        let Some(action) = Action::from_name(action) else {
            return;
        };
        if let Some(known) = find(OrgArea::ALL, area, OrgArea::name)
            && known.actions().contains(&action)
        {
            grant(self.capabilities.org.entry(known).or_default(), action);
        }
        if let Some(known) = find(DatasetArea::ALL, area, DatasetArea::name)
            && known.actions().contains(&action)
        {
            let every = self.capabilities.dataset.entry(ANY.to_owned()).or_default();
            grant(every.entry(known).or_default(), action);
        }
        // What may be done with datasets may be done with views that have the same action: who reads all datasets
        // reads what views show of them.
        if let Some(known) = find(ViewArea::ALL, area, ViewArea::name)
            && known.actions().contains(&action)
        {
            let every = self.capabilities.view.entry(ANY.to_owned()).or_default();
            grant(every.entry(known).or_default(), action);
        }
    }
}

fn name(area: &str, action: Action) -> String {
    format!("{area}|{}", action.name())
}

fn find<Area: Copy>(all: &[Area], wanted: &str, name: fn(Area) -> &'static str) -> Option<Area> {
    all.iter().copied().find(|&area| name(area) == wanted)
}

fn grant(actions: &mut Vec<Action>, action: Action) {
    if !actions.contains(&action) {
        actions.push(action);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_one_capability() {
        let scopes = Scopes::parse("openid notifiers|read ingest|create ingest|create");
        assert!(!scopes.all);
        assert!(scopes.capabilities.allows_org(OrgArea::Notifiers, Action::Read));
        assert!(!scopes.capabilities.allows_org(OrgArea::Notifiers, Action::Update));
        assert!(scopes.capabilities.allows_dataset("logs", DatasetArea::Ingest, Action::Create));
        assert!(!scopes.capabilities.allows_dataset("logs", DatasetArea::Query, Action::Read));
    }

    #[test]
    fn words_that_are_no_capability_allow_nothing() {
        let odd =
            "openid profile notifiers notifiers| |read notifiers|READ notifiers|read| auditLog|delete ** \t*";
        assert_eq!(Scopes::parse(odd), Scopes::default());
        assert_eq!(Scopes::parse(""), Scopes::default());
    }

    #[test]
    fn the_star_is_as_much_as_the_person_may() {
        let rights = Scopes::parse("notifiers|read").capabilities;
        assert_eq!(Scopes::parse("*").within(&rights), rights);
        assert_eq!(Scopes::everything().within(&Capabilities::default()), Capabilities::default());
        assert_eq!(Scopes::parse("monitors|read").within(&rights), Capabilities::default());
        assert!(rights.contains(&Scopes::parse("notifiers|read monitors|read").within(&rights)));
    }

    #[test]
    fn a_prefix_is_required_where_there_is_one() {
        let scopes = Scopes::parse_with_prefix("api://logs/notifiers|read monitors|read", "api://logs/");
        assert_eq!(scopes, Scopes::parse("notifiers|read"));
    }

    #[test]
    fn every_name_reads_back() {
        let all = Scopes::parse(&Scopes::names().join(" "));
        assert!(all.capabilities.contains(&Capabilities::all()) && !all.all);
    }
}
