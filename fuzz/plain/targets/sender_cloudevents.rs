//! CloudEvents in headers: events or a refusal, and an event says whose it is.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_protocols::testing;

fuzz_target!(|data: &[u8]| testing::cloudevents_binary(data));
