//! Files of the WAL whose head is damaged, and losses that only a later record tells of.

use std::sync::Arc;

use tidegauge_model::DatasetId;

use super::{DATASET, Kept, Records, files, open_and_append, open_empty, payload, settings};
use crate::wal::file::FileHead;
use crate::wal::{DatasetKey, encode_file};

/// What is found of three files with two records each when a bit of a file's head is flipped, or the head is gone.
fn with_altered_head(number: usize, alter: impl Fn(&mut [u8])) -> (Records, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    // Room for two records in each file.
    let wal = open_empty(folder.path(), 24 + 2 * (48 + 56));
    let key = DatasetKey::of(&DatasetId::from(DATASET)).unwrap();
    for _ in 0..6 {
        let answer = wal.append(key, payload(1), Arc::new(Kept::default())).unwrap();
        answer.blocking_recv().unwrap().unwrap();
    }
    drop(wal);
    let paths = files(folder.path());
    assert_eq!(paths.len(), 3);
    let mut bytes = std::fs::read(&paths[number]).unwrap();
    alter(&mut bytes[..24]);
    std::fs::write(&paths[number], bytes).unwrap();
    let (found, accepted, damage) = open_and_append(folder.path(), &[9]);
    assert_eq!(accepted, [(7, 9)], "no sequence is given away twice, and none is left out");
    (found, damage)
}

#[test]
fn a_damaged_head_of_a_file_is_told_and_hides_no_records() {
    let all: Records = (1..=6).map(|sequence| (sequence, 1)).collect();
    for number in 0..3 {
        for bit in 0..24 * 8 {
            let (found, damage) = with_altered_head(number, |head| head[bit / 8] ^= 1 << (bit % 8));
            assert_eq!(found, all, "bit {bit} of file {number}");
            assert_eq!(damage.len(), 1, "bit {bit} of file {number}: {damage:?}");
            assert!(damage[0].starts_with("no events are missing, but bytes 0 to 24"), "{}", damage[0]);
        }
        assert_eq!(with_altered_head(number, |head| head.fill(0)).0, all);
        assert_eq!(with_altered_head(number, |head| head.fill(0xff)).0, all);
    }
}

#[test]
fn heads_from_before_they_had_a_checksum_are_read_if_their_numbers_can_be_right() {
    let head = |first: u64, acknowledged: u64| {
        [&b"TGLOG\0\0\x01"[..], &first.to_le_bytes(), &acknowledged.to_le_bytes()].concat()
    };
    let read = FileHead::decode(&head(4, 2), Some(4)).unwrap();
    assert_eq!(read, FileHead { first_sequence: 4, acknowledged: 2 });
    assert_eq!(FileHead::decode(&head(4, 2), None), Some(read));
    for (first, acknowledged) in [(5, 2), (4, 4), (4, u64::MAX), (1 << 63 | 4, 2)] {
        assert_eq!(FileHead::decode(&head(first, acknowledged), Some(4)), None);
    }
    let (all, damage) = with_altered_head(1, |bytes| bytes.copy_from_slice(&head(3, 2)));
    assert_eq!((all.len(), damage), (6, Vec::new()));
    // A sequence that is far too high hid all records of the file.
    let (all, damage) = with_altered_head(1, |bytes| bytes.copy_from_slice(&head(1 << 40 | 3, 2)));
    assert_eq!((all.len(), damage.len()), (6, 1));
}

#[test]
fn a_loss_is_told_though_the_next_record_was_of_the_same_write() {
    let folder = tempfile::tempdir().unwrap();
    let key = DatasetKey::of(&DatasetId::from(DATASET)).unwrap();
    let payload = payload(1);
    // One write of two records, and another after its sync.
    let synced = [24, 24, 24 + 2 * (48 + 56)];
    let records = (1..).zip(synced).map(|(sequence, synced)| (key, sequence, synced, &payload.encoded()[..]));
    let (mut bytes, ends) = encode_file(1, 0, records);
    assert_eq!(ends[1] as u64, synced[2]);
    bytes[24 + 60] ^= 1;
    std::fs::create_dir_all(settings(folder.path()).folder).unwrap();
    std::fs::write(folder.path().join("log/0000000000000001.log"), bytes).unwrap();
    let (found, _, damage) = open_and_append(folder.path(), &[]);
    assert_eq!((found, damage.len()), (vec![(2, 1), (3, 1)], 1));
    assert!(damage[0].starts_with(&format!("sequences 1 to 1 of {DATASET} cannot be read")), "{}", damage[0]);
}
