//! How the stages are built: what follows the name of an operator, which words go on with it and what follows those.
//! The parser of each stage decides what is right; this is only what is proposed.

/// What is expected at a part of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Nothing,
    /// An expression over one row.
    Expression,
    /// Names of fields.
    Fields,
    /// Aggregates, and expressions over one row in their arguments.
    Aggregates,
    /// Tables by name.
    Tables,
    /// A condition of a join.
    Keys,
    /// A constant.
    Number,
    /// `new = old`.
    Renamed,
    /// Texts and columns of a pattern.
    Pattern,
    /// Columns with their types, or settings in parentheses.
    Columns,
    /// `typeof(…)`.
    Target,
}

/// A setting such as `kind=inner`.
pub(super) struct Setting {
    pub(super) name: &'static str,
    pub(super) choices: &'static [&'static str],
}

/// A word that goes on with a stage.
pub(super) struct Clause {
    pub(super) word: &'static str,
    pub(super) content: Content,
    /// Words behind each item.
    pub(super) endings: &'static [&'static str],
}

pub(super) struct Form {
    names: &'static [&'static str],
    pub(super) content: Content,
    pub(super) endings: &'static [&'static str],
    pub(super) settings: &'static [Setting],
    pub(super) clauses: &'static [Clause],
}

const fn clause(word: &'static str, content: Content) -> Clause {
    Clause { word, content, endings: &[] }
}

const fn setting(name: &'static str, choices: &'static [&'static str]) -> Setting {
    Setting { name, choices }
}

const fn form(names: &'static [&'static str], content: Content) -> Form {
    Form { names, content, endings: &[], settings: &[], clauses: &[] }
}

const DIRECTIONS: &[&str] = &["asc", "desc", "nulls first", "nulls last"];
const ORDERED: &[Clause] = &[Clause { word: "by", content: Content::Expression, endings: DIRECTIONS }];
const BOOLEANS: &[&str] = &["true", "false"];
const PARSE_SETTINGS: &[Setting] = &[setting("kind", &["simple", "regex", "relaxed"]), setting("flags", &[])];

const FORMS: &[Form] = &[
    form(&["where", "filter", "extend", "extend-valid", "project", "distinct", "print"], Content::Expression),
    form(&["project-away", "project-keep"], Content::Fields),
    form(&["project-rename"], Content::Renamed),
    Form {
        endings: &["asc", "desc", "granny-asc", "granny-desc"],
        ..form(&["project-reorder"], Content::Fields)
    },
    Form { clauses: &[clause("by", Content::Expression)], ..form(&["summarize"], Content::Aggregates) },
    form(&["count", "getschema"], Content::Nothing),
    Form { clauses: ORDERED, ..form(&["sort", "order"], Content::Nothing) },
    Form { clauses: ORDERED, ..form(&["top"], Content::Number) },
    form(&["take", "limit", "sample"], Content::Number),
    Form {
        settings: &[setting("kind", &["outer", "inner"]), setting("withsource", &[])],
        ..form(&["union"], Content::Tables)
    },
    Form {
        settings: &[setting(
            "kind",
            &[
                "inner",
                "innerunique",
                "leftouter",
                "rightouter",
                "fullouter",
                "leftanti",
                "rightanti",
                "leftsemi",
                "rightsemi",
            ],
        )],
        clauses: &[clause("on", Content::Keys)],
        ..form(&["join"], Content::Tables)
    },
    Form {
        settings: &[setting("kind", &["leftouter", "inner"])],
        clauses: &[clause("on", Content::Keys)],
        ..form(&["lookup"], Content::Tables)
    },
    Form {
        settings: PARSE_SETTINGS,
        clauses: &[clause("with", Content::Pattern)],
        ..form(&["parse", "parse-where"], Content::Expression)
    },
    Form {
        clauses: &[clause("as", Content::Columns), clause("with", Content::Columns)],
        ..form(&["parse-kv"], Content::Expression)
    },
    Form {
        settings: &[setting("kind", &["bag", "array"]), setting("with_itemindex", &[])],
        clauses: &[clause("to", Content::Target), clause("limit", Content::Number)],
        ..form(&["mv-expand"], Content::Expression)
    },
    Form {
        settings: &[setting("kind", &["case_insensitive", "case_sensitive"])],
        clauses: &[clause("in", Content::Tables)],
        ..form(&["search"], Content::Expression)
    },
    Form {
        settings: &[
            setting("replaceToken", &[]),
            setting("replaceHash", BOOLEANS),
            setting("redactGroups", BOOLEANS),
        ],
        clauses: &[clause("on", Content::Fields)],
        ..form(&["redact"], Content::Nothing)
    },
    Form {
        clauses: &[
            clause("default", Content::Number),
            clause("on", Content::Fields),
            clause("from", Content::Expression),
            clause("to", Content::Expression),
            clause("step", Content::Number),
            clause("by", Content::Expression),
        ],
        ..form(&["make-series"], Content::Aggregates)
    },
    Form {
        clauses: &[clause("with", Content::Columns)],
        ..form(&["externaldata", "datatable"], Content::Columns)
    },
];

/// How the stage of this name is built.
pub(super) fn find(name: &str) -> Option<&'static Form> {
    FORMS.iter().find(|form| form.names.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stages;

    #[test]
    fn every_operator_has_a_form_and_every_setting_stands_in_its_syntax() {
        for operator in stages::operators() {
            for name in operator.names {
                assert!(find(name).is_some(), "{name}");
            }
            let Some(form) = find(operator.names[0]) else { continue };
            for clause in form.clauses {
                let is_told = operator.syntax.contains(clause.word) || operator.example.contains(clause.word);
                assert!(is_told, "{} {}", operator.names[0], clause.word);
            }
        }
    }
}
