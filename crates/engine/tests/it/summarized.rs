//! The aggregates of `summarize` as a text calls them: every form of their arguments, no rows, no values, mixed types and
//! the ends of numbers.

use serde_json::json;
use tidegauge_lang::functions::{self, ResultType};
use tidegauge_lang::tree::Type;

use crate::support::house::{House, Way, block_on};
use crate::support::tables::{ask, check, check_refused, rows};

const ROWS: &str = "datatable(x:long, g:string)[1, \"a\", 2, \"a\", 3, \"b\", 4, \"b\"] | ";
const NOTHING: &str = "datatable(x:long, g:string)[] | ";

#[test]
fn every_example_gives_its_result() {
    block_on(async {
        let house = House::new().await;
        for function in functions::aggregates() {
            let example = function.example;
            let found = ask(&house, None, example.text, Way::Threads).await;
            let expected = ask(&house, None, &format!("print {}", example.result), Way::Threads).await;
            assert_eq!(rows(&found.tables[0]), rows(&expected.tables[0]), "{}", example.text);
            let kinds: Vec<Type> = found.tables[0].fields[0].values.iter().map(|(kind, _)| *kind).collect();
            match function.result {
                ResultType::Always(kind) => assert_eq!(kinds, [kind], "{}", example.text),
                // The examples are of whole numbers.
                ResultType::MeanOf(_) => assert_eq!(kinds, [Type::Float], "{}", example.text),
                ResultType::OfArgument(_) if function.name.starts_with("arg_") => {}
                ResultType::OfArgument(_) => assert_eq!(kinds, [Type::Integer], "{}", example.text),
                ResultType::CommonFrom(_) => panic!("{} has no such type", function.name),
            }
        }
    });
}

async fn check_with(house: &House, source: &str, cases: &[(&str, serde_json::Value)]) {
    for (calls, expected) in cases {
        let apl = format!("{source}summarize {calls}");
        let answer = ask(house, None, &apl, Way::Threads).await;
        assert_eq!(&rows(&answer.tables[0]), expected, "{apl}");
    }
}

#[test]
fn usual_calls_are_computed() {
    block_on(async {
        let house = House::new().await;
        let cases = [
            ("count(), count(x), countif(x > 1)", json!([[4, 4, 3]])),
            ("sum(x), sumif(x, x > 2), avg(x), avgif(x, x > 2)", json!([[10, 7, 2.5, 3.5]])),
            ("min(x), minif(x, x > 1), max(x), maxif(x, x < 4)", json!([[1, 2, 4, 3]])),
            ("min(g), max(g), dcount(g), dcountif(g, x > 2)", json!([["a", "b", 2, 1]])),
            ("percentile(x, 50), percentile(x, 0), percentile(x, 100)", json!([[2, 1, 4]])),
            ("percentileif(x, 50, x > 2), percentiles_array(x, 75, 25)", json!([[3, [3, 1]]])),
            ("percentiles_array(x, dynamic([25, 50]))", json!([[[1, 2]]])),
            ("percentiles_arrayif(x, dynamic([10, 90]), x > 1)", json!([[[2, 4]]])),
            (
                "make_list(x), make_list(x, 2), make_list_if(x, x > 2)",
                json!([[[1, 2, 3, 4], [1, 2], [3, 4]]]),
            ),
            (
                "make_list_if(x, true, 3), make_set(g), make_set(x, 2)",
                json!([[[1, 2, 3], ["a", "b"], [1, 2]]]),
            ),
            ("make_set_if(g, x > 2), make_set_if(x, true, 1)", json!([[["b"], [1]]])),
            ("topk(g, 1)", json!([[[{"key": "a", "count": 2, "error": 0}]]])),
            ("topkif(g, 5, x > 1)[0].key", json!([["b"]])),
            (
                "histogram(x, 1), array_length(histogram(x, 3))",
                json!([[[{"from": 1.0, "to": 4.0, "count": 4}], 3]]),
            ),
            ("variance(x) * 3, varianceif(x, x < 3), stdevif(x, x > 9)", json!([[5.0, 0.5, null]])),
            ("arg_max(x, g), arg_min(x, g)", json!([[4, "b", 1, "a"]])),
        ];
        check_with(&house, ROWS, &cases).await;
    });
}

#[test]
fn no_rows_have_neutral_values() {
    block_on(async {
        let house = House::new().await;
        let cases = [
            (
                "count(), countif(x > 1), dcount(x), dcountif(x, true), sum(x), sumif(x, true)",
                json!([[0, 0, 0, 0, 0, 0]]),
            ),
            (
                "avg(x), avgif(x, true), min(x), minif(x, true), max(x), maxif(x, true)",
                json!([[null, null, null, null, null, null]]),
            ),
            (
                "stdev(x), stdevif(x, true), variance(x), varianceif(x, true), rate(x)",
                json!([[null, null, null, null, null]]),
            ),
            ("percentile(x, 50), percentileif(x, 50, true)", json!([[null, null]])),
            ("percentiles_array(x, 50), percentiles_arrayif(x, dynamic([50]), true)", json!([[null, null]])),
            (
                "make_list(x), make_list_if(x, true), make_set(x), make_set_if(x, true)",
                json!([[[], [], [], []]]),
            ),
            (
                "topk(x, 1), topkif(x, 1, true), histogram(x, 2), histogramif(x, 2, true)",
                json!([[[], [], [], []]]),
            ),
            ("phrases(g, 3), spotlight(x > 1, g)", json!([[[], []]])),
            ("arg_max(x, g), arg_min(x, *)", json!([[null, null, null, null]])),
            ("1 + sum(x), 100.0 * countif(x > 1) / count()", json!([[1, null]])),
            ("count(), sum(x), make_list(x), arg_max(x, *) by g", json!([])),
            ("by g", json!([])),
        ];
        check_with(&house, NOTHING, &cases).await;
        // A group without a value has the same, and one value has no deviation.
        let source = "datatable(x:long, g:string)[long(null), \"a\", 7, \"b\"] | ";
        let cases = [
            (
                "count(), count(x), sum(x), avg(x), min(x) by g",
                json!([["a", 1, 0, 0, null, null], ["b", 1, 1, 7, 7.0, 7]]),
            ),
            (
                "make_list(x), percentile(x, 50), stdev(x) by g",
                json!([["a", [], null, null], ["b", [7], 7, null]]),
            ),
            ("arg_max(x, g) by k = g", json!([["a", null, "a"], ["b", 7, "b"]])),
        ];
        check_with(&house, source, &cases).await;
    });
}

#[test]
fn nulls_and_empty_texts_are_told_apart() {
    block_on(async {
        let house = House::new().await;
        let source = "datatable(x:string, y:long)[\"\", 1, \"a\", long(null), \"a\", 1] | ";
        let cases = [
            ("count(x), dcount(x), count(y), dcount(y)", json!([[3, 2, 2, 1]])),
            ("make_set(x), make_list(x), make_list(y)", json!([[["", "a"], ["", "a", "a"], [1, 1]]])),
            (
                "topk(x, 9)",
                json!([[[{"key": "a", "count": 2, "error": 0}, {"key": "", "count": 1, "error": 0}]]]),
            ),
            ("count() by y", json!([[null, 1], [1, 2]])),
            ("by x, y", json!([["", 1], ["a", null], ["a", 1]])),
            ("min(x), max(x)", json!([["", "a"]])),
        ];
        check_with(&house, source, &cases).await;
    });
}

#[test]
fn times_and_timespans_stay_what_they_are() {
    block_on(async {
        let house = House::new().await;
        let source = "datatable(x:timespan)[1h, 2h, timespan(null)] | ";
        let cases = [
            ("sum(x), avg(x), min(x), max(x)", json!([["3h0m0s", "1h30m0s", "1h0m0s", "2h0m0s"]])),
            ("sumif(x, x > 1h), avgif(x, x > 1h), sumif(x, x > 9h)", json!([["2h0m0s", "2h0m0s", "0s"]])),
            ("percentile(x, 50), percentile(x, 50) * 2", json!([["1h0m0s", "2h0m0s"]])),
            (
                "percentiles_array(x, 50, 100), make_list(x)",
                json!([[["01:00:00", "02:00:00"], ["01:00:00", "02:00:00"]]]),
            ),
            ("dcount(x), topk(x, 1)[0].key", json!([[2, "01:00:00"]])),
        ];
        check_with(&house, source, &cases).await;
        let source = "datatable(x:datetime)[datetime(2024-01-01), datetime(2024-01-03), datetime(null)] | ";
        let (first, last) = ("2024-01-01T00:00:00Z", "2024-01-03T00:00:00Z");
        let cases = [
            ("avg(x), min(x), max(x)", json!([["2024-01-02T00:00:00Z", first, last]])),
            ("minif(x, x > datetime(2024-01-02)), max(x) - min(x)", json!([[last, "48h0m0s"]])),
            ("percentile(x, 50), percentiles_array(x, 50, 100)", json!([[first, [first, last]]])),
            ("percentile(x, 50) + 1h, make_list(x)", json!([["2024-01-01T01:00:00Z", [first, last]]])),
            ("arg_max(x, x), dcount(x)", json!([[last, last, 2]])),
        ];
        check_with(&house, source, &cases).await;
    });
}

#[test]
fn mixed_and_dynamic_values_are_in_the_order_of_numbers() {
    block_on(async {
        let house = House::new().await;
        let source = "datatable(d:dynamic)[dynamic(10), dynamic(\"a\"), dynamic(9.5), dynamic(null)] | ";
        let cases = [
            ("sum(d), avg(d), count(d), dcount(d)", json!([[19.5, 9.75, 3, 3]])),
            ("min(d), max(d), arg_min(d), minif(d, d != 9.5)", json!([[9.5, "a", 9.5, 10]])),
            ("make_list(d), percentile(d, 50)", json!([[[10, "a", 9.5], 9.5]])),
            ("count() by d", json!([[null, 1], ["a", 1], [9.5, 1], [10, 1]])),
        ];
        check_with(&house, source, &cases).await;
        let source = "datatable(d:dynamic)[dynamic([1]), dynamic({\"a\":1}), dynamic({\"a\":1})] | ";
        let cases = [
            ("dcount(d), make_set(d)", json!([[2, [[1], {"a": 1}]]])),
            ("count() by tostring(d)", json!([["[1]", 1], ["{\"a\":1}", 2]])),
        ];
        check_with(&house, source, &cases).await;
    });
}

#[test]
fn the_ends_of_numbers_are_exact() {
    block_on(async {
        let house = House::new().await;
        let source = "datatable(g:string, x:long)[\"a\", 9223372036854775807, \"a\", 1, \"b\", 9223372036854775807, \"b\", -1] | ";
        let cases = [
            ("sum(x) by g", json!([["a", 9.223372036854776e18], ["b", 9223372036854775806_i64]])),
            ("max(x), min(x), avg(x)", json!([[i64::MAX, -1, 4.611686018427388e18]])),
        ];
        check_with(&house, source, &cases).await;
        let source = "datatable(x:real)[1.0, real(nan), real(+inf), real(-inf)] | ";
        let cases = [
            ("min(x), max(x), percentile(x, 50), sum(x), avg(x)", json!([[1.0, 1.0, 1.0, null, null]])),
            ("count(x), histogram(x, 3)", json!([[4, [{"from": 1.0, "to": 1.0, "count": 1}]]])),
        ];
        check_with(&house, source, &cases).await;
    });
}

#[test]
fn results_can_be_computed_with() {
    block_on(async {
        let house = House::new().await;
        let cases = [
            ("100.0 * countif(x > 3) / count(), round(avg(x), 2), sum(x) / count()", json!([[25.0, 2.5, 2]])),
            ("toreal(sum(x)) / count(), -sum(x), percentile(x, 50) + 1", json!([[2.5, -10, 3]])),
            ("strcat(max(g), \"-\", min(g)), iff(count() > 3, \"many\", \"few\")", json!([["b-a", "many"]])),
            ("array_length(make_list(x)), make_list(x)[0], topk(g, 1)[0].key", json!([[4, 1, "a"]])),
            ("percentiles_array(x, 50)[0], dcount(x) * 2", json!([[2, 8]])),
            ("share = 100 * sum(x) / 10 by g | where share > 50", json!([["b", 70]])),
        ];
        check_with(&house, ROWS, &cases).await;
    });
}

#[test]
fn columns_have_their_names() {
    block_on(async {
        let house = House::new().await;
        for (calls, expected) in [
            ("count(), countif(x > 1), countif(x == 1)", "count_ countif_ countif_1"),
            ("sum(x), sum(x), avgif(x, x > 1) by g", "g sum_x sum_x1 avgif_x"),
            ("arg_max(x, g), arg_min(x, g)", "x g x1 g1"),
            ("arg_max(top = x, who = g), low = arg_min(x, g)", "top who low g"),
            ("arg_max(x, *) by g", "g x"),
            ("arg_max(x, x * 2, strcat(g, g))", "x Column1 Column2"),
            (
                "make_set(g), make_list_if(g, x > 1), percentile(x, 95)",
                "make_set_g make_list_if_g percentile_x",
            ),
            ("x = max(x) by g, g", "g g1 x"),
            ("g = count() by g", "g g1"),
            ("spotlight(x > 1, g), phrases(g, 1)", "spotlight_ phrases_g"),
        ] {
            let answer = ask(&house, None, &format!("{ROWS}summarize {calls}"), Way::Threads).await;
            let names: Vec<&str> = answer.tables[0].fields.iter().map(|field| field.name.as_str()).collect();
            assert_eq!(names.join(" "), expected, "{calls}");
        }
    });
}

#[test]
fn wrong_arguments_are_refused() {
    block_on(async {
        let house = House::new().await;
        let source = "datatable(x:long, s:string, b:bool, t:datetime)[1, \"a\", true, datetime(2024-01-01)] | summarize ";
        let cases = [
            ("sum(s)", "sum needs numbers, and the field is a string"),
            ("sum(b)", "sum needs numbers, and the field is a boolean"),
            ("sum(t)", "sum needs numbers, and the field is a datetime"),
            ("avg(s)", "avg needs numbers"),
            ("stdev(s)", "stdev needs numbers"),
            ("rate(t)", "rate needs numbers"),
            ("percentile(s, 50)", "percentiles needs numbers"),
            ("percentile(x, 101)", "percentiles are numbers from 0 to 100"),
            ("percentile(x, -1)", "percentiles are numbers from 0 to 100"),
            ("percentile(x, x)", "percentiles are numbers from 0 to 100"),
            ("percentiles_array(x, dynamic([]))", "percentiles are numbers from 0 to 100"),
            ("percentiles_arrayif(x, dynamic([\"a\"]), b)", "percentiles are numbers from 0 to 100"),
            ("topk(x, 0)", "a whole number from 1 to 10000 must stand here"),
            ("topk(x, x)", "a whole number from 1 to 10000 must stand here"),
            ("histogram(x, 0)", "a whole number from 1 to 10000 must stand here"),
            ("histogram(s, 3)", "histogram needs numbers"),
            ("make_list(x, -1)", "a whole number from 0 to 1048576 must stand here"),
            ("make_set_if(x, b, \"a\")", "a whole number from 0 to 1048576 must stand here"),
            ("countif(x)", "a condition must be true or false, and this is an integer"),
            ("sumif(x, 3)", "a condition must be true or false"),
            ("arg_max(*)", "`arg_max` does not take `*` here"),
            ("y = arg_max(x) + 1", "`arg_max` gives columns"),
            ("sum(y)", "invalid field: \"y\""),
            ("phrases(x, 3)", "`phrases` looks at texts, and this is an integer"),
            ("phrases(s, 0)", "a whole number from 1 to 10000 must stand here"),
            ("spotlight(x, s)", "a condition must be true or false"),
            ("spotlight(b)", "`spotlight` takes 2 to 64 arguments, 1 is given"),
            ("dcount()", "`dcount` takes 1 argument"),
            ("count(*)", "`count` takes no `*`"),
        ];
        let cases: Vec<(String, &str)> =
            cases.map(|(calls, message)| (format!("{source}{calls}"), message)).into();
        let cases: Vec<(&str, &str)> = cases.iter().map(|(apl, message)| (apl.as_str(), *message)).collect();
        check_refused(&house, &cases).await;
    });
}

#[test]
fn a_number_of_groups_may_be_none() {
    block_on(async {
        let house = House::new().await;
        check(
            &house,
            &[
                ("datatable(x:long)[1, 2] | summarize count() by x | limit 0", json!([])),
                ("datatable(x:long)[1, 2] | summarize c = count() by x | sort by c | limit 0", json!([])),
                (
                    "datatable(x:long)[1, 2] | summarize c = count() by x | sort by x desc | limit 1",
                    json!([[2, 1]]),
                ),
                (
                    "datatable(x:long)[1, 2] | summarize p = 2 * max(x) by x | sort by p desc | limit 1",
                    json!([[2, 4]]),
                ),
            ],
        )
        .await;
    });
}

/// Beyond 1,024 values percentiles are estimated; of small whole numbers the estimate is one of them.
#[test]
fn estimated_percentiles_of_small_whole_numbers_are_exact() {
    block_on(async {
        let house = House::new().await;
        for (sign, number) in [("", 143), ("-", 143), ("", 1), ("", 127), ("", 128), ("", 255)] {
            let source = format!(
                "print i = range(1, 3000) | mv-expand i | extend i = tolong(i), x = {sign}{number} | "
            );
            let whole = if sign.is_empty() { number } else { -number };
            let cases = [
                ("percentile(x, 50)", json!([[whole]])),
                ("percentiles_array(x, 1, 99)", json!([[[whole, whole]]])),
                ("percentile(iff(i <= 1000, 0, iff(i > 2000, 299, x)), 50)", json!([[whole.max(0)]])),
            ];
            check_with(&house, &source, &cases).await;
        }
    });
}

/// Beyond 1,024 values histograms are counted in narrow ranges: values far from zero that lie close together are told
/// apart as others are.
#[test]
fn histograms_of_many_numbers_are_told_apart_by_their_distance() {
    let range = |from: f64, to: f64, count: u64| json!({"from": from, "to": to, "count": count});
    block_on(async {
        let house = House::new().await;
        let source = "print i = range(1, 6000) | mv-expand i | extend i = tolong(i) | ";
        let cases = [
            (
                "histogram(iff(i <= 5900, 10000, 10009), 3)",
                json!([[[
                    range(10_000.0, 10_003.0, 5_900),
                    range(10_003.0, 10_006.0, 0),
                    range(10_006.0, 10_009.0, 100)
                ]]]),
            ),
            // Whole numbers are counted exactly while there are no more than 4,096 from the least to the greatest,
            (
                "histogram(iff(i <= 4096, i, 1), 2)",
                json!([[[range(1.0, 2_048.5, 3_952), range(2_048.5, 4_096.0, 2_048)]]]),
            ),
            // and beyond that in ranges of which 2,048 or more make the whole.
            (
                "histogram(iff(i == 1, 8192, iff(i <= 3, 0, 4096)), 2)",
                json!([[[range(0.0, 4_096.0, 2), range(4_096.0, 8_192.0, 5_998)]]]),
            ),
        ];
        check_with(&house, source, &cases).await;
    });
}

/// Beyond 1,024 values percentiles of times are within a 2048th of the time between the first and the last, and not of
/// the time since 1970.
#[test]
fn percentiles_of_many_times_are_near() {
    block_on(async {
        let house = House::new().await;
        let source = "print i = range(0, 9999) | mv-expand i | extend t = datetime(2026-05-28T20:00:00Z) + tolong(i) * 1s | ";
        let near = |percent: u32, second: u32| {
            let time = format!("datetime(2026-05-28T20:00:00Z) + {second}s");
            format!("abs(tolong(percentile(t, {percent}) - ({time})) / 1000000000) <= 5")
        };
        let told = [near(1, 99), near(50, 4_999), near(99, 9_899), near(0, 0), near(100, 9_999)].join(", ");
        check_with(&house, source, &[(told.as_str(), json!([[true, true, true, true, true]]))]).await;
    });
}
