//! What distinguishes some rows from the others.

use std::sync::Arc;

use arrow_array::{BooleanArray, StringViewArray};
use serde_json::{Value, json};
use tidegauge_aggregates::spotlight;

use crate::aggregate_plans::{Asked, WAYS, estimate, json as parsed};
use crate::numbers::Numbers;
use crate::support::house::{House, Placement, Way, block_on};
use crate::support::tables::{ask, rows};

fn is_near(found: &Value, expected: f64) -> bool {
    found.as_f64().is_some_and(|found| (found - expected).abs() <= 1e-3 * expected.abs().max(1e-3))
}

/// The one answer of a query.
async fn one(house: &House, apl: &str) -> Value {
    let answer = ask(house, None, apl, Way::Threads).await;
    rows(&answer.tables[0])[0][0].clone()
}

fn table(rows: &[(bool, &str, f64)]) -> String {
    let row = |(is_bad, host, size): &(bool, &str, f64)| format!("{is_bad}, \"{host}\", {size:?}");
    let rows: Vec<String> = rows.iter().map(row).collect();
    format!("datatable(bad:bool, host:string, size:real)[{}]", rows.join(", "))
}

fn few() -> String {
    let bad = [9.0, 8.5, 9.5, 9.1, 9.9, 7.0].map(|size| (true, if size > 8.0 { "a" } else { "b" }, size));
    let good = [1.0, 1.5, 2.0, 1.25, 1.1, 0.5].map(|size| (false, if size == 1.1 { "a" } else { "b" }, size));
    table(&[bad, good].concat())
}

#[test]
fn values_and_numbers_are_compared() {
    block_on(async {
        let house = House::new().await;
        let found = one(&house, &format!("{} | summarize spotlight(bad, host, size)", few())).await;
        let [size, host] = found.as_array().unwrap().as_slice() else { panic!("{found}") };
        assert_eq!((&size["dimension"], &size["delta_score"]), (&json!("size"), &json!(1.0)));
        assert_eq!(size["effect_size"], json!(1.0));
        // The medians by nearest rank are 9.0 and 1.1.
        assert!(is_near(&size["median_relative_change"], 7.9 / 1.1), "{size}");
        assert!(is_near(&size["p_value"], 0.0013), "{size}");
        assert_eq!(size["differences"].as_array().unwrap().len(), 4);
        assert_eq!(size["differences"][0]["value"], "0.5 .. 1.1");
        assert_eq!((&host["dimension"], &host["median_relative_change"]), (&json!("host"), &Value::Null));
        // Five of six against one of six: chi-square is 16/3 with one degree of freedom.
        assert!(is_near(&host["p_value"], 0.020_921), "{host}");
        assert!(is_near(&host["delta_score"], 4.0 / 6.0), "{host}");
        let first = &host["differences"][0];
        assert_eq!(
            (&first["value"], &first["comparison_count"], &first["baseline_count"]),
            (&json!("a"), &json!(5), &json!(1))
        );
        assert!(
            is_near(&first["frequency_ratio"], 5.0) && is_near(&first["comparison_percentage"], 500.0 / 6.0)
        );
    });
}

#[test]
fn all_fields_are_compared_but_the_times() {
    block_on(async {
        let house = House::new().await;
        let found =
            one(&house, &format!("{} | extend _time = now() | summarize spotlight(bad, *)", few())).await;
        let names: Vec<&Value> = found.as_array().unwrap().iter().map(|field| &field["dimension"]).collect();
        assert_eq!(names, ["size", "bad", "host"]);
        let rows = "datatable(x:long, y:string)[1, \"a\", 1, \"b\", 1, \"\", 1, \"c\", 1, \"d\", 1, \"e\", 2, \"f\", 2, \"g\", 2, \"h\", 2, \"i\", 2, \"j\", 2, \"k\"]";
        // A field that is different in every row distinguishes nothing.
        let found = one(&house, &format!("{rows} | summarize spotlight(x == 1, y)")).await;
        assert_eq!(found[0]["effect_size"], json!(0.0));
        assert!(found[0]["p_value"].as_f64().unwrap() > 0.3, "{found}");
        let found =
            one(&house, &format!("{rows} | summarize spotlight(x == 1, 7, tolower(y)) | project spotlight_"))
                .await;
        assert_eq!(found[1]["delta_score"], json!(0.0));
        assert_eq!(found[1]["differences"], json!([]));
    });
}

#[test]
fn too_few_rows_tell_nothing() {
    block_on(async {
        let house = House::new().await;
        for apl in [
            "datatable(x:long)[1, 2, 3] | summarize spotlight(x > 1, x)",
            "datatable(x:long)[1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2] | summarize spotlight(x > 1, x)",
            "datatable(x:long)[1, 1, 1, 1, 1, 1, 1, 1] | summarize spotlight(bool(null), x)",
            "datatable(x:long)[] | summarize spotlight(x > 1, x)",
        ] {
            assert_eq!(one(&house, apl).await, json!([]), "{apl}");
        }
    });
}

#[test]
fn parts_of_the_rows_are_merged() {
    let mut numbers = Numbers(11);
    let rows: Vec<(Option<bool>, String)> = (0..6000)
        .map(|_| {
            let is_bad = numbers.below(4) == 0;
            let host = if is_bad && numbers.below(2) == 0 { 7 } else { numbers.below(8) };
            let size = numbers.below(100_000) + if is_bad { 50_000 } else { 0 };
            let zone = ["\"east\"", "\"west\"", "null"][numbers.below(3) as usize];
            (Some(is_bad), format!("[\"h{host}\",{size},{zone},{}]", numbers.below(1 << 50)))
        })
        .collect();
    let conditions: BooleanArray = rows.iter().map(|(is_bad, _)| *is_bad).collect();
    let packed: StringViewArray = rows.iter().map(|(_, packed)| Some(packed.as_str())).collect();
    let names = ["host", "size", "zone", "id"].map(str::to_owned);
    let asked = Asked::new(spotlight(&names), vec![Arc::new(conditions), Arc::new(packed)]);
    let mut answers: Vec<Value> =
        WAYS.iter().map(|way| parsed(&estimate(&asked.answer(*way)[&0]).0)).collect();
    let first = answers.remove(0);
    let order: Vec<&Value> = first.as_array().unwrap().iter().map(|field| &field["dimension"]).collect();
    assert_eq!(order, ["size", "host", "zone", "id"], "{first}");
    // Of the bad rows 9/16 are of that host, of the others 1/8.
    assert!((first[1]["delta_score"].as_f64().unwrap() - 0.4375).abs() < 0.05, "{first}");
    assert_eq!(first[1]["differences"][0]["value"], "h7");
    assert!(first[2]["p_value"].as_f64().unwrap() > 0.01, "{first}");
    for other in answers {
        assert_eq!(other, first);
    }
}

#[test]
fn events_are_compared_wherever_they_lie() {
    block_on(async {
        let house = House::new().await;
        let line = |number: usize| {
            let (status, host) = if number.is_multiple_of(3) { (500, "bad") } else { (200, "good") };
            format!("{{\"status\":{status},\"host\":\"{host}\",\"took\":{}}}", number * 37 % 101)
        };
        let request =
            |request: usize| (0..20).map(|at| line(request * 20 + at)).collect::<Vec<String>>().join("\n");
        let requests: Vec<String> = (0..4).map(request).collect();
        let mut known: Option<Value> = None;
        for placement in Placement::ALL {
            let filled = house.filled(&requests, placement).await;
            for way in Way::all(placement) {
                let apl = "logs | summarize spotlight(status == 500, host, took)";
                let found = rows(&ask(&house, Some(&filled.state), apl, *way).await.tables[0]);
                assert_eq!(found[0][0][0]["dimension"], "host");
                assert_eq!(known.get_or_insert_with(|| found.clone()), &found, "{placement:?} {way:?}");
            }
        }
    });
}
