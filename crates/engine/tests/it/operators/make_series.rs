//! `make-series`.

use serde_json::{Value as Json, json};

use super::{check, check_dataset, refuses, time};

const ROWS: &str = "datatable(at:datetime, level:real, place:string)[\
    datetime(2026-07-01T00:10), 2.0, 'a', datetime(2026-07-01T00:50), 4.0, 'b', datetime(2026-07-01T02:30), 6.0, 'a', \
    datetime(2026-07-01T03:00), 9.0, 'a', datetime(null), 1.0, 'a']";

fn hours(hours: std::ops::Range<usize>) -> Json {
    hours.map(|hour| Json::from(format!("2026-07-01T{hour:02}:00:00Z"))).collect()
}

#[test]
fn stretches_without_rows_have_defaults() {
    let span = "on at from datetime(2026-07-01) to datetime(2026-07-01T03:00) step 1h";
    check(&[
        (
            &format!("{ROWS} | make-series avg(level), n = count() {span}"),
            json!([["avg_level", "n", "at"], [[3, 0, 6], [2, 0, 1], hours(0..3)]]),
        ),
        (
            &format!(
                "{ROWS} | make-series top = max(level) default=real(null), m = sum(level) default=-1 {span} by place | sort by place asc"
            ),
            json!([
                ["place", "top", "m", "at"],
                ["a", [2, null, 6], [2, -1, 6], hours(0..3)],
                ["b", [4, null, null], [4, -1, -1], hours(0..3)]
            ]),
        ),
        // The last stretch is shorter where the end lies within it.
        (
            &format!(
                "{ROWS} | make-series n = count() on at from datetime(2026-07-01) to datetime(2026-07-01T02:40) step 1h | project n"
            ),
            json!([["n"], [[2, 0, 1]]]),
        ),
        (
            &format!(
                "{ROWS} | make-series n = count() + 1, at = countif(place == 'a') on at from datetime(2026-07-01) to datetime(2026-07-01T02:00) step 1h"
            ),
            json!([["n", "at", "at1"], [[3, 0], [1, 0], hours(0..2)]]),
        ),
    ]);
}

#[test]
fn ends_that_are_not_told_are_those_of_each_series() {
    check(&[
        (
            &format!("{ROWS} | make-series n = count() on at step 1h by place | sort by place asc"),
            json!([["place", "n", "at"], ["a", [1, 0, 1, 1], hours(0..4)], ["b", [1], hours(0..1)]]),
        ),
        (
            &format!("{ROWS} | make-series n = count() on at to datetime(2026-07-01T02:00) step 1h"),
            json!([["n", "at"], [[2, 0], hours(0..2)]]),
        ),
    ]);
}

#[test]
fn an_axis_may_be_of_numbers_or_timespans() {
    check(&[
        (
            "datatable(x:long)[1, 2, 2, 7] | make-series count() on x from 1 to 9 step 3",
            json!([["count_", "x"], [[3, 0, 1], [1, 4, 7]]]),
        ),
        (
            "datatable(x:real)[0.1, 0.3, 1.2] | make-series count() on x from 0.0 to 1.5 step 0.5",
            json!([["count_", "x"], [[2, 0, 1], [0, 0.5, 1]]]),
        ),
        (
            "datatable(x:timespan)[10s, 70s] | make-series count() on x from 0s to 2m step 1m",
            json!([["count_", "x"], [[1, 1], ["00:00:00", "00:01:00"]]]),
        ),
        // The end belongs to a range, whose stretches begin at multiples of the step.
        (
            "datatable(x:long)[1, 2, 4, 5] | make-series count() on x in range(0, 4, 2)",
            json!([["count_", "x"], [[1, 1, 2], [0, 2, 4]]]),
        ),
    ]);
}

#[test]
fn without_rows_there_is_no_series_unless_it_is_asked_for() {
    let rows = "datatable(x:long)[]";
    check(&[
        (&format!("{rows} | make-series count() on x from 0 to 2 step 1"), json!([["count_", "x"]])),
        (
            &format!("{rows} | make-series kind=nonempty sum(x) default=5 on x from 0 to 2 step 1"),
            json!([["sum_x", "x"], [[5, 5], [0, 1]]]),
        ),
    ]);
}

#[test]
fn what_cannot_be_is_told() {
    let rows = "datatable(x:long, s:string, t:datetime)[1, 'a', datetime(2026-07-01)]";
    refuses(&[
        (&format!("{rows} | make-series count() on s step 1"), "goes along times or numbers"),
        (&format!("{rows} | make-series count() on x step 0"), "above zero"),
        (&format!("{rows} | make-series count() on t step 1"), "must be a timespan"),
        (&format!("{rows} | make-series count() on t from 5 to 6 step 1h"), "must be a time"),
        (&format!("{rows} | make-series count() on x from 0 to 2000000 step 1"), "more than 1000000 points"),
        (
            &format!("{rows} | make-series count(), sum(x) on x from 0 to 600000 step 1"),
            "more than 1000000 points",
        ),
        (&format!("{rows} | make-series count() default=x on x from 0 to 2 step 1"), "invalid field"),
        (&format!("{rows} | make-series count() on y step 1"), "invalid field: \"y\""),
        (
            &format!(
                "{rows} | make-series count() default=strrep(strrep('x', 1024), 1024) on x from 0 to 2000 step 1"
            ),
            "MiB",
        ),
    ]);
}

#[test]
fn events_make_series_wherever_they_lie() {
    let event = |n: usize| json!({"_time": time(n * 7), "host": format!("h{}", n % 2), "took": n});
    let events: Vec<Json> = (0..30).map(event).collect();
    let minutes: Json = (0..4).map(|minute| Json::from(time(minute * 60))).collect();
    check_dataset(
        &events,
        &[
            (
                "logs | make-series n = count(), most = max(took) on _time from datetime(2026-07-01T10:00) to datetime(2026-07-01T10:04) step 1m by host | sort by host asc",
                json!([
                    ["host", "n", "most", "_time"],
                    ["h0", [5, 4, 4, 2], [8, 16, 24, 28], minutes],
                    ["h1", [4, 5, 4, 2], [7, 17, 25, 29], minutes]
                ]),
            ),
            (
                "logs | where took < 9 | make-series n = count() on _time step 1m | mv-expand n to typeof(long), _time to typeof(datetime)",
                json!([["n", "_time"], [9, time(0)]]),
            ),
        ],
    );
}
