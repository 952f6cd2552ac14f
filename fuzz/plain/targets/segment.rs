//! Segment files that were damaged: their checksums tell, and whatever a query reads of one is what was written, or an
//! error.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use tidegauge_fuzz_plain::edits::Edits;
use tidegauge_fuzz_plain::events::sample;
use tidegauge_model::FieldKind;
use tidegauge_store::testing::{encode_segment, is_whole, open_segment, segment_rows};
use tidegauge_store::{Block, Scalar, Predicate};
use tokio::runtime::Runtime;

const ROWS: u64 = 60;

/// What was read, or why not, of each thing that can be.
type Read = Vec<(String, Result<String, String>)>;

struct World {
    runtime: Runtime,
    file: Vec<u8>,
    whole: Read,
}

impl World {
    fn get() -> &'static Self {
        static WORLD: OnceLock<World> = OnceLock::new();
        WORLD.get_or_init(|| {
            let runtime =
                tokio::runtime::Builder::new_current_thread().build().expect("a runtime can be made");
            let file = encode_segment(&[sample(20), sample(40)]).expect("a segment can be written");
            assert_eq!(is_whole(&file), (true, true));
            assert_eq!(segment_rows(&file).expect("it can be read").len() as u64, ROWS);
            let whole = read(&runtime, &file, &file);
            assert!(whole.iter().all(|(_, read)| read.is_ok()), "{whole:?}");
            assert!(whole.len() > 15);
            Self { runtime, file, whole }
        })
    }
}

fn read(runtime: &Runtime, bytes: &[u8], written: &[u8]) -> Read {
    runtime.block_on(async {
        let mut all = Vec::new();
        match open_segment(bytes, written, ROWS).await {
            Ok(opened) => {
                for block in &opened.blocks {
                    read_block(block, &mut all).await;
                }
            }
            Err(error) => all.push(("footer".to_owned(), Err(error.to_string()))),
        }
        all
    })
}

async fn read_block(block: &Block, all: &mut Read) {
    let shown = |read: tidegauge_store::Result<String>| read.map_err(|error| error.to_string());
    let mut fields = Vec::new();
    block.fields(&mut |field, kinds| fields.push((field.to_owned(), kinds)));
    fields.sort_by(|one, other| one.0.cmp(&other.0));
    let mut note = |name: String, read| all.push((name, shown(read)));
    note("times".to_owned(), block.times().await.map(|times| format!("{times:?}")));
    note("arrivals".to_owned(), block.arrivals().await.map(|times| format!("{times:?}")));
    note("sequences".to_owned(), block.sequences_at(&[0, 3]).await.map(|found| format!("{found:?}")));
    note("indexes".to_owned(), block.indexes().await.map(|found| format!("{found:?}")));
    for (field, kinds) in fields {
        for kind in FieldKind::ALL.into_iter().filter(|kind| kinds.contains(*kind)) {
            let name = |what: &str| format!("{what} {field:?} {kind:?}");
            note(name("all of"), block.column(&field, kind).await.map(|column| format!("{column:?}")));
            let some = block.column_at(&field, kind, &[1, 2, 30]).await;
            note(name("some of"), some.map(|column| format!("{column:?}")));
            let test = Predicate::Equal(Scalar::String("request 1"));
            note(name("a test of"), block.may_pass(&field, kind, &test).await.map(|may| may.to_string()));
        }
        let templates = block.templates(&field).await;
        note(
            format!("templates of {field}"),
            templates.map(|found| format!("{:?}", found.map(|found| found.len()))),
        );
    }
}

fuzz_target!(|data: &[u8]| {
    let world = World::get();
    let mut bytes = world.file.clone();
    Edits(data).apply(&mut bytes);
    let is_same = bytes == world.file;
    assert_eq!(is_whole(&bytes).0, is_same, "the checksum of the whole file tells");
    for (name, read) in read(&world.runtime, &bytes, &world.file) {
        let Ok(read) = read else { continue };
        let was = world.whole.iter().find(|(own, _)| *own == name).map(|(_, was)| was);
        // Templates are left out when they are damaged: they say nothing that the column does not.
        let is_left_out = name.starts_with("templates") && read == "None";
        assert!(is_left_out || was == Some(&Ok(read)), "{name} is another");
    }
});
