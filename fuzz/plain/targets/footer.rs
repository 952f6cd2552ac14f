//! Footers that are taken for whole though they are not, as when another version wrote them: whatever a segment says of
//! itself, reading by it ends in values or in an error.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use tidegauge_fuzz_plain::events::sample;
use tidegauge_model::FieldKind;
use tidegauge_store::testing::{encode_segment, open_segment, segment_rows};
use tokio::runtime::Runtime;

const ROWS: u32 = 8;

/// Behind the footer stand its length and the closing mark.
const TAIL_BYTES: usize = 8;

/// How the description begins.
const DESCRIBED: &[u8] = b"{\"version\":";

/// A segment, cut into what comes before the length of its description, the description, and what comes behind.
struct World {
    runtime: Runtime,
    before: Vec<u8>,
    description: Value,
    behind: Vec<u8>,
    footer_start: usize,
}

impl World {
    fn get() -> &'static Self {
        static WORLD: OnceLock<World> = OnceLock::new();
        WORLD.get_or_init(|| {
            let runtime =
                tokio::runtime::Builder::new_current_thread().build().expect("a runtime can be made");
            let file = encode_segment(&[sample(ROWS)]).expect("a segment can be written");
            let tail = file.len() - TAIL_BYTES;
            let length = u32::from_le_bytes(file[tail..tail + 4].try_into().expect("four bytes"));
            let start = file.windows(DESCRIBED.len()).position(|window| window == DESCRIBED);
            let start = start.expect("it is described");
            let mut values = serde_json::Deserializer::from_slice(&file[start..]).into_iter::<Value>();
            let description = values.next().expect("a value").expect("JSON");
            let end = start + values.byte_offset();
            let digits = varint(end - start).len();
            Self {
                runtime,
                before: file[..start - digits].to_vec(),
                description,
                behind: file[end..tail].to_vec(),
                footer_start: tail - length as usize,
            }
        })
    }

    /// The segment with another description.
    fn with(&self, description: &Value) -> Vec<u8> {
        let text = description.to_string();
        let mut file = self.before.clone();
        file.extend(varint(text.len()));
        file.extend_from_slice(text.as_bytes());
        file.extend_from_slice(&self.behind);
        let length = (file.len() - self.footer_start) as u32;
        file.extend_from_slice(&length.to_le_bytes());
        file.extend_from_slice(b"PAR1");
        file
    }
}

/// A length as the footer's encoding has it.
fn varint(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// The value at a place, counted through all that are in it.
fn at<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(elements) => elements.iter_mut().find_map(|element| at(element, left)),
        Value::Object(members) => members.values_mut().find_map(|member| at(member, left)),
        _ => None,
    }
}

fn change(value: &mut Value, how: u8) {
    *value = match how % 16 {
        0 => Value::Null,
        1 => json!(0),
        2 => json!(1),
        3 => json!(-1),
        4 => json!(u64::MAX),
        5 => json!(u32::MAX),
        6 => json!(""),
        7 => json!("integer"),
        8 => json!("string"),
        9 => json!("field 3"),
        10 => json!([]),
        11 => json!(7),
        12 => json!(i64::MAX),
        13 => match value.take() {
            Value::Array(mut elements) => {
                elements.pop();
                Value::Array(elements)
            }
            other => other,
        },
        14 => match value.take() {
            Value::Array(mut elements) => {
                elements.extend(elements.last().cloned());
                Value::Array(elements)
            }
            Value::Number(number) => json!(number.as_u64().unwrap_or(0).wrapping_add(1)),
            other => other,
        },
        _ => match value.take() {
            Value::Array(mut elements) => {
                elements.reverse();
                Value::Array(elements)
            }
            Value::Number(number) => json!(number.as_u64().unwrap_or(0).wrapping_sub(1)),
            other => other,
        },
    };
}

async fn read_all(file: &[u8]) {
    let Ok(opened) = open_segment(file, file, u64::from(ROWS)).await else { return };
    for block in &opened.blocks {
        let _ = (block.times().await, block.sequences().await, block.indexes_at(&[0]).await);
        let _ = (block.min_time(), block.max_time(), block.stored_bytes());
        let mut fields = Vec::new();
        block.fields(&mut |field, kinds| fields.push((field.to_owned(), kinds)));
        for (field, kinds) in fields {
            for kind in FieldKind::ALL.into_iter().filter(|kind| kinds.contains(*kind)) {
                let _ = block.column(&field, kind).await;
                let _ = block.column_at(&field, kind, &[0, 2]).await;
            }
            let _ = block.templates(&field).await;
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let world = World::get();
    let mut description = world.description.clone();
    for edit in data.chunks_exact(3).take(6) {
        let mut place = usize::from(u16::from_le_bytes([edit[0], edit[1]]));
        if let Some(value) = at(&mut description, &mut place) {
            change(value, edit[2]);
        }
    }
    let file = world.with(&description);
    world.runtime.block_on(read_all(&file));
    let rows = segment_rows(&file);
    if description == world.description {
        assert_eq!(rows.expect("nothing was changed").len(), ROWS as usize);
    }
});
