//! Groups by many keys and by keys of many values: what is found equals what a plain table of the events says, on both
//! sides of every limit of how keys become numbers, wherever the events lie, and also where the groups of blocks are kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tidegauge_engine::{Answer, Options};
use tidegauge_store::DatasetState;

use crate::support::house::{House, Placement, SECOND, START, Way, block_on};
use crate::support::reply::{time_text, value};

/// Events with so many keys, of so many values each.
struct Shape {
    events: u64,
    keys: u64,
    values: u64,
    /// How a value is made of its number; some make null of it.
    of: fn(u64) -> Value,
}

/// The value of a key of an event.
type KeyOf<'a> = &'a dyn Fn(u64, u64) -> Value;

/// A group: its keys as text, with how many events it has and the sum of their numbers.
type Groups = BTreeMap<Vec<String>, (i64, i64)>;

fn text(number: u64) -> Value {
    json!(format!("value-{number}"))
}

fn number(number: u64) -> Value {
    json!(number as i64 * 1_000_003 - 5)
}

fn near(number: u64) -> Value {
    json!(number)
}

fn text_or_null(number: u64) -> Value {
    if number == 0 { Value::Null } else { text(number) }
}

/// Texts, integers, floats, booleans and nothing in one field.
fn mixed(number: u64) -> Value {
    match number % 5 {
        0 => json!(number),
        1 => json!(number as f64 + 0.25),
        2 => text(number),
        3 => json!(number % 2 == 1),
        _ => Value::Null,
    }
}

/// A number by chance that is always the same.
fn rng(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

impl Shape {
    /// The first events have every value of every key, so that each block can have all of them.
    fn key(&self, event: u64, key: u64) -> Value {
        let number = if event < self.values { event } else { rng(event * 1_000 + key) % self.values };
        (self.of)(number)
    }

    fn names(&self) -> String {
        (0..self.keys).map(|key| format!("k{key}")).collect::<Vec<String>>().join(", ")
    }

    fn requests(&self, key_of: KeyOf<'_>) -> Vec<String> {
        let line = |event: u64| {
            let mut fields = serde_json::Map::new();
            fields.insert("_time".to_owned(), json!(START + event as i64 * SECOND));
            fields.insert("x".to_owned(), json!(event));
            for key in 0..self.keys {
                fields.insert(format!("k{key}"), key_of(event, key));
            }
            Value::Object(fields).to_string() + "\n"
        };
        let events: Vec<u64> = (0..self.events).collect();
        let half = events.len().div_ceil(2);
        events.chunks(half).map(|part| part.iter().map(|event| line(*event)).collect()).collect()
    }

    /// The groups as the events say, by the start of their bucket first where there is a step.
    fn wanted(&self, step: Option<i64>, key_of: KeyOf<'_>) -> Groups {
        let mut groups = Groups::new();
        for event in 0..self.events {
            let time = START + event as i64 * SECOND;
            let start = step.map(|step| json!(time_text(time - time % step)).to_string());
            let keys = (0..self.keys).map(|key| key_of(event, key).to_string());
            let group = groups.entry(start.into_iter().chain(keys).collect()).or_default();
            group.0 += 1;
            group.1 += event as i64;
        }
        groups
    }

    async fn check(&self, house: &House, placement: Placement, step: Option<i64>) {
        self.check_with(house, placement, step, &|event, key| self.key(event, key)).await;
    }

    /// The same for keys that are made in another way, in segments.
    async fn check_keys(&self, house: &House, key_of: KeyOf<'_>) {
        self.check_with(house, Placement::Segments, None, key_of).await;
    }

    async fn check_with(&self, house: &House, placement: Placement, step: Option<i64>, key_of: KeyOf<'_>) {
        let filled = house.filled(&self.requests(key_of), placement).await;
        let wanted = self.wanted(step, key_of);
        let bin = step.map_or(String::new(), |step| format!("bin(_time, {}s), ", step / SECOND));
        let summarize = format!("logs | summarize n = count(), s = sum(x) by {bin}{}", self.names());
        for (number, way) in ways(placement).iter().enumerate() {
            let answer = ask(house, &filled.state, &summarize, *way).await;
            assert_same(&groups(&answer, true), &wanted, &format!("{placement:?} {number} {way:?}"));
        }
        if step.is_none() {
            let distinct = format!("logs | distinct {}", self.names());
            let wanted: Groups = wanted.into_keys().map(|keys| (keys, (1, 0))).collect();
            for (number, way) in ways(placement).iter().enumerate() {
                let answer = ask(house, &filled.state, &distinct, *way).await;
                let place = format!("distinct {placement:?} {number} {way:?}");
                assert_same(&groups(&answer, false), &wanted, &place);
            }
        }
        house.forget(&filled);
    }

    async fn check_everywhere(&self, house: &House) {
        for placement in [Placement::Buffer, Placement::Segments] {
            self.check(house, placement, None).await;
        }
    }
}

/// The first answer is computed, the second is too and keeps the groups of blocks, the third is made of these.
fn ways(placement: Placement) -> &'static [Way] {
    if placement == Placement::Buffer { &[Way::Threads] } else { &[Way::Cached, Way::Cached, Way::Cached] }
}

async fn ask(house: &House, state: &Arc<DatasetState>, query: &str, way: Way) -> Answer {
    let options = Options { rows_max: 50_000, rows_default: Some(50_000), ..House::options(way) };
    house.ask_with(&[("logs", state)], query, way, options).await.unwrap()
}

fn groups(answer: &Answer, has_aggregates: bool) -> Groups {
    let table = &answer.tables[0];
    let keys = table.fields.len() - if has_aggregates { 2 } else { 0 };
    let mut groups = Groups::new();
    for row in 0..table.rows {
        let cell = |field: usize| value(&table.fields[field], row);
        let of_keys: Vec<String> = (0..keys).map(|field| cell(field).to_string()).collect();
        let number = |field: usize| cell(keys + field).as_i64().unwrap();
        let of_group = if has_aggregates { (number(0), number(1)) } else { (1, 0) };
        assert_eq!(groups.insert(of_keys, of_group), None, "a group stands in the answer once");
    }
    groups
}

fn assert_same(found: &Groups, wanted: &Groups, place: &str) {
    let invented = found.iter().filter(|(keys, of)| wanted.get(*keys) != Some(*of)).count();
    let missing = wanted.keys().filter(|keys| !found.contains_key(*keys)).count();
    assert_eq!((invented, missing), (0, 0), "groups that are not in the data, and that are missing: {place}");
}

#[test]
fn eight_keys_of_three_hundred_values() {
    block_on(async {
        let house = House::new().await;
        Shape { events: 5_000, keys: 8, values: 300, of: text }.check_everywhere(&house).await;
    });
}

#[test]
fn twelve_keys_of_sixty_values() {
    block_on(async {
        let house = House::new().await;
        Shape { events: 2_000, keys: 12, values: 60, of: number }.check_everywhere(&house).await;
    });
}

#[test]
fn twenty_keys_of_ten_values() {
    block_on(async {
        let house = House::new().await;
        Shape { events: 1_000, keys: 20, values: 10, of: near }.check_everywhere(&house).await;
    });
}

/// Keys of two values are combinations of as many bits as there are keys: on both sides of what a table, 32 bits and 64
/// bits can tell apart, and of how many keys are merged by numbers.
#[test]
fn every_width_of_combinations_from_both_sides() {
    block_on(async {
        let house = House::new().await;
        for keys in [4, 5, 16, 17, 18, 19, 31, 32, 33, 63, 64, 65] {
            let shape = Shape { events: 40, keys, values: 2, of: text };
            for placement in [Placement::Buffer, Placement::Segments] {
                shape.check(&house, placement, None).await;
            }
        }
    });
}

#[test]
fn null_and_mixed_types_count_as_values() {
    block_on(async {
        let house = House::new().await;
        // With null there are three values, and 3 to the power of 41 is more than 64 bits count.
        for keys in [40, 41] {
            let shape = Shape { events: 40, keys, values: 3, of: text_or_null };
            shape.check(&house, Placement::Segments, None).await;
        }
        let shape = Shape { events: 400, keys: 14, values: 40, of: mixed };
        shape.check(&house, Placement::Both, None).await;
    });
}

/// Integers that lie close together are looked up in tables, of which each has its size; and few of them are codes.
#[test]
fn integers_on_both_sides_of_every_table() {
    block_on(async {
        let house = House::new().await;
        for spread in [(1_u64 << 12) - 1, 1 << 12, (1 << 16) - 1, 1 << 16] {
            // The least and the greatest integer among them, and two places between.
            let ends: [fn(u64, u64) -> Value; 2] = [
                |number, spread| json!(i64::MIN + [0, 1, spread / 2, spread][number as usize % 4] as i64),
                |number, spread| json!(i64::MAX - [0, 1, spread / 2, spread][number as usize % 4] as i64),
            ];
            for end in ends {
                // As many as a table of all is worth it for, in each of two requests, and few.
                for events in [40, 2 * (spread + 1) / 16, 2 * (spread + 1) / 16 - 2] {
                    let shape = Shape { events, keys: 2, values: 4, of: text };
                    shape.check_keys(&house, &move |event, key| end(event / (key + 1), spread)).await;
                }
            }
        }
        for values in [255, 256, 257] {
            let shape = Shape { events: 600, keys: 2, values, of: near };
            shape.check(&house, Placement::Segments, None).await;
        }
        // The whole range at once: no difference of two of these has 64 bits.
        let shape = Shape { events: 40, keys: 3, values: 4, of: text };
        let far = |event: u64, key: u64| json!([i64::MIN, i64::MAX, 0, -1][(event / (key + 1)) as usize % 4]);
        shape.check_keys(&house, &far).await;
    });
}

/// Two keys whose combinations are just as many as a table has places, and some more; and events just enough for a table
/// of so many to be worth it, and one fewer.
#[test]
fn combinations_on_both_sides_of_the_table() {
    block_on(async {
        let house = House::new().await;
        let enough = 512 * 512 / 16;
        for (values, events) in [(512, enough), (513, 2 * enough), (512, enough - 1), (512, 1_200)] {
            let shape = Shape { events, keys: 2, values, of: text };
            shape.check(&house, Placement::Buffer, None).await;
        }
    });
}

/// A few events of blocks with many values: those that come along are looked up by hash, and of more events all values
/// of the block by their codes.
#[test]
fn few_events_of_blocks_with_many_values() {
    block_on(async {
        let house = House::new().await;
        let shape = Shape { events: 3_200, keys: 2, values: 800, of: text_or_null };
        let requests = shape.requests(&|event, key| shape.key(event, key));
        let filled = house.filled(&requests, Placement::Segments).await;
        // A block has half the events, and its dictionary up to 800 values: 50 events are the limit, or fewer.
        for passing in [1_u64, 20, 40, 45, 48, 49, 50, 51, 52, 60, 800] {
            let few = Shape { events: passing, ..shape };
            let query = format!("logs | where x < {passing} | summarize n = count(), s = sum(x) by k0, k1");
            let answer = ask(&house, &filled.state, &query, Way::Threads).await;
            let wanted = few.wanted(None, &|event, key| shape.key(event, key));
            assert_same(&groups(&answer, true), &wanted, &query);
        }
        house.forget(&filled);
    });
}

/// Blocks of more groups are not kept, and those of fewer are.
#[test]
fn groups_of_a_block_on_both_sides_of_what_is_kept() {
    block_on(async {
        let house = House::new().await;
        for (events, is_kept) in [(8 * 1024, true), (8 * 1024 + 1, false)] {
            let line = |event: u64| format!("{{\"_time\":{},\"x\":{event}}}\n", START + event as i64);
            let requests = [(0..events).map(line).collect::<String>()];
            let filled = house.filled(&requests, Placement::Segments).await;
            for number in 0..3 {
                let text = "logs | summarize n = count() by x | summarize sum(n), dcount(x), max(x), min(x)";
                let answer = ask(&house, &filled.state, text, Way::Cached).await;
                let cell = |field: usize| value(&answer.tables[0].fields[field], 0);
                assert_eq!((cell(0), cell(2), cell(3)), (json!(events), json!(events - 1), json!(0)));
                assert_eq!(
                    answer.figures.blocks_kept,
                    u64::from(is_kept && number == 2),
                    "{events} {number}"
                );
            }
            house.forget(&filled);
        }
    });
}

/// The least times there are: the first bucket begins where time does, and is shorter than the others.
#[test]
fn the_first_and_the_last_bucket_of_all_time() {
    block_on(async {
        let house = House::new().await;
        let times = [
            "1677-09-21T00:12:43.2Z",
            "1677-09-21T00:50:00Z",
            "1677-09-21T01:05:00Z",
            "2262-04-11T22:59:59Z",
            "2262-04-11T23:00:00Z",
            "2262-04-11T23:47:16Z",
        ];
        let wanted: Vec<(Value, i64)> = vec![
            (json!("1677-09-21T00:12:43.145224192Z"), 2),
            (json!("1677-09-21T01:00:00Z"), 1),
            (json!("2262-04-11T22:00:00Z"), 1),
            (json!("2262-04-11T23:00:00Z"), 2),
        ];
        let request: String =
            times.iter().map(|time| format!("{{\"_time\":\"{time}\",\"k\":1}}\n")).collect();
        for placement in [Placement::Buffer, Placement::Segments] {
            let filled = house.filled(std::slice::from_ref(&request), placement).await;
            for way in Way::all(placement) {
                for by in ["bin(_time, 1h)", "bin(_time, 1h), k"] {
                    let text = format!("logs | summarize n = count() by {by}");
                    let answer = ask(&house, &filled.state, &text, *way).await;
                    let table = &answer.tables[0];
                    let last = table.fields.len() - 1;
                    let cell = |field: usize, row: usize| value(&table.fields[field], row);
                    let found: Vec<(Value, i64)> = (0..table.rows)
                        .map(|row| (cell(0, row), cell(last, row).as_i64().unwrap()))
                        .collect();
                    assert_eq!(found, wanted, "{by} {placement:?} {way:?}");
                }
            }
            house.forget(&filled);
        }
    });
}

/// A range of time cannot leave out the greatest time there is, so a condition on it is not taken for the range alone.
#[test]
fn a_condition_on_the_greatest_time_is_no_range() {
    block_on(async {
        let house = House::new().await;
        let last = "2262-04-11T23:47:16.854775807Z";
        let request = format!("{{\"_time\":\"{last}\"}}\n{{\"_time\":\"2262-04-11T23:47:16.854775806Z\"}}\n");
        let filled = house.filled(&[request], Placement::Segments).await;
        let conditions =
            [("", 2), ("| where _time < datetime(LAST)", 1), ("| where _time > datetime(LAST)", 0), ("", 2)];
        for (condition, wanted) in conditions {
            let condition = condition.replace("LAST", last);
            for number in 0..3 {
                let text = format!("logs {condition} | summarize n = count() by k");
                let answer = ask(&house, &filled.state, &text, Way::Cached).await;
                let found = (0..answer.tables[0].rows).map(|row| value(&answer.tables[0].fields[1], row));
                let found: i64 = found.map(|count| count.as_i64().unwrap()).sum();
                assert_eq!(found, wanted, "{condition} {number}");
            }
        }
    });
}

/// A time that is computed may be missing, and is in no bucket then.
#[test]
fn events_without_a_time_are_in_no_bucket() {
    block_on(async {
        let house = House::new().await;
        let line = |number: i64| {
            let time = if number % 3 == 0 { Value::Null } else { json!(time_text(START + number * SECOND)) };
            json!({"_time": START, "t": time, "x": number}).to_string() + "\n"
        };
        let requests = [(0..90).map(line).collect::<String>()];
        let wanted =
            [(Value::Null, 30), (json!(time_text(START)), 40), (json!(time_text(START + 60 * SECOND)), 20)];
        for placement in [Placement::Buffer, Placement::Segments] {
            let filled = house.filled(&requests, placement).await;
            let text = "logs | extend _time = todatetime(t) | summarize n = count() by bin(_time, 1m)";
            for way in Way::all(placement) {
                let answer = ask(&house, &filled.state, text, *way).await;
                let table = &answer.tables[0];
                let cell = |field: usize, row: usize| value(&table.fields[field], row);
                let found: Vec<(Value, i64)> =
                    (0..table.rows).map(|row| (cell(0, row), cell(1, row).as_i64().unwrap())).collect();
                assert_eq!(found, wanted, "{placement:?} {way:?}");
            }
            house.forget(&filled);
        }
    });
}

#[test]
fn buckets_are_one_more_key() {
    block_on(async {
        let house = House::new().await;
        // Two buckets of a block and keys of two values: 63 of them make 64 bits.
        for keys in [62, 63, 64] {
            let shape = Shape { events: 60, keys, values: 2, of: text };
            for placement in [Placement::Buffer, Placement::Segments] {
                shape.check(&house, placement, Some(15 * SECOND)).await;
            }
        }
        let shape = Shape { events: 900, keys: 8, values: 300, of: text };
        shape.check(&house, Placement::Both, Some(60 * SECOND)).await;
    });
}
