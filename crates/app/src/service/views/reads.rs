//! Which datasets the query of a view reads. Names are settled here as they are when the view is used, so that nothing
//! can be read that was not seen; what only the run can tell counts as any dataset.

use tidegauge_lang::tree::Program;
use tidegauge_lang::{dataset_names, resolve_view};

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

#[cfg(test)]
mod tests {
    use tidegauge_lang::parse_query;

    use super::*;

    /// The names, with a star where others may be read too.
    fn reads(text: &str) -> Vec<String> {
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
            assert_eq!(reads(text), wanted, "{text}");
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
            assert_eq!(reads(text), ["*"], "{text}");
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
            assert_eq!(reads(text), wanted, "{text}");
        }
    }
}
