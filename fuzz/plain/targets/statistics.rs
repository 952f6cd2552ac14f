//! Statistics of segments as the catalogue keeps them: what can be read comes back when it is written again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_store::SegmentStats;

fn try_statistics(bytes: &[u8]) {
    let Ok(stats) = SegmentStats::decode(bytes) else { return };
    let written = stats.encode().expect("memory takes all bytes");
    let again = SegmentStats::decode(&written).expect("they read back");
    // As bytes, because a float may be none that equals itself.
    assert_eq!(again.encode().expect("memory takes all bytes"), written);
}

fuzz_target!(|data: &[u8]| {
    try_statistics(data);
    try_statistics(&zstd::bulk::compress(data, 1).expect("memory takes all bytes"));
});
