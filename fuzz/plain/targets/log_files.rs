//! Files of the log that were damaged: a start finds every record that is intact, invents none, tells of what was lost
//! between others, and finds the same the next time. A damaged head of a file hides nothing.

#![no_main]

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use tidegauge_fuzz_plain::edits::Edits;
use tidegauge_fuzz_plain::events::sample;
use tidegauge_model::DatasetId;
use tidegauge_store::Receipt;
use tidegauge_store::testing::{RecoveredWal, WalRecord, encode_wal_batch, wal_file, recover_wal};

const HEAD_BYTES: usize = 24;

/// A record that was written, and what became of it.
struct Written {
    record: WalRecord,
    file: usize,
    start: usize,
    is_intact: bool,
}

fn frames() -> &'static [Vec<u8>] {
    static FRAMES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    FRAMES.get_or_init(|| [0, 1, 2, 5].map(|rows| encode_wal_batch(&sample(rows), Receipt::default())).to_vec())
}

/// Up to three files. Each byte is a record: which frame, whether it begins a file, whether a sync came before it.
fn write(script: &[u8]) -> (Vec<(u64, Vec<u8>)>, Vec<Written>) {
    let mut groups: Vec<Vec<(WalRecord, bool)>> = vec![Vec::new()];
    for (sequence, step) in (1..).zip(script.iter().take(12)) {
        if step & 4 != 0 && groups.len() < 3 && groups.last().is_some_and(|group| !group.is_empty()) {
            groups.push(Vec::new());
        }
        let dataset = DatasetId::from(format!("dataset_{:032x}", step >> 6));
        let payload = frames()[usize::from(step & 3)].clone();
        let record = WalRecord { dataset, sequence, synced: 0, payload };
        groups.last_mut().expect("there is a file").push((record, step & 8 != 0));
    }
    let (mut files, mut all) = (Vec::new(), Vec::new());
    let mut first = 1;
    for (number, group) in groups.into_iter().enumerate() {
        let (mut position, mut synced) = (HEAD_BYTES as u64, HEAD_BYTES as u64);
        let mut records = Vec::new();
        for (mut record, is_new_write) in group {
            if is_new_write {
                synced = position;
            }
            record.synced = synced;
            position += 48 + record.payload.len().next_multiple_of(8) as u64;
            records.push(record);
        }
        let (bytes, ends) = wal_file(first, first - 1, &records).expect("ids are ids");
        let starts = std::iter::once(HEAD_BYTES).chain(ends.iter().copied());
        let next = first + records.len() as u64;
        all.extend(records.into_iter().zip(starts).map(|(record, start)| Written {
            record,
            file: number,
            start,
            is_intact: true,
        }));
        files.push((first, bytes));
        first = next;
    }
    (files, all)
}

fn folder() -> PathBuf {
    std::env::temp_dir().join(format!("tidegauge-fuzz-log-{}", std::process::id()))
}

fn recover(folder: &Path) -> RecoveredWal {
    recover_wal(folder).expect("the disk is in order")
}

fuzz_target!(|data: &[u8]| {
    let Some((script, rest)) = data.split_at_checked(12) else { return };
    let (files, mut written) = write(script);
    let folder = folder();
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("log")).expect("a folder can be made");
    let mut damaged_heads = HashSet::new();
    for (number, (first, whole)) in files.iter().enumerate() {
        let edits = rest.iter().copied().skip(number * 12).take(12).collect::<Vec<u8>>();
        let mut bytes = whole.clone();
        Edits(&edits).apply(&mut bytes);
        let is_same = |from: usize, to: usize| bytes.get(from..to) == Some(&whole[from..to]);
        if !is_same(0, HEAD_BYTES) {
            damaged_heads.insert(number);
        }
        for one in written.iter_mut().filter(|one| one.file == number) {
            one.is_intact = is_same(one.start, one.start + 48 + one.record.payload.len());
        }
        std::fs::write(folder.join(format!("log/{first:016x}.log")), bytes).expect("a file can be written");
    }
    let found = recover(&folder);
    check(&found, &written, &damaged_heads);
    let again = recover(&folder);
    assert_eq!(again.records, found.records, "another start finds something else");
    assert_eq!(again.last_sequence, found.last_sequence);
    let _ = std::fs::remove_dir_all(&folder);
});

fn check(found: &RecoveredWal, written: &[Written], damaged_heads: &HashSet<usize>) {
    let expected: Vec<(DatasetId, u64, Vec<u8>)> = written
        .iter()
        .filter(|one| one.is_intact)
        .map(|one| (one.record.dataset.clone(), one.record.sequence, one.record.payload.clone()))
        .collect();
    assert_eq!(found.records, expected, "every intact record is found, and no other");
    let last = expected.last().map_or(0, |(_, sequence, _)| *sequence);
    assert!(found.last_sequence >= last);
    let is_told = |sequence: u64| {
        found.damage.iter().any(|damage| (damage.first_sequence..=damage.last_sequence).contains(&sequence))
    };
    for lost in written.iter().filter(|one| !one.is_intact) {
        // Behind it stands one that was written after a sync of it: it was acknowledged.
        let is_certain =
            |one: &&Written| one.is_intact && one.file == lost.file && one.record.synced > lost.start as u64;
        if written.iter().any(|one| is_certain(&one)) {
            assert!(
                is_told(lost.record.sequence),
                "nobody tells of {}: {:?}",
                lost.record.sequence,
                found.damage
            );
        }
    }
    for number in damaged_heads {
        let has_records = written.iter().any(|one| one.file == *number && one.is_intact);
        let is_head = found.damage.iter().any(|damage| damage.from == 0);
        assert!(is_head || !has_records, "nobody tells of the head of file {number}");
    }
    if written.iter().all(|one| one.is_intact) && damaged_heads.is_empty() {
        assert_eq!(found.damage, [], "nothing is damaged");
    }
}
