//! Networks, as the settings of listeners and proxies name them: one holds its own address, and a shorter one all that a
//! longer one holds.

#![no_main]

use std::net::IpAddr;

use libfuzzer_sys::fuzz_target;
use tidegauge_egress::networks::Network;

fuzz_target!(|text: &str| {
    // A network, and on the next line an address.
    let (written, other) = text.split_once('\n').unwrap_or((text, ""));
    let Ok(network) = written.parse::<Network>() else { return };
    let (own, length) = written.split_once('/').unwrap_or((written, ""));
    let own: IpAddr = own.parse().expect("a network begins with an address");
    // An IPv4 address inside of an IPv6 one counts as itself, and so is in no network of IPv6.
    if own.to_canonical() == own {
        assert!(network.contains(own), "{written} holds its own address");
    }
    let Ok(other) = other.parse::<IpAddr>() else { return };
    if !network.contains(other) {
        return;
    }
    let whole = if own.is_ipv4() { 32 } else { 128 };
    let length: u32 = length.parse().unwrap_or(whole);
    for shorter in 0..=length {
        let wider: Network = format!("{own}/{shorter}").parse().expect("it is shorter");
        assert!(wider.contains(other), "{own}/{shorter} holds {other}, as {written} does");
    }
});
