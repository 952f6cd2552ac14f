//! Events that were deleted are in no answer, whatever was kept of them, and a cursor stays valid when its event goes.

use serde_json::{Value as Json, json};
use tidegauge_model::RowId;

use crate::support::house::{Filled, HOUR, House, Placement, SECOND, START, Way, block_on};
use crate::support::reply::time_text;

fn request(number: i64) -> String {
    let line = |row: i64| {
        let time = time_text(START - HOUR + (row * 5 + number) * SECOND);
        format!("{}\n", json!({"_time": time, "row": row, "name": format!("name {}", row % 3), "one": 1}))
    };
    (0..50).map(line).collect()
}

fn body() -> Json {
    json!({
        "startTime": time_text(START - 2 * HOUR), "endTime": time_text(START), "resolution": "auto",
        "order": [{"field": "_time", "desc": false}], "limit": 1000, "project": [{"field": "row"}],
    })
}

async fn ids(house: &House, filled: &Filled, body: &Json, way: Way) -> Vec<RowId> {
    let reply = house.ask(&filled.state, body, way).await.unwrap();
    reply.events.iter().map(|event| event.id).collect()
}

async fn assert_left(house: &House, filled: &Filled, left: &[RowId], placement: Placement) {
    let counting = json!({
        "startTime": time_text(START - 2 * HOUR), "endTime": time_text(START), "resolution": "auto",
        "aggregations": [{"op": "sum", "field": "one", "alias": "all"}],
    });
    let mut filtering = body();
    filtering["filter"] = json!({"op": ">=", "field": "row", "value": 0});
    for way in Way::all(placement) {
        let when = format!("{placement:?} {way:?}");
        assert_eq!(ids(house, filled, &body(), *way).await, left, "{when}");
        assert_eq!(ids(house, filled, &filtering, *way).await, left, "{when}");
        let reply = house.ask(&filled.state, &counting, *way).await.unwrap();
        let total = reply.totals.first().map(|group| group.results[0].1.as_f64().unwrap());
        assert_eq!(total.unwrap_or(0.0), left.len() as f64, "{when}");
    }
}

async fn check(house: &House, placement: Placement) {
    let requests: Vec<String> = (0..5).map(request).collect();
    let filled = house.filled(&requests, placement).await;
    let mut left = filled.ids.clone();
    left.sort_unstable();
    assert_left(house, &filled, &left, placement).await;
    for step in [3, 2] {
        let cursor = left[left.len() / 2 / step * step];
        let (doomed, kept): (Vec<RowId>, Vec<RowId>) =
            left.iter().partition(|id| left.binary_search(id).unwrap() % step == 0);
        assert!(doomed.contains(&cursor));
        let deleted = house.store.delete_rows(&filled.state, doomed.clone()).await.unwrap();
        assert_eq!(deleted.rows, doomed.len() as u64);
        left = kept;
        assert_left(house, &filled, &left, Placement::Segments).await;
        let mut body = body();
        body["cursor"] = Json::from(cursor.to_string());
        let after: Vec<RowId> = left.iter().copied().filter(|id| *id > cursor).collect();
        assert_eq!(ids(house, &filled, &body, Way::Cached).await, after, "after an event that is gone");
    }
    house.forget(&filled);
}

#[test]
fn deleted_events_are_in_no_answer_and_cursors_stay_valid() {
    block_on(async {
        let house = House::new().await;
        for placement in Placement::ALL {
            check(&house, placement).await;
        }
    });
}
