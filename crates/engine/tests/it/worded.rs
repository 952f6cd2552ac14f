//! The most frequent sequences of words.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringViewArray};
use datafusion_expr::EmitTo;
use serde_json::{Value, json};
use tidegauge_aggregates::phrases;

use crate::aggregate_plans::{Asked, estimate, json};
use crate::memory::accumulator;
use crate::numbers::Numbers;
use crate::support::house::{House, Placement, Way, block_on};
use crate::support::tables::{ask, check, rows};

fn told(entries: &[(&str, u64)]) -> Value {
    entries.iter().map(|(phrase, count)| json!({"phrase": phrase, "count": count})).collect()
}

#[test]
fn longer_sequences_win_over_their_parts() {
    let table = "datatable(x:string)[\"connection refused by host\", \"Connection refused, by peer!\", \"connection refused by peer\"] | ";
    block_on(async {
        let house = House::new().await;
        for (calls, expected) in [
            ("phrases(x, 2)", told(&[("refused by", 3), ("connection refused by", 2)])),
            (
                "phrases(x, 3)",
                told(&[("refused by", 3), ("connection refused by", 2), ("refused by peer", 2)]),
            ),
            ("array_length(phrases(x))", json!(6)),
        ] {
            let answer = ask(&house, None, &format!("{table}summarize {calls}"), Way::Threads).await;
            assert_eq!(rows(&answer.tables[0]), json!([[expected]]), "{calls}");
        }
    });
}

#[test]
fn single_words_are_those_of_texts_with_one() {
    let cases = [
        (
            "datatable(x:string)[\"timeout\", \"timeout\", \"(timeout)\", \"\", \" - \", \"a timeout\"] | summarize phrases(x, 9)",
            json!([[told(&[("timeout", 3), ("a timeout", 1)])]]),
        ),
        ("datatable(x:string)[\"\", \"!\"] | summarize phrases(x, 9)", json!([[[]]])),
        ("print x = \"a\" | where false | summarize phrases(x, 9)", json!([[[]]])),
        (
            "datatable(d:dynamic)[dynamic(\"a b\"), dynamic(null), dynamic(1)] | summarize phrases(d, 1)",
            json!([[told(&[("a b", 1)])]]),
        ),
        (
            "datatable(x:string, g:long)[\"a b\", 1, \"a b\", 1, \"c d\", 2] | summarize phrases(x, 1) by g",
            json!([[1, told(&[("a b", 2)])], [2, told(&[("c d", 1)])]]),
        ),
    ];
    block_on(async { check(&House::new().await, &cases).await });
}

#[test]
fn parts_of_the_rows_are_merged() {
    let words = ["disk", "is", "full", "slow", "on", "host"];
    let mut numbers = Numbers(3);
    let texts: StringViewArray = (0..500)
        .map(|_| {
            let chosen: Vec<&str> = (0..numbers.below(6)).map(|_| words[numbers.below(6) as usize]).collect();
            (numbers.below(9) > 0).then(|| chosen.join(" "))
        })
        .collect();
    let answers = Asked::new(phrases(20), vec![Arc::new(texts)]).answer_in_all_ways();
    let (value, is_estimate) = estimate(&answers[&0]);
    assert!(!is_estimate);
    assert_eq!(json(&value).as_array().unwrap().len(), 20);
}

#[test]
fn rare_sequences_are_given_up() {
    let mut numbers = Numbers(4);
    let text = |number: u64| match number % 3 {
        0 => "the frequent words".to_owned(),
        _ => format!("{number} {} {}", number * 7, number * 13),
    };
    let texts: StringViewArray = (0..30_000).map(|_| Some(text(numbers.below(1 << 40)))).collect();
    let inputs: Vec<ArrayRef> = vec![Arc::new(texts)];
    let mut accumulator = accumulator(&phrases(1), &inputs);
    accumulator.update_batch(&inputs, &[0; 30_000], None, 1).unwrap();
    assert!(accumulator.size() < 4 << 20, "{}", accumulator.size());
    let column = accumulator.evaluate(EmitTo::All).unwrap();
    let (value, _) = estimate(&datafusion_common::ScalarValue::try_from_array(&column, 0).unwrap());
    assert_eq!(json(&value)[0]["phrase"], "the frequent words");
}

#[test]
fn events_are_worded_wherever_they_lie() {
    block_on(async {
        let house = House::new().await;
        let requests: Vec<String> = (0..4)
            .map(|request| {
                format!("{{\"m\":\"request {request} took long\"}}\n{{\"m\":\"it took long\"}}\n{{\"n\":1}}")
            })
            .collect();
        for placement in Placement::ALL {
            let filled = house.filled(&requests, placement).await;
            for way in Way::all(placement) {
                let answer = ask(&house, Some(&filled.state), "logs | summarize phrases(m, 2)", *way).await;
                let expected = json!([[told(&[("took long", 8), ("it took long", 4)])]]);
                assert_eq!(rows(&answer.tables[0]), expected, "{placement:?} {way:?}");
            }
        }
    });
}
