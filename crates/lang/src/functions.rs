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
use crate::tree::Type;

pub use signatures::Signature;

/// A function of one row, or an aggregation function, of the rows of a group.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    pub name: &'static str,
    pub family: Family,
    pub parameters: &'static [Parameter],
    /// How many of the parameters must be given; those after them may be left out.
    pub required: usize,
    pub repeats: Repeats,
    pub result: ResultType,
    /// One sentence.
    pub doc: &'static str,
    pub example: Example,
}

/// What functions are listed under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    Conversion,
    Conditional,
    String,
    Datetime,
    Mathematical,
    Rounding,
    Array,
    /// Of arrays of numbers.
    Series,
    Hash,
    /// Addresses of the internet protocol.
    Ip,
    Pair,
    Sql,
    /// Conversations with models.
    GenAi,
    /// The query and its rows.
    Metadata,
    Type,
    /// Over many rows.
    Aggregation,
}

#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    /// The types it takes; none stands for all. A dynamic value may stand for any of them.
    pub types: &'static [Type],
}

/// Whether the last parameters may be given again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    Nothing,
    LastParameter,
    /// The first two, as pairs, with the last after them.
    FirstPair,
}

/// The type of what a function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultType {
    Always(Type),
    /// That of the argument at this place.
    OfArgument(usize),
    /// A float for numbers; times and timespans stay what they are.
    MeanOf(usize),
    /// The one type that the arguments from this place on have, or dynamic if they differ.
    CommonFrom(usize),
}

/// An expression that needs no data, and the literal that it equals. For an aggregation function it is a query whose
/// answer is one row with one value.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    pub text: &'static str,
    pub result: &'static str,
}

/// The most arguments that a repeating parameter makes.
pub const ARGUMENTS_MAX: usize = 64;

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

impl Function {
    /// Whether it can be called with so many arguments.
    pub fn takes(&self, count: usize) -> bool {
        match self.repeats {
            Repeats::Nothing => (self.required..=self.parameters.len()).contains(&count),
            Repeats::LastParameter => (self.required..=ARGUMENTS_MAX).contains(&count),
            Repeats::FirstPair => (self.required..=ARGUMENTS_MAX).contains(&count) && count % 2 == 1,
        }
    }

    /// How many arguments it takes, in words.
    pub fn count_text(&self) -> String {
        let plural =
            |count: usize| if count == 1 { "1 argument".to_owned() } else { format!("{count} arguments") };
        match self.repeats {
            Repeats::Nothing if self.required == self.parameters.len() => match self.required {
                0 => "no arguments".to_owned(),
                count => plural(count),
            },
            Repeats::Nothing if self.required == 0 => format!("at most {}", plural(self.parameters.len())),
            Repeats::Nothing => format!("{} to {}", self.required, plural(self.parameters.len())),
            Repeats::LastParameter => format!("{} to {ARGUMENTS_MAX} arguments", self.required),
            Repeats::FirstPair => {
                format!("an odd number of arguments from {} to {}", self.required, ARGUMENTS_MAX - 1)
            }
        }
    }

    /// How it is called: `substring(text, start, [length])`.
    pub fn signature(&self) -> String {
        let mut names: Vec<String> = Vec::new();
        for (place, parameter) in self.parameters.iter().enumerate() {
            let is_optional = place >= self.required;
            names.push(if is_optional { format!("[{}]", parameter.name) } else { parameter.name.to_owned() });
        }
        match self.repeats {
            Repeats::Nothing => {}
            Repeats::LastParameter => names.push("…".to_owned()),
            Repeats::FirstPair => names.insert(2, "…".to_owned()),
        }
        format!("{}({})", self.name, names.join(", "))
    }

    const fn new(
        family: Family,
        name: &'static str,
        parameters: &'static [Parameter],
        result: ResultType,
        doc: &'static str,
        example: (&'static str, &'static str),
    ) -> Self {
        Self {
            name,
            family,
            parameters,
            required: parameters.len(),
            repeats: Repeats::Nothing,
            result,
            doc,
            example: Example { text: example.0, result: example.1 },
        }
    }

    const fn requires(self, required: usize) -> Self {
        Self { required, ..self }
    }

    const fn repeats(self, repeats: Repeats) -> Self {
        Self { repeats, ..self }
    }
}

const fn parameter(name: &'static str, types: &'static [Type]) -> Parameter {
    Parameter { name, types }
}

const ANY: &[Type] = &[];
const BOOLEAN: &[Type] = &[Type::Boolean];
const INTEGER: &[Type] = &[Type::Integer];
const NUMBER: &[Type] = &[Type::Integer, Type::Float];
const STRING: &[Type] = &[Type::String];
const DATETIME: &[Type] = &[Type::Datetime];
const TIMESPAN: &[Type] = &[Type::Timespan];
const ARRAY: &[Type] = &[Type::Array];
const ARRAY_OR_NUMBER: &[Type] = &[Type::Array, Type::Integer, Type::Float];

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
