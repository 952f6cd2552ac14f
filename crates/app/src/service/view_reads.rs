//! Which datasets the query of a view reads. Names are settled here as they are when the view is used, so that nothing
//! can be read that was not seen; what only the run can tell counts as any dataset. What a view is said to read is its
//! maker's word, and decides about no right.

use tidegauge_lang::tree::{NamePattern, Program};
use tidegauge_lang::{dataset_names, parse_query, resolve_view};
use tidegauge_model::capability::ANY;
use tidegauge_model::dataset::is_audit_name;
use tidegauge_model::{Action, Capabilities, DatasetArea, ViewArea};

/// The datasets that a query reads.
#[derive(Debug)]
pub(super) struct Reads {
    /// Names and patterns, in the order in which the query has them.
    patterns: Vec<NamePattern>,
    /// Whether it has a name that is not known yet.
    has_unknown: bool,
}

impl Reads {
    pub(super) fn of(program: Program) -> Self {
        match resolve_view(program) {
            Ok(mut query) => Self { patterns: dataset_names(&mut query), has_unknown: false },
            Err(_) => Self { patterns: Vec::new(), has_unknown: true },
        }
    }

    /// What a text reads; none where it is not understood.
    pub(super) fn of_text(text: &str) -> Option<Self> {
        let (program, diagnostics) = parse_query(text);
        diagnostics.is_empty().then(|| Self::of(program))
    }

    /// The names that it has, in its order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().filter_map(NamePattern::plain)
    }

    /// Whether it may read others too: by a pattern, or by a name that is not known yet.
    pub(super) fn is_open(&self) -> bool {
        self.has_unknown || self.patterns.iter().any(|pattern| pattern.plain().is_none())
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let parts = self.patterns.iter().flat_map(|pattern| &pattern.parts);
        let texts: usize = parts.map(|part| size_of::<String>() + part.len()).sum();
        size_of::<Self>() + self.patterns.len() * size_of::<NamePattern>() + texts
    }

    /// Whether it may read a dataset.
    pub(super) fn may_be_of(&self, dataset: &str) -> bool {
        self.has_unknown || self.patterns.iter().any(|pattern| pattern.fits(dataset))
    }
}

/// Whether a view may be queried, by the right on it or on all that it reads. No view hands on the audit trail.
pub(super) fn may_query(held: &Capabilities, view: &str, reads: &Reads) -> bool {
    let may_use = held.allows_view(view, ViewArea::Query, Action::Read);
    let may_read = |name: &str| match is_audit_name(name) && may_use {
        true => held.allows_audit(),
        false => may_use || held.allows_dataset(name, DatasetArea::Query, Action::Read),
    };
    reads.names().all(may_read) && (!reads.is_open() || may_read(ANY))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names, with a star where others may be read too.
    fn named(text: &str) -> Vec<String> {
        let reads = Reads::of_text(text).unwrap_or_else(|| panic!("{text}"));
        let mut names: Vec<String> = reads.names().map(str::to_owned).collect();
        if reads.is_open() {
            names.push("*".to_owned());
        }
        names
    }

    #[test]
    fn datasets_are_found_wherever_they_stand() {
        for (text, wanted) in [
            ("['web'] | where a > 1 | count", &["web"][..]),
            ("web | union api, (['a b'] | take 1), web", &["web", "api", "a b"]),
            ("union web, api", &["web", "api"]),
            ("web | join kind=inner (api | where x == 1) on id", &["web", "api"]),
            ("web | lookup names on id", &["web", "names"]),
            ("web | where id in ((api | project id))", &["web", "api"]),
            ("web | extend x = iff(id in ((api | project id)), 1, 2) | top 3 by x", &["web", "api"]),
            ("search in (web, api) \"timeout\"", &["web", "api"]),
            ("table(\"web\") | count", &["web"]),
            ("print x = 1", &[]),
            ("datatable (a:long) [1, 2]", &[]),
        ] {
            assert_eq!(named(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_only_the_run_can_tell_is_any_dataset() {
        for text in [
            "union web*",
            "union *",
            "search \"timeout\"",
            "search in (web*) \"timeout\"",
            "declare query_parameters (name:string); table(name)",
            "table(strcat(\"w\", \"eb\"))",
        ] {
            assert_eq!(named(text), ["*"], "{text}");
        }
    }

    #[test]
    fn names_of_let_stand_for_what_they_were_given() {
        for (text, wanted) in [
            ("let a = web | where x == 1; a | count", &["web"][..]),
            ("let a = web; a | count", &["web"]),
            ("let a = \"web\"; table(a)", &["web"]),
            ("let a = web; let b = a; b | union api", &["web", "api"]),
            // What is defined behind it is not meant.
            ("let a = b | count; let b = print 1; a | union b", &["b"]),
            ("let a = a | count; a", &["a"]),
            // A text is a value: as a source the name is still that of a dataset.
            ("let secret = \"public\"; secret | take 100", &["secret"]),
            ("let public = \"x\"; let secret = public; secret", &["secret"]),
            ("let a = 1 in ((secret | project id)); web | where a", &["web", "secret"]),
            ("let secret = \"public\"; web | union secret", &["web", "secret"]),
        ] {
            assert_eq!(named(text), wanted, "{text}");
        }
    }
}
