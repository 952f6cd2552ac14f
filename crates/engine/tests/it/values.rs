//! Values come back as they went in: every digit, every sign, every character, to the nanosecond.

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use crate::properties::{config, run_with};
use crate::support::house::{House, Placement, Way, block_on};
use crate::support::reply::{float, time_text};

fn a_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "\\PC{0,20}",
        Just(String::new()),
        "[\u{0}-\u{1f}\"\\\\]{1,5}",
        "\u{10ffff}{1,40}"
    ]
}

fn an_integer() -> impl Strategy<Value = Json> {
    prop_oneof![any::<i64>(), -3..3_i64, Just(i64::MIN), Just(i64::MAX), Just((1 << 53) + 1)]
        .prop_map(Json::from)
}

fn a_float() -> impl Strategy<Value = Json> {
    let some = vec![0.0, -0.0, 1.0, 0.1 + 0.2, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, 1e300, 9.3e18];
    let any = any::<f64>().prop_filter("JSON has no such number", |value| value.is_finite());
    prop_oneof![any, prop::sample::select(some)].prop_map(float)
}

fn scalar() -> impl Strategy<Value = Json> {
    prop_oneof![an_integer(), a_float(), a_text().prop_map(Json::from), any::<bool>().prop_map(Json::Bool)]
}

fn nested() -> impl Strategy<Value = Json> {
    prop_oneof![scalar(), Just(Json::Null)].prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            prop::collection::btree_map(a_text(), inner, 0..4)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

/// One event: its time, a value of any type, an array, and an object in a field that keeps objects.
fn an_event() -> impl Strategy<Value = (i64, Json)> {
    let array = prop::collection::vec(nested(), 0..4).prop_map(Json::Array);
    // An empty object is as good as none.
    let map = prop::collection::btree_map(a_text(), nested(), 1..4)
        .prop_map(|members| Json::Object(members.into_iter().collect()));
    let time = prop_oneof![any::<i64>(), 1_800_000_000_000_000_000..1_800_000_000_000_000_009_i64];
    let time = time.prop_map(|time| time.clamp(-9_000_000_000_000_000_000, 9_000_000_000_000_000_000));
    let fields = (prop::option::of(scalar()), prop::option::of(array), prop::option::of(map));
    (time, fields).prop_map(|(time, (any, list, kept))| {
        let fields = [("any", any), ("größe.🎉", list), ("kept", kept)];
        let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        (time, Json::Object(Map::from_iter(fields)))
    })
}

async fn check(house: &House, batches: &[Vec<(i64, Json)>]) -> Result<(), String> {
    let body = json!({
        "startTime": time_text(-9_200_000_000_000_000_000), "endTime": time_text(9_200_000_000_000_000_000),
        "resolution": "auto", "order": [{"field": "_time", "desc": false}],
    });
    let line = |(time, event): &(i64, Json)| {
        let mut event = event.clone();
        event["_time"] = Json::from(time_text(*time));
        format!("{event}\n")
    };
    let requests: Vec<String> = batches.iter().map(|batch| batch.iter().map(line).collect()).collect();
    let mut expected: Vec<&(i64, Json)> = batches.iter().flatten().collect();
    expected.sort_by_key(|(time, _)| *time);
    for placement in Placement::ALL {
        let filled = house.filled_with_maps(&requests, placement, &["kept"]).await;
        for way in Way::all(placement) {
            let reply = house.ask(&filled.state, &body, *way).await?;
            let found = reply.events.iter().map(|event| (event.id.time, Json::from_iter(event.data.clone())));
            for ((time, event), (found_time, found)) in expected.iter().zip(found) {
                // Texts of JSON tell integers from floats and keep the sign of zero.
                let (event, found) = (sorted(event).to_string(), sorted(&found).to_string());
                if *time != found_time || event != found {
                    return Err(format!("{placement:?} {way:?}: {found_time} {found} is not {time} {event}"));
                }
            }
            if reply.events.len() != expected.len() {
                return Err(format!("{placement:?}: {} events", reply.events.len()));
            }
        }
        house.forget(&filled);
    }
    Ok(())
}

/// The same with the members of objects by their names.
fn sorted(json: &Json) -> Json {
    match json {
        Json::Array(elements) => Json::Array(elements.iter().map(sorted).collect()),
        Json::Object(members) => {
            let mut members: Vec<(String, Json)> =
                members.iter().map(|(name, member)| (name.clone(), sorted(member))).collect();
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            Json::Object(Map::from_iter(members))
        }
        other => other.clone(),
    }
}

#[test]
fn values_come_back_as_they_went_in() {
    let house = block_on(House::new());
    let batches = prop::collection::vec(prop::collection::vec(an_event(), 1..10), 1..4);
    run_with(config(), batches, |batches| block_on(check(&house, &batches)));
}
