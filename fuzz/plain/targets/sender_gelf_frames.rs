//! Messages of GELF over a connection, in pieces: the same however they are cut, events or a refusal, within the limits.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_protocols::testing;

fuzz_target!(|data: &[u8]| testing::gelf_frames(data));
