//! Pages of events: whoever walks them with the cursor sees every event that was there at the start exactly once and
//! in order, also among thousands of the same time, while events arrive and move to other places.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use tidegauge_model::RowId;

use crate::properties::{config, run_with};
use crate::support::house::{Filled, HOUR, House, START, Way, block_on};
use crate::support::reply::time_text;

const TIME: i64 = START - 30 * HOUR;

/// What happens between two pages.
#[derive(Clone, Copy, Debug)]
enum Between {
    Nothing,
    MoreOfTheTime,
    MoreAround,
    Flush,
    Compact,
}

#[derive(Clone, Debug)]
struct Walk {
    requests: Vec<usize>,
    flushed: usize,
    page: usize,
    is_descending: bool,
    is_filtered: bool,
    between: Vec<Between>,
}

fn a_walk() -> impl Strategy<Value = Walk> {
    let between = prop::sample::select(vec![
        Between::Nothing,
        Between::MoreOfTheTime,
        Between::MoreAround,
        Between::Flush,
        Between::Compact,
    ]);
    (
        prop::collection::vec(300..900_usize, 3..6),
        0..6_usize,
        70..700_usize,
        any::<bool>(),
        prop::bool::weighted(0.3),
        prop::collection::vec(between, 1..12),
    )
        .prop_map(|(requests, flushed, page, is_descending, is_filtered, between)| Walk {
            requests,
            flushed,
            page,
            is_descending,
            is_filtered,
            between,
        })
}

/// Most events have one time; every eighth is a nanosecond before or after it.
fn events(count: usize) -> String {
    let time = |number: usize| match number % 16 {
        0 => TIME - 1,
        8 => TIME + 1,
        _ => TIME,
    };
    let line = |number| format!("{}\n", json!({"_time": time_text(time(number)), "odd": number % 2 == 1}));
    (0..count).map(line).collect()
}

async fn happen(house: &House, filled: &Filled, between: Between) {
    match between {
        Between::Nothing => {}
        Between::MoreOfTheTime => drop(house.ingest(&filled.state, &events(40)).await),
        Between::MoreAround => {
            for time in [TIME - HOUR, TIME + HOUR] {
                let line = json!({"_time": time_text(time), "odd": true}).to_string();
                house.ingest(&filled.state, &line).await;
            }
        }
        Between::Flush => house.flush(&filled.state).await,
        Between::Compact => house.compact().await,
    }
}

async fn check(house: &House, walk: &Walk) -> Result<(), String> {
    let state = house.dataset().await;
    let mut ids = Vec::new();
    for (number, count) in walk.requests.iter().enumerate() {
        let all = house.ingest(&state, &events(*count)).await;
        let is_wanted = |(place, _): &(usize, &RowId)| !walk.is_filtered || place % 2 == 1;
        ids.extend(all.iter().enumerate().filter(is_wanted).map(|(_, id)| *id));
        if number < walk.flushed {
            house.flush(&state).await;
        }
    }
    let filled = Filled { state, ids };
    let there: BTreeSet<RowId> = filled.ids.iter().copied().collect();
    let mut body = json!({
        "startTime": time_text(TIME - 2 * HOUR), "endTime": time_text(TIME + 2 * HOUR), "resolution": "auto",
        "order": [{"field": "_time", "desc": walk.is_descending}], "limit": walk.page,
        "project": [{"field": "odd"}],
    });
    if walk.is_filtered {
        body["filter"] = json!({"op": "==", "field": "odd", "value": true});
    }
    let mut seen: Vec<RowId> = Vec::new();
    let mut between = walk.between.iter().cycle();
    let mut is_included = false;
    loop {
        let way = if seen.len().is_multiple_of(2) { Way::Threads } else { Way::Cached };
        let page = house.ask(&filled.state, &body, way).await?;
        let mut page: Vec<RowId> = page.events.iter().map(|event| event.id).collect();
        let is_last = page.len() < walk.page;
        if is_included {
            let first = page.remove(0);
            if Some(&first) != seen.last() {
                return Err(format!("{first} is not the event of the cursor"));
            }
        }
        seen.extend(&page);
        if is_last {
            break;
        }
        // Every other page begins with the last event of the one before.
        is_included = !is_included;
        body["cursor"] = Json::from(seen.last().unwrap().to_string());
        body["includeCursor"] = Json::from(is_included);
        happen(house, &filled, *between.next().unwrap()).await;
    }
    house.forget(&filled);
    let is_in_order = |pair: &[RowId]| pair[0].order_by_time(&pair[1], walk.is_descending).is_lt();
    if let Some(pair) = seen.windows(2).find(|pair| !is_in_order(pair)) {
        return Err(format!("{} comes before {}", pair[0], pair[1]));
    }
    let missing = there.difference(&seen.into_iter().collect()).count();
    if missing == 0 { Ok(()) } else { Err(format!("{missing} of {} events are on no page", there.len())) }
}

#[test]
fn pages_have_every_event_once_while_others_come_and_all_move() {
    let house = block_on(House::new());
    let config = ProptestConfig { cases: config().cases.div_ceil(8), ..config() };
    run_with(config, a_walk(), |walk| {
        block_on(check(&house, &walk)).map_err(|why| format!("{why}\n  {walk:?}"))
    });
}
