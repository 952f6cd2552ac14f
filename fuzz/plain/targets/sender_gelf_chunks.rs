//! Datagrams of GELF, and the messages that they come to: events or a refusal, within the limits, and as many events as
//! there are rows.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_protocols::testing;

fuzz_target!(|data: &[u8]| testing::gelf_chunks(data));
