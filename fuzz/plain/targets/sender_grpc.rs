//! Calls of gRPC: a frame is what it says, and a refusal is made of headers whatever its text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_protocols::testing;

fuzz_target!(|data: &[u8]| testing::grpc(data));
