//! Paths of files, and numbers that differ from row to row.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::Int64Array;
use tidegauge_engine::testing::Column;
use tidegauge_lang::parse_expression;
use tidegauge_lang::tree::{Literal, Type};

use super::{Json, Null, cases, refusals, results};

#[test]
fn paths_are_cut_into_parts() {
    let of = |parts: [&str; 7]| {
        let names = [
            "Scheme",
            "RootPath",
            "DirectoryPath",
            "DirectoryName",
            "Filename",
            "Extension",
            "AlternateDataStreamName",
        ];
        let members: Vec<String> =
            names.iter().zip(parts).map(|(name, part)| format!("\"{name}\":{part:?}")).collect();
        Json(Box::leak(format!("{{{}}}", members.join(",")).into_boxed_str()))
    };
    cases! {
        parse_path(r"C:\temp\file.txt") => of(["", "C:", r"C:\temp", "temp", "file.txt", "txt", ""]);
        parse_path(r"temp\file.txt") => of(["", "", "temp", "temp", "file.txt", "txt", ""]);
        parse_path("file://C:/temp/file.txt:some.exe") =>
            of(["file", "C:", "C:/temp", "temp", "file.txt", "txt", "some.exe"]);
        parse_path("file:///C:/temp/file.txt") => of(["file", "C:", "C:/temp", "temp", "file.txt", "txt", ""]);
        parse_path(r"\\shared\users\temp\file.txt.gz") =>
            of(["", "", r"\\shared\users\temp", "temp", "file.txt.gz", "gz", ""]);
        parse_path(r"\\?\C:\temp\a") => of(["", "C:", r"\\?\C:\temp", "temp", "a", "", ""]);
        parse_path("/usr/lib/temp/file.txt") => of(["", "", "/usr/lib/temp", "temp", "file.txt", "txt", ""]);
        parse_path("/api/v1/messages/users") => of(["", "", "/api/v1/messages", "messages", "users", "", ""]);
        parse_path("C:") => of(["", "C:", "C:", "", "", "", ""]);
        parse_path("/tmp/") => of(["", "", "/tmp", "tmp", "", "", ""]);
        parse_path("file1.exe:file2.exe") => of(["", "", "", "", "file1.exe", "exe", "file2.exe"]);
        parse_path("") => of([""; 7]);
        parse_path(Null) => Null;
    }
    refusals! {
        parse_path() => "`parse_path` takes 1 argument, and 0 are given";
    }
}

fn drawn(text: &str, columns: &[Column], rows: usize) -> Vec<Literal> {
    let (expr, diagnostics) = parse_expression(text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    results(&expr, columns, rows).unwrap()
}

#[test]
fn random_numbers_differ_from_row_to_row_and_from_call_to_call() {
    let floats = drawn("rand()", &[], 1000);
    let float = |literal: &Literal| match literal {
        Literal::Float(float) => *float,
        other => panic!("{other:?}"),
    };
    assert!(floats.iter().map(float).all(|float| (0.0..1.0).contains(&float)));
    let average = floats.iter().map(float).sum::<f64>() / 1000.0;
    assert!((0.4..0.6).contains(&average), "{average}");
    assert_eq!(floats.iter().map(|literal| float(literal).to_bits()).collect::<BTreeSet<_>>().len(), 1000);
    assert!(drawn("rand() == rand()", &[], 100).iter().all(|same| *same == Literal::Boolean(false)));
    assert_ne!(drawn("rand() + 1", &[], 2)[0], drawn("rand() + 1", &[], 2)[1]);
}

#[test]
fn random_integers_have_a_limit() {
    let integers: BTreeSet<String> = drawn("rand(6)", &[], 1000).iter().map(|i| format!("{i:?}")).collect();
    let all: BTreeSet<String> = (0..6).map(|i| format!("{:?}", Literal::Integer(i))).collect();
    assert_eq!(integers, all);
    let limits = Arc::new(Int64Array::from(vec![Some(1), None, Some(0), Some(-5)]));
    let limits = Column { name: "limit".to_owned(), kind: Type::Integer, values: limits };
    let found = drawn("rand(limit)", &[limits], 4);
    assert_eq!(found, [Literal::Integer(0), Literal::Null, Literal::Null, Literal::Null]);
    cases! {
        rand(1) => 0;
        rand(0) => Null;
        rand(Null) => Null;
    }
    refusals! {
        rand("a") => "argument 1 of `rand` must be a number, and it is a string";
        rand(1, 2) => "`rand` takes 0 to 1 arguments, and 2 are given";
    }
}
