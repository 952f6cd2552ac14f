//! What is kept of a block is all of it. A block whose rows are computed in several stretches may have to hand some of its
//! groups on before the last, where memory is short; then nothing of it is kept.

use serde_json::json;
use tidegauge_engine::{Answer, Error};

use crate::support::engines::{engine, tried};
use crate::support::house::{House, Placement, START, block_on};
use crate::support::reply::value;

/// Few enough for one block, and so long as texts that they are computed in stretches.
const EVENTS: i64 = 30_000;
const LONG: usize = 400;

/// So many groups in the first or in the last third of the events, and hardly any in the others: they are what there is
/// no memory for, and too few for being left out of what is kept.
const GROUPS: i64 = 3_000;

/// From less than the groups take to more.
const KIBIBYTES: [usize; 12] = [1024, 1536, 2048, 2560, 3072, 4096, 5120, 6144, 8192, 12_288, 16_384, 32_768];

fn line(number: i64) -> String {
    let of = |is_many: bool| if is_many { format!("many-{}", number % GROUPS) } else { "few".to_owned() };
    let event = json!({
        "_time": START + number, "long": "L".repeat(LONG), "early": of(number < EVENTS / 3),
        "late": of(number >= EVENTS - EVENTS / 3), "x": number, "y": number % 977,
    });
    event.to_string() + "\n"
}

/// Sums that every event and every group count in.
fn figures(answer: &Answer) -> Vec<String> {
    let table = &answer.tables[0];
    table.fields.iter().map(|field| value(field, 0).to_string()).collect()
}

#[test]
fn a_block_that_was_handed_on_in_parts_is_not_kept_in_part() {
    block_on(async {
        let house = House::new().await;
        let events: String = (0..EVENTS).map(line).collect();
        let state = house.filled(&[events], Placement::Segments).await.state;
        for field in ["early", "late"] {
            let apl = format!(
                "logs | summarize n = count(), d = dcount(x), p = percentile(y, 50) by k = strcat(tolower(long), {field}) \
                 | where isnotnull(d) and isnotnull(p) | summarize groups = count(), n = sum(n)"
            );
            let wanted = [(GROUPS + 1).to_string(), EVENTS.to_string()];
            for kibibytes in KIBIBYTES {
                let engine = engine(&house, |settings| {
                    settings.memory_bytes = kibibytes << 10;
                    settings.query_memory_bytes = kibibytes << 10;
                    settings.groups_bytes = 64 << 20;
                    settings.spill_folder = house.folder().join(format!("spill-{field}-{kibibytes}"));
                });
                // The second time groups of blocks are kept, and from the third on they are used.
                for _ in 0..4 {
                    match tried(&engine, &state, &apl).await {
                        Ok(answer) => assert_eq!(figures(&answer), wanted, "{field}, {kibibytes} KiB"),
                        Err(Error::Memory { .. } | Error::MemoryTaken) => {}
                        Err(error) => panic!("{field}, {kibibytes} KiB: {error}"),
                    }
                }
            }
        }
    });
}
