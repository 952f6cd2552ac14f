//! Bodies of Logplex: events or a refusal, and what is announced and not there is counted within a limit.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_protocols::testing;

fuzz_target!(|data: &[u8]| testing::logplex(data));
