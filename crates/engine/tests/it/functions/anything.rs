//! Every function with any arguments: it never panics, and columns give what literals give.

use proptest::prelude::*;
use tidegauge_engine::testing::{function_names, function_takes};
use tidegauge_lang::tree::Literal;

use super::{is_equal, results, with_columns};

/// Values that functions are most likely to stumble over.
fn any_literal() -> impl Strategy<Value = Literal> {
    let integers = prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(0), -20_i64..20, any::<i64>(),];
    let texts = prop_oneof![
        "[a-c/%=\"\\\\(.+ü€\u{1b}0-9 ]{0,8}",
        prop::sample::select(vec![
            "",
            "day",
            "year",
            "nanosecond",
            "$[*].a",
            "2026-02-29",
            "2026-02-28T10:00:00Z",
            "1h",
            "-1.02:03:04.5",
            "{\"a\":[1]}",
            "(a|b)+",
            "%C3%BC",
            "YWJj",
            "null",
            "12.5 KB",
            "0x7F",
            "\u{1b}[",
            "https://u:p@h:1/a?b=c#d",
        ])
        .prop_map(str::to_owned),
    ];
    let json = prop::sample::select(vec![
        "[]",
        "{}",
        "[1,2,3]",
        "[\"a\",null,1.5,true,[2],{\"b\":1}]",
        "{\"a\":{\"b\":[1]},\"ü\":null}",
        "\"text\"",
        "-7",
        "2.5e300",
        "true",
        "[true,false]",
        "[72,105,1114112,-1]",
        "\"2026-01-01T00:00:00Z\"",
    ]);
    prop_oneof![
        1 => Just(Literal::Null),
        1 => any::<bool>().prop_map(Literal::Boolean),
        4 => integers.clone().prop_map(Literal::Integer),
        2 => any::<f64>().prop_map(Literal::Float),
        1 => Just(Literal::Float(f64::NAN)),
        1 => "-?[1-9][0-9]{19,30}".prop_map(Literal::LongInteger),
        5 => texts.prop_map(Literal::String),
        2 => integers.clone().prop_map(Literal::Datetime),
        2 => integers.prop_map(Literal::Timespan),
        3 => json.prop_map(|json| Literal::Dynamic(json.to_owned())),
    ]
}

fn is_same(one: &Literal, other: &Literal) -> bool {
    match (one, other) {
        (Literal::Float(one), Literal::Float(other)) if one.is_nan() => other.is_nan(),
        _ => is_equal(one, other),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn columns_give_what_literals_give(arguments in prop::collection::vec(any_literal(), 0..6)) {
        // A range of any numbers has a million elements, which takes its time; `rand` never gives the same.
        let is_quick = |name: &&str| !matches!(*name, "range" | "rand") && function_takes(name, arguments.len());
        for name in function_names().filter(is_quick) {
            let (expr, columns) = with_columns(name, &arguments, |_| false);
            let of_literals = results(&expr, &columns, 1);
            let (expr, columns) = with_columns(name, &arguments, |_| true);
            let of_columns = results(&expr, &columns, 2);
            // A literal that cannot be right is refused, while a value of a row that cannot is null.
            if let Ok(of_literals) = of_literals {
                let of_columns = of_columns.map_err(|error| TestCaseError::fail(format!("{name}: {error}")))?;
                prop_assert!(
                    is_same(&of_columns[0], &of_literals[0]),
                    "{}({:?}): {:?} of columns, {:?} of literals", name, arguments, of_columns[0], of_literals[0]
                );
            }
        }
    }
}
