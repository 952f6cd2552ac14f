//! Messages of the Model Context Protocol, with their headers: understood, or refused by a status of the client.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_http::testing;

fuzz_target!(|data: &[u8]| testing::mcp_message(data));
