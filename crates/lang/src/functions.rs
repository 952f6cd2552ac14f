//! The functions of the language, as tables that the parser, the reference page and completion read: names, parameters,
//! result, one line about each and an example that is run. Those of one row and those of many have their own tables.
//! How they compute is left to `engine`.

mod aggregates;
mod arrays;
mod bags;
mod conditional;
mod conversion;
mod datetime;
mod encodings;
mod file_paths;
mod function;
mod genai;
mod hash;
mod ip;
mod mathematical;
mod metadata;
mod pair;
mod patterns;
mod rounding;
mod series;
mod series_statistics;
mod signatures;
mod sql;
mod string;
mod types;

use crate::suggest;

pub use function::{ARGUMENTS_MAX, Example, Family, Function, Parameter, Repeats, ResultType};
pub use signatures::Signature;

const TABLES: &[&[Function]] = &[
    conversion::FUNCTIONS,
    conditional::FUNCTIONS,
    string::FUNCTIONS,
    patterns::FUNCTIONS,
    encodings::FUNCTIONS,
    file_paths::FUNCTIONS,
    datetime::FUNCTIONS,
    metadata::FUNCTIONS,
    mathematical::FUNCTIONS,
    rounding::FUNCTIONS,
    arrays::FUNCTIONS,
    bags::FUNCTIONS,
    series::FUNCTIONS,
    series_statistics::FUNCTIONS,
    hash::FUNCTIONS,
    ip::FUNCTIONS,
    pair::FUNCTIONS,
    sql::FUNCTIONS,
    genai::FUNCTIONS,
    types::FUNCTIONS,
];

/// Names that other languages have for functions of this one.
const RENAMED: &[(&str, &str)] = &[
    ("ceil", "ceiling"),
    ("char_length", "strlen"),
    ("concat", "strcat"),
    ("date_part", "datetime_part"),
    ("date_trunc", "bin"),
    ("greatest", "max_of"),
    ("if", "iff"),
    ("ifnull", "coalesce"),
    ("lcase", "tolower"),
    ("least", "min_of"),
    ("length", "strlen"),
    ("ln", "log"),
    ("lower", "tolower"),
    ("ltrim", "trim_start"),
    ("month", "getmonth"),
    ("nvl", "coalesce"),
    ("power", "pow"),
    ("regexp_extract", "extract"),
    ("regexp_replace", "replace_regex"),
    ("rtrim", "trim_end"),
    ("strpos", "indexof"),
    ("substr", "substring"),
    ("todecimal", "toreal"),
    ("tofloat", "toreal"),
    ("tonumber", "toreal"),
    ("ucase", "toupper"),
    ("upper", "toupper"),
    ("year", "getyear"),
];

/// What other languages call aggregation functions of this one.
const RENAMED_AGGREGATES: &[(&str, &str)] = &[
    ("approx_distinct", "dcount"),
    ("average", "avg"),
    ("collect_list", "make_list"),
    ("collect_set", "make_set"),
    ("count_distinct", "dcount"),
    ("count_if", "countif"),
    ("dc", "dcount"),
    ("distinct", "dcount"),
    ("distinct_count", "dcount"),
    ("first", "arg_min"),
    ("last", "arg_max"),
    ("list", "make_list"),
    ("make_bag", "make_list"),
    ("makelist", "make_list"),
    ("makeset", "make_set"),
    ("maximum", "max"),
    ("mean", "avg"),
    ("median", "percentile"),
    ("minimum", "min"),
    ("p50", "percentile"),
    ("p95", "percentile"),
    ("p99", "percentile"),
    ("percentiles", "percentiles_array"),
    ("sd", "stdev"),
    ("std", "stdev"),
    ("stddev", "stdev"),
    ("sum_if", "sumif"),
    ("total", "sum"),
    ("uniq", "dcount"),
    ("values", "make_set"),
    ("var", "variance"),
];

/// Every function of one row, family after family.
pub fn all() -> impl Iterator<Item = &'static Function> {
    TABLES.iter().copied().flatten()
}

/// The function of this name. Names are case-sensitive.
pub fn find(name: &str) -> Option<&'static Function> {
    all().find(|function| function.name == name)
}

/// The name of every function.
pub fn names() -> impl Iterator<Item = &'static str> {
    all().map(|function| function.name)
}

/// Every aggregation function.
pub fn aggregates() -> impl Iterator<Item = &'static Function> {
    aggregates::AGGREGATES.iter()
}

/// The aggregation function of this name. Names are case-sensitive.
pub fn find_aggregate(name: &str) -> Option<&'static Function> {
    aggregates().find(|function| function.name == name)
}

/// The functions of one row that have no row in the table yet.
pub fn signatures() -> impl Iterator<Item = &'static Signature> {
    signatures::SIGNATURES.iter()
}

/// The outline of the function of this name.
pub fn find_signature(name: &str) -> Option<&'static Signature> {
    signatures().find(|signature| signature.name == name)
}

/// The function that was probably meant by an unknown name: a slip, or what another language calls it. Among groups an
/// aggregation function is meant first.
pub(crate) fn meant(name: &str, is_in_group: bool) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let of_group = || {
        let renamed = RENAMED_AGGREGATES.iter().find(|(foreign, _)| *foreign == lower).map(|(_, ours)| *ours);
        renamed.or_else(|| suggest::nearest(name, aggregates().map(|function| function.name)))
    };
    let renamed = |name: &str| RENAMED.iter().find(|(foreign, _)| *foreign == name).map(|(_, ours)| *ours);
    let of_row = || {
        let known = names().chain(signatures().map(|signature| signature.name));
        renamed(&lower)
            .or_else(|| suggest::nearest(name, known))
            .or_else(|| renamed(suggest::nearest(name, RENAMED.iter().map(|(foreign, _)| *foreign))?))
    };
    if is_in_group { of_group().or_else(of_row) } else { of_row() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_sentences_end() {
        let names: BTreeSet<&str> = names().collect();
        assert_eq!(names.len(), all().count());
        for function in all() {
            assert!(function.doc.ends_with('.') && !function.doc.contains('\n'), "{}", function.name);
            assert!(function.required <= function.parameters.len(), "{}", function.name);
            assert!(function.example.text.contains(&format!("{}(", function.name)), "{}", function.name);
        }
        for (foreign, ours) in RENAMED {
            let is_known = find(foreign).is_some() || find_signature(foreign).is_some();
            assert!(!is_known && find(ours).is_some(), "{foreign}");
        }
        for (foreign, ours) in RENAMED_AGGREGATES {
            assert!(find_aggregate(foreign).is_none() && find_aggregate(ours).is_some(), "{foreign}");
        }
    }

    #[test]
    fn counts_and_signatures_are_told_in_words() {
        for (name, signature, count) in [
            ("now", "now([offset])", "at most 1 argument"),
            ("strlen", "strlen(text)", "1 argument"),
            ("substring", "substring(text, start, [length])", "2 to 3 arguments"),
            ("strcat", "strcat(value, …)", "1 to 64 arguments"),
            ("case", "case(condition, then, …, otherwise)", "an odd number of arguments from 3 to 63"),
        ] {
            let function = find(name).unwrap();
            assert_eq!((function.signature().as_str(), function.count_text().as_str()), (signature, count));
        }
    }

    #[test]
    fn calls_are_taken_by_their_count() {
        let takes = |name: &str, count: usize| find(name).unwrap().takes(count);
        assert!(takes("case", 3) && takes("case", 5) && !takes("case", 4) && !takes("case", 1));
        assert!(takes("strcat", 1) && takes("strcat", 64) && !takes("strcat", 65) && !takes("strcat", 0));
        assert!(takes("now", 0) && takes("now", 1) && !takes("now", 2));
    }
}
