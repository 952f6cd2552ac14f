//! Which datasets the query of a view reads. Names are settled here as they are when the view is used, so that nothing
//! can be read that was not seen; what only the run can tell counts as any dataset. What a view is said to read is its
//! maker's word, and decides about no right.

use tidegauge_catalog::views::View;
use tidegauge_lang::tree::Program;
use tidegauge_lang::{dataset_names, parse_query, resolve_view};
use tidegauge_model::capability::ANY;
use tidegauge_model::dataset::is_audit_name;
use tidegauge_model::{Action, Capabilities, DatasetArea, OrgId, ViewArea};

use super::Result;
use crate::app::App;

/// The datasets that a query reads.
#[derive(Debug, Default)]
pub(super) struct Reads {
    /// In the order in which the query names them.
    pub(super) names: Vec<String>,
    /// Whether it may read others too: by a pattern, or by a name that is not known yet.
    pub(super) is_open: bool,
}

impl Reads {
    pub(super) fn of(program: Program) -> Self {
        let Ok(mut query) = resolve_view(program) else {
            return Self { names: Vec::new(), is_open: true };
        };
        let mut reads = Self::default();
        for pattern in dataset_names(&mut query) {
            match pattern.plain() {
                Some(name) => reads.names.push(name.to_owned()),
                None => reads.is_open = true,
            }
        }
        reads
    }
}

/// Whether a view may be queried, by the right on it or on all that it reads. No view hands on the audit trail.
pub(super) fn may_query(held: &Capabilities, view: &View) -> bool {
    let may_use = held.allows_view(&view.name, ViewArea::Query, Action::Read);
    let may_read = |name: &str| match is_audit_name(name) && may_use {
        true => held.allows_audit(),
        false => may_use || held.allows_dataset(name, DatasetArea::Query, Action::Read),
    };
    let (program, diagnostics) = parse_query(&view.apl);
    if !diagnostics.is_empty() {
        return false;
    }
    let reads = Reads::of(program);
    reads.names.iter().all(|name| may_read(name)) && (!reads.is_open || may_read(ANY))
}

/// The views that monitors of an organisation read, or have read, and that read a dataset themselves.
pub(super) async fn monitored_views_of(app: &App, org: &OrgId, dataset: &str) -> Result<Vec<String>> {
    let mut reading = Vec::new();
    for name in app.catalog.monitored_views(org).await? {
        let Some(view) = app.catalog.view_by_name(org, &name).await? else { continue };
        let dataset = dataset.to_owned();
        if app.background.compute(move || reads(&view.apl, &dataset)).await {
            reading.push(name);
        }
    }
    Ok(reading)
}

/// Whether a query reads a dataset. One that is not understood any more may have.
fn reads(text: &str, dataset: &str) -> bool {
    let (program, diagnostics) = parse_query(text);
    if !diagnostics.is_empty() {
        return true;
    }
    let Ok(mut query) = resolve_view(program) else { return true };
    dataset_names(&mut query).iter().any(|pattern| pattern.fits(dataset))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names, with a star where others may be read too.
    fn named(text: &str) -> Vec<String> {
        let (program, diagnostics) = parse_query(text);
        assert_eq!(diagnostics, [], "{text}");
        let Reads { mut names, is_open } = Reads::of(program);
        if is_open {
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

    #[test]
    fn a_query_reads_what_it_names_and_what_its_patterns_fit() {
        for (text, expected) in [
            ("['web'] | count", true),
            ("let a = web; a | where x in ((api | project x))", true),
            ("union we*", true),
            ("union *", true),
            ("declare query_parameters (name:string); table(name)", true),
            ("web | wher", true),
            ("['api'] | where web == 1", false),
            ("union ap*", false),
            ("print x = 'web'", false),
        ] {
            assert_eq!(super::reads(text, "web"), expected, "{text}");
        }
    }
}
