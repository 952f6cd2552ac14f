//! The examples in the table of functions are expressions of the language. The engine computes them.

use tidegauge_lang::functions::{self, Family};
use tidegauge_lang::parse_expression;
use tidegauge_lang::tree::ExprKind;

#[test]
fn examples_are_without_mistakes_and_results_are_literals() {
    for function in functions::all() {
        let (_, diagnostics) = parse_expression(function.example.text);
        assert_eq!(diagnostics, [], "{}", function.example.text);
        let (result, diagnostics) = parse_expression(function.example.result);
        assert_eq!(diagnostics, [], "{}", function.example.result);
        assert!(matches!(result.kind, ExprKind::Literal(_)), "{}", function.example.result);
    }
}

#[test]
fn the_functions_that_virtual_fields_need_are_there() {
    let needed = "toint tolong todouble toreal tostring tobool todatetime totimespan iff case coalesce isnull isnotnull \
        isempty isnotempty strlen toupper tolower strcat substring split trim trim_start trim_end indexof countof \
        replace_string replace_regex extract reverse startofhour startofday startofweek startofmonth startofyear bin \
        now ago datetime_part hourofday dayofweek dayofmonth dayofyear getmonth getyear abs ceiling floor round sqrt \
        pow exp log log2 log10 sign min_of max_of array_length parse_json";
    for name in needed.split_whitespace() {
        assert!(functions::find(name).is_some(), "{name}");
    }
    for family in [
        Family::Conversion,
        Family::Conditional,
        Family::String,
        Family::Datetime,
        Family::Array,
        Family::Series,
    ] {
        assert!(functions::all().any(|function| function.family == family));
    }
    assert!(functions::find("ToInt").is_none(), "names are case-sensitive");
}
