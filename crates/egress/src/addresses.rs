//! Which addresses are public: those that everybody can reach, and nobody's own network. What stands for another
//! address inside it counts as not public, whatever that is.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Stretches of addresses that are not public, each by its first address and the length of what they share.
const NOT_PUBLIC_V4: [(Ipv4Addr, u32); 15] = [
    // This network, private ones, and the one between a carrier and its customers.
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // The link, where clouds have the secrets of their machines.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Many at once, and what is kept for later.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Of the addresses that are given out at all, those that are special, hold another address, or are for documents.
const NOT_PUBLIC_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// The part of all addresses that is given out for single hosts.
const GIVEN_OUT_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !NOT_PUBLIC_V4.iter().any(|stretch| is_in_v4(address, *stretch)),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(inner) => is_public(inner.into()),
            None => {
                is_in_v6(address, GIVEN_OUT_V6)
                    && !NOT_PUBLIC_V6.iter().any(|stretch| is_in_v6(address, *stretch))
            }
        },
    }
}

fn is_in_v4(address: Ipv4Addr, (first, length): (Ipv4Addr, u32)) -> bool {
    (address.to_bits() ^ first.to_bits()).leading_zeros() >= length
}

fn is_in_v6(address: Ipv6Addr, (first, length): (Ipv6Addr, u32)) -> bool {
    (address.to_bits() ^ first.to_bits()).leading_zeros() >= length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_everybody_can_reach_are_public() {
        for text in
            ["1.1.1.1", "93.184.215.14", "100.63.255.255", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"]
        {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.9",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001:db8::1",
            "2001::1",
            "2002:7f00:1::",
            "3fff::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }
}
