//! Snappy blocks: a declared length takes no memory, limits hold, and what is compressed comes back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_protocols::testing;

fuzz_target!(|data: &[u8]| testing::snappy(data));
