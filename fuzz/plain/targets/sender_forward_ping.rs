//! Answers to the greeting of Fluent forward: each is told whether it is good, and nothing else.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_protocols::testing;

fuzz_target!(|data: &[u8]| testing::forward_ping(data));
