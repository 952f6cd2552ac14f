//! What proxies say of where a request comes from: nobody who is not trusted is believed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_http::testing;

fuzz_target!(|data: &[u8]| testing::forwarded_for(data));
