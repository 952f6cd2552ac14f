//! Members of maps and elements of arrays.

use proptest::prelude::*;
use serde_json::{Map, Value as Json};
use tidegauge_lang::tree::{ExprKind, Literal};

use super::{expr, results};

fn member(of: &str, key: Literal) -> Literal {
    let literal = |literal| Box::new(expr(ExprKind::Literal(literal)));
    let kind = ExprKind::Member { of: literal(Literal::Dynamic(of.to_owned())), key: literal(key) };
    results(&expr(kind), &[], 1).unwrap().remove(0)
}

fn by_name(of: &str, name: &str) -> Literal {
    member(of, Literal::String(name.to_owned()))
}

fn json(text: &str) -> Literal {
    Literal::Dynamic(text.to_owned())
}

#[test]
fn by_name_and_by_number() {
    assert_eq!(by_name(r#" { "a" : [1, {"a": 2}] , "b":"}" } "#, "a"), json(r#"[1, {"a": 2}]"#));
    assert_eq!(by_name(r#"{"a":1,"b":"x\"},"}"#, "b"), json(r#""x\"},""#));
    assert_eq!(by_name(r#"{"a\u0062":1}"#, "ab"), json("1"));
    assert_eq!(by_name(r#"{"a":1,"a":2}"#, "a"), json("2"));
    assert_eq!(by_name(r#"{"":7}"#, ""), json("7"));
    assert_eq!(member("[1, [2, 3] ,4]", Literal::Integer(1)), json("[2, 3]"));
    assert_eq!(member("[1,[2,3],4]", Literal::Integer(-1)), json("4"));
    let nothing = [
        by_name("{}", "a"),
        by_name("[1]", "a"),
        by_name(r#"{"a":null}"#, "a"),
        by_name(r#"{"b":{"a":1}}"#, "a"),
        by_name("5", "a"),
        member("[]", Literal::Integer(0)),
        member("[1]", Literal::Integer(1)),
        member("[1]", Literal::Integer(-2)),
        member("[1]", Literal::Integer(i64::MIN)),
        member("{}", Literal::Integer(0)),
    ];
    assert_eq!(nothing, [const { Literal::Null }; 10]);
}

#[test]
fn what_is_no_json_is_harmless() {
    for text in [
        "",
        "{",
        "{\"",
        "{\"a",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":\"",
        "{\"a\":\"\\",
        "{\"a\":[",
        "{\"a\":}",
        "[",
        "[,",
        "[[",
        "{]",
    ] {
        by_name(text, "a");
        member(text, Literal::Integer(0));
        member(text, Literal::Integer(-1));
    }
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        "[a-c\"\\\\{}\\[\\],:ü ]{0,6}".prop_map(Json::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::vec(("[a-c\"\\\\ü]{0,2}", inner), 0..4)
                .prop_map(|members| Json::Object(members.into_iter().collect::<Map<String, Json>>())),
        ]
    })
}

proptest! {
    #[test]
    fn they_are_those_that_a_reader_finds(value in any_json(), is_pretty: bool) {
        let text = if is_pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let read = |literal: Literal| match literal {
            Literal::Dynamic(text) => serde_json::from_str::<Json>(&text).unwrap(),
            _ => Json::Null,
        };
        match &value {
            Json::Object(members) => {
                for (name, value) in members {
                    prop_assert_eq!(&read(by_name(&text, name)), value);
                }
                prop_assert_eq!(by_name(&text, "absent"), Literal::Null);
            }
            Json::Array(elements) => {
                for (place, value) in elements.iter().enumerate() {
                    let number = i64::try_from(place).unwrap();
                    let from_end = number - i64::try_from(elements.len()).unwrap();
                    prop_assert_eq!(&read(member(&text, Literal::Integer(number))), value);
                    prop_assert_eq!(&read(member(&text, Literal::Integer(from_end))), value);
                }
            }
            _ => prop_assert_eq!(by_name(&text, "a"), Literal::Null),
        }
    }
}
