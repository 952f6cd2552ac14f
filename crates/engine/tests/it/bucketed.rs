//! Groups over time buckets: the table of buckets and that of all time, wherever the events lie.

use serde_json::{Value as Json, json};
use tidegauge_engine::Answer;

use crate::support::house::{House, Placement, START, Way, block_on};
use crate::support::tables::{ask, table};

/// Seven events of three hosts in three hours, from 2027-01-15T08:00:00Z on.
fn requests() -> Vec<String> {
    let minute = 60_000;
    let line = |(at, host, size): &(i64, &str, i64)| {
        let time = START / 1_000_000 + at * minute;
        format!(
            "{{\"_time\":{time},\"host\":\"{host}\",\"size\":{size},\"at\":\"2024-05-01T0{}:30:00Z\"}}",
            at / 60
        )
    };
    let events = [
        [(1, "a", 10), (2, "b", 1), (59, "a", 30)].as_slice(),
        [(61, "b", 2), (62, "c", 100)].as_slice(),
        [(121, "a", 5), (122, "b", 3)].as_slice(),
    ];
    events.iter().map(|events| events.iter().map(line).collect::<Vec<String>>().join("\n")).collect()
}

/// The same rows in the query itself.
fn datatable() -> String {
    let rows = [
        (1, "a", 10),
        (2, "b", 1),
        (59, "a", 30),
        (61, "b", 2),
        (62, "c", 100),
        (121, "a", 5),
        (122, "b", 3),
    ];
    let row = |(at, host, size): &(i64, &str, i64)| {
        let (hour, minute) = (8 + at / 60, at % 60);
        format!(
            "datetime(2027-01-15 {hour:02}:{minute:02}), \"{host}\", {size}, datetime(2024-05-01 0{}:30)",
            at / 60
        )
    };
    let rows: Vec<String> = rows.iter().map(row).collect();
    format!("datatable(_time:datetime, host:string, size:long, at:datetime)[{}]", rows.join(", "))
}

/// Asks of the events in all places and ways, and of the rows in the query; all must answer the same.
async fn answers(house: &House, stages: &str) -> Answer {
    let of_table = ask(house, None, &format!("{} | {stages}", datatable()), Way::Threads).await;
    for placement in Placement::ALL {
        let filled = house.filled(&requests(), placement).await;
        for way in Way::all(placement) {
            let found = ask(house, Some(&filled.state), &format!("logs | {stages}"), *way).await;
            for name in ["0", "_totals"] {
                assert_eq!(
                    table(&found, name),
                    table(&of_table, name),
                    "{stages} {placement:?} {way:?} {name}"
                );
            }
        }
        house.forget(&filled);
    }
    of_table
}

async fn check(stages: &str, columns: &[&str], buckets: Json, totals: Option<Json>) {
    let house = House::new().await;
    let answer = answers(&house, stages).await;
    let found = table(&answer, "0").unwrap();
    assert_eq!(found, json!({"columns": columns, "rows": buckets}), "{stages}");
    assert_eq!(table(&answer, "_totals").map(|totals| totals["rows"].clone()), totals, "{stages}");
}

const EIGHT: &str = "2027-01-15T08:00:00Z";
const NINE: &str = "2027-01-15T09:00:00Z";
const TEN: &str = "2027-01-15T10:00:00Z";

#[test]
fn buckets_come_with_totals() {
    block_on(check(
        "summarize count(), sum(size) by bin(_time, 1h), host",
        &["_time", "host", "count_", "sum_size"],
        json!([
            [EIGHT, "a", 2, 40],
            [EIGHT, "b", 1, 1],
            [NINE, "b", 1, 2],
            [NINE, "c", 1, 100],
            [TEN, "a", 1, 5],
            [TEN, "b", 1, 3]
        ]),
        Some(json!([["a", 3, 45], ["b", 3, 6], ["c", 1, 100]])),
    ));
}

#[test]
fn a_limit_keeps_the_groups_with_the_greatest_first_aggregate() {
    let totals = Some(json!([["c", 100]]));
    block_on(check(
        "summarize s = sum(size) by bin(_time, 1h), host | limit 1",
        &["_time", "host", "s"],
        json!([[NINE, "c", 100]]),
        totals,
    ));
    block_on(check(
        "summarize s = 0 - sum(size), n = count() by bin(_time, 1h), host | limit 2",
        &["_time", "host", "s", "n"],
        json!([
            [EIGHT, "b", -1, 1],
            [EIGHT, "a", -40, 2],
            [NINE, "b", -2, 1],
            [TEN, "b", -3, 1],
            [TEN, "a", -5, 1]
        ]),
        Some(json!([["b", -6, 3], ["a", -45, 3]])),
    ));
    block_on(check(
        "summarize percentile(size, 50) by bin(_time, 1h), host | take 1",
        &["_time", "host", "percentile_size"],
        json!([[NINE, "c", 100]]),
        Some(json!([["c", 100]])),
    ));
}

#[test]
fn an_order_with_a_limit_chooses_groups() {
    block_on(check(
        "summarize s = sum(size) by bin(_time, 1h), host | sort by s asc | limit 1",
        &["_time", "host", "s"],
        json!([[EIGHT, "b", 1], [NINE, "b", 2], [TEN, "b", 3]]),
        Some(json!([["b", 6]])),
    ));
    block_on(check(
        "summarize s = sum(size), p = 100 / sum(size) by bin(_time, 1h), host | sort by p desc, host asc | limit 1",
        &["_time", "host", "s", "p"],
        json!([[EIGHT, "b", 1, 100], [NINE, "b", 2, 50], [TEN, "b", 3, 33]]),
        Some(json!([["b", 6, 16]])),
    ));
    // The order of buckets is not one of groups.
    block_on(check(
        "summarize s = sum(size) by bin(_time, 1h), host | sort by _time desc, host asc | limit 1",
        &["_time", "host", "s"],
        json!([[TEN, "a", 5]]),
        Some(json!([["a", 45], ["b", 6], ["c", 100]])),
    ));
}

#[test]
fn keys_stand_as_they_are_written() {
    block_on(check(
        "where host == \"a\" | summarize max(size) by host, bin(_time, 1h)",
        &["host", "_time", "max_size"],
        json!([["a", EIGHT, 30], ["a", TEN, 5]]),
        Some(json!([["a", 30]])),
    ));
    block_on(check(
        "where host == \"a\" | summarize max(size) by hour = bin(_time, 1h), host",
        &["hour", "host", "max_size"],
        json!([[EIGHT, "a", 30], [TEN, "a", 5]]),
        Some(json!([["a", 30]])),
    ));
    block_on(check(
        "summarize count() by bin(_time, 1h)",
        &["_time", "count_"],
        json!([[EIGHT, 3], [NINE, 2], [TEN, 2]]),
        Some(json!([[7]])),
    ));
    block_on(check("summarize by bin(_time, 1h)", &["_time"], json!([[EIGHT], [NINE], [TEN]]), None));
}

#[test]
fn other_bins_have_no_totals() {
    block_on(check(
        "summarize count() by bin(size, 50)",
        &["size", "count_"],
        json!([[0, 6], [100, 1]]),
        None,
    ));
    block_on(check(
        "extend at = todatetime(at) | summarize count() by bin(at, 1h)",
        &["at", "count_"],
        json!([["2024-05-01T00:00:00Z", 3], ["2024-05-01T01:00:00Z", 2], ["2024-05-01T02:00:00Z", 2]]),
        None,
    ));
}

#[test]
fn rates_are_of_the_bucket_and_of_the_range() {
    block_on(async {
        let house = House::new().await;
        let range = "where _time >= datetime(2027-01-15 08:00) and _time < datetime(2027-01-15 10:00)";
        for placement in Placement::ALL {
            let filled = house.filled(&requests(), placement).await;
            let apl = format!("logs | {range} | summarize rate(size) by bin(_time, 1h)");
            let answer = ask(&house, Some(&filled.state), &apl, Way::Threads).await;
            let rows = |name: &str| table(&answer, name).unwrap()["rows"].clone();
            assert_eq!(rows("0"), json!([[EIGHT, 41.0 / 3600.0], [NINE, 102.0 / 3600.0]]), "{placement:?}");
            assert_eq!(rows("_totals"), json!([[143.0 / 7200.0]]), "{placement:?}");
        }
        // Rows that are no events have the range of their times.
        let source = datatable();
        let answer = ask(&house, None, &format!("{source} | summarize rate(size)"), Way::Threads).await;
        assert_eq!(table(&answer, "0").unwrap()["rows"], json!([[151.0 / 7260.0]]));
        let answer = ask(&house, None, "datatable(x:long)[1] | summarize rate(x)", Way::Threads).await;
        assert_eq!(table(&answer, "0").unwrap()["rows"], json!([[null]]));
    });
}

#[test]
fn automatic_buckets_follow_from_the_range() {
    block_on(check(
        "summarize count() by bin_auto(_time)",
        &["_time", "count_"],
        json!([
            ["2027-01-15T08:00:00Z", 1],
            ["2027-01-15T08:02:00Z", 1],
            ["2027-01-15T08:58:00Z", 1],
            ["2027-01-15T09:00:00Z", 1],
            ["2027-01-15T09:02:00Z", 1],
            ["2027-01-15T10:00:00Z", 1],
            ["2027-01-15T10:02:00Z", 1]
        ]),
        Some(json!([[7]])),
    ));
}

/// A condition on the time says how long the range is, as the range that is asked for beside the query does: an hour is
/// cut into minutes, and three hours into pairs of them.
#[test]
fn automatic_buckets_follow_from_conditions_on_the_time() {
    let (from, to) = ("datetime(2027-01-15T08:00:00Z)", "datetime(2027-01-15T09:00:00Z)");
    let minutes = ["01", "02", "59"].map(|minute| json!([format!("2027-01-15T08:{minute}:00Z"), 1]));
    let conditions = [
        format!("_time >= {from} and size > 0 and _time < {to}"),
        format!("_time between ({from} .. {to})"),
        format!("{from} < _time | where \"2027-01-15T09:00:00Z\" >= _time"),
        format!("_time > {to} - 1h and _time <= bin({to} + 1m, 1h)"),
    ];
    block_on(async {
        for condition in conditions {
            let stages = format!("where {condition} | summarize count() by bin_auto(_time)");
            check(&stages, &["_time", "count_"], json!(minutes), Some(json!([[3]]))).await;
        }
        // What is no bound of the time, or stands behind another stage, says nothing of the range.
        let pairs = ["00", "02", "58"].map(|minute| json!([format!("2027-01-15T08:{minute}:00Z"), 1]));
        for stages in [
            format!("where _time < {to} or _time < at"),
            format!("where not(_time >= {to})"),
            format!("extend x = 1 | where _time < {to}"),
        ] {
            let stages = format!("{stages} | summarize count() by bin_auto(_time)");
            check(&stages, &["_time", "count_"], json!(pairs), Some(json!([[3]]))).await;
        }
    });
}

#[test]
fn rows_of_events_are_chosen_whole() {
    block_on(async {
        let house = House::new().await;
        for placement in Placement::ALL {
            let filled = house.filled(&requests(), placement).await;
            let apl = "logs | summarize arg_max(size, *), arg_min(size, host) | project-away _sysTime";
            let answer = ask(&house, Some(&filled.state), apl, Way::Threads).await;
            let expected = json!({
                "columns": ["size", "_time", "at", "host", "size1", "host1"],
                "rows": [[100, "2027-01-15T09:02:00Z", "2024-05-01T01:30:00Z", "c", 1, "b"]],
            });
            assert_eq!(table(&answer, "0").unwrap(), expected, "{placement:?}");
        }
    });
}

/// A step of a week begins before the first time that can be stored: groups and the function say the same of it.
#[test]
fn the_first_step_begins_with_the_first_time() {
    const FIRST: &str = "1677-09-21T00:12:43.145224192Z";
    block_on(async {
        let house = House::new().await;
        let event = "{\"_time\":\"1677-09-21T00:12:45Z\",\"host\":\"a\"}".to_owned();
        let filled = house.filled(&[event], Placement::Segments).await;
        for (stages, expected) in [
            ("summarize n = count() by bin(_time, 7d)", json!([[FIRST, 1]])),
            ("summarize n = count() by bin(_time, 7d), bin(_time, 1d)", json!([[FIRST, FIRST, 1]])),
            ("extend at = bin(_time, 7d) | project at", json!([[FIRST]])),
            ("extend at = bin(_time, 7d) | summarize n = count() by at", json!([[FIRST, 1]])),
        ] {
            let answer = ask(&house, Some(&filled.state), &format!("logs | {stages}"), Way::Threads).await;
            assert_eq!(table(&answer, "0").unwrap()["rows"], expected, "{stages}");
        }
    });
}
