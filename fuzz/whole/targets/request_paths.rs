//! Paths of requests: the secret of an endpoint's address is whole or none, and never in what is logged.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_http::testing;

fuzz_target!(|data: &[u8]| testing::request_path(data));
