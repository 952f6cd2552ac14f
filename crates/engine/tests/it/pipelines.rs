//! Random events and random queries in text: the engine gives the rows that the naive interpreter of pipelines gives,
//! wherever the events lie and however the query is run.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value as Json;
use tidegauge_store::DatasetState;

use crate::properties::{
    Batch, a_text, a_time, an_array, any_size, config, extreme_number, ndjson_of, run_with, small_number,
};
use crate::support::house::{House, Placement, START, Way, block_on};
use crate::support::pipes::grow::{Pipeline, grow};
use crate::support::pipes::shown;
use crate::support::pipes::table::{Column, Table};
use crate::support::pipes::value::{Kind, TypeSet, Val};

/// `id` tells events apart, `s` has texts, `b` booleans, `n` small integers, `r` small numbers, `x` extreme integers,
/// `y` extreme numbers, `l` numbers of which some are beyond 64 bits, `m` several types.
fn an_event() -> impl Strategy<Value = (i64, BTreeMap<String, Json>)> {
    let value = |strategy: BoxedStrategy<Json>| prop_oneof![6 => strategy.prop_map(Some), 1 => Just(Some(Json::Null)), 1 => Just(None)];
    let whole = || (-3..6_i64).prop_map(Json::from);
    let boolean = || any::<bool>().prop_map(Json::Bool);
    let extreme_whole = extreme_number().prop_filter("is an integer", Json::is_i64);
    let half = (-6..6_i64).prop_map(|number| Json::from(number as f64 + 0.5));
    let mixed = prop_oneof![3 => a_text(), 3 => whole(), 1 => half, 1 => boolean()];
    let fields = (
        value(a_text().boxed()),
        value(boolean().boxed()),
        value(whole().boxed()),
        value(small_number().boxed()),
        value(extreme_whole.boxed()),
        value(extreme_number().boxed()),
        value(any_size().boxed()),
        value(mixed.boxed()),
        value(an_array().boxed()),
    );
    (a_time(), fields).prop_map(|(time, (s, b, n, r, x, y, l, m, tags))| {
        let names = ["s", "b", "n", "r", "x", "y", "l", "m", "tags"];
        let fields = names.into_iter().zip([s, b, n, r, x, y, l, m, tags]);
        (time, fields.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
    })
}

/// The events of a dataset in requests, each with its own number.
fn events() -> impl Strategy<Value = Vec<Batch>> {
    prop::collection::vec(prop::collection::vec(an_event(), 1..8), 1..4).prop_map(|mut batches| {
        for (number, (_, event)) in batches.iter_mut().flatten().enumerate() {
            event.insert("id".to_owned(), Json::from(number * 2));
        }
        batches
    })
}

/// What the naive interpreter sees of a dataset.
pub(crate) fn table_of(name: &str, batches: &[Batch]) -> Table {
    let mut kinds: BTreeMap<&str, TypeSet> = BTreeMap::new();
    for (_, event) in batches.iter().flatten() {
        for (field, value) in event {
            if let Some(kind) = Val::of_json(value).kind() {
                kinds.entry(field).or_default().insert(kind);
            }
        }
    }
    let own = ["_sysTime", "_time"].map(|name| (name, TypeSet::from([Kind::Time])));
    let columns = own.into_iter().chain(kinds.clone());
    let columns = columns.map(|(name, kinds)| Column { name: name.to_owned(), kinds }).collect();
    let row = |(time, event): &(i64, BTreeMap<String, Json>)| {
        let fields = kinds.keys().map(|field| event.get(*field).map_or(Val::Null, Val::of_json));
        [Val::Time(START), Val::Time(*time)].into_iter().chain(fields).collect()
    };
    let rows = batches.iter().flatten().map(row).collect();
    Table { columns, rows, sources: vec![name.to_owned()], is_open: true, ..Table::default() }
}

async fn ask(
    house: &House,
    datasets: &[(&str, &Arc<DatasetState>)],
    pipeline: &Pipeline,
    way: Way,
) -> Result<(), String> {
    let answer = house.ask_text(datasets, &pipeline.text, way).await.map_err(|errors| {
        errors.iter().map(|error| error.render(&pipeline.text)).collect::<Vec<String>>().join("\n")
    })?;
    shown::compare(&pipeline.table, &answer.tables[0])
}

/// Asks every query of the events in every place and in every way.
async fn check(house: &House, one: &[Batch], two: &[Batch], pipelines: &[Pipeline]) -> Result<(), String> {
    let requests = |batches: &[Batch]| batches.iter().map(ndjson_of).collect::<Vec<String>>();
    for placement in Placement::ALL {
        let filled =
            [house.filled(&requests(one), placement).await, house.filled(&requests(two), placement).await];
        let datasets = [("one", &filled[0].state), ("two", &filled[1].state)];
        for pipeline in pipelines {
            for way in Way::all(placement) {
                ask(house, &datasets, pipeline, *way).await.map_err(|why| {
                    let (one, two) = (requests(one).concat(), requests(two).concat());
                    let text = &pipeline.text;
                    format!("{why}\n{text}\n  {placement:?} {way:?}\n  one\n{one}  two\n{two}")
                })?;
            }
        }
        filled.iter().for_each(|filled| house.forget(filled));
    }
    Ok(())
}

#[test]
fn pipelines_are_answered_as_the_naive_interpreter_does() {
    let house = block_on(House::new());
    let seeds = (any::<u64>(), prop::collection::vec(any::<u64>(), 1..9));
    let values = (events(), events(), prop::collection::vec(seeds, 1..3));
    run_with(config(), values, |(one, two, seeds)| {
        let world = [("one".to_owned(), table_of("one", &one)), ("two".to_owned(), table_of("two", &two))];
        let pipelines: Vec<Pipeline> =
            seeds.iter().map(|(source, stages)| grow(&world, *source, stages)).collect();
        block_on(check(&house, &one, &two, &pipelines))
    });
}
