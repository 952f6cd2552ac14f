//! Stretches of addresses in the form `10.1.0.0/16`, for lists of networks that an operator trusts.

use std::net::IpAddr;
use std::str::FromStr;

/// A stretch of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    first: IpAddr,
    length: u32,
}

/// The text is not a network.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a network such as 10.1.0.0/16 or fd00::/8")]
pub struct NotANetwork(String);

impl Network {
    /// Whether the address is one of the stretch. An IPv4 address inside an IPv6 one counts as itself.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address.to_canonical()) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                (first.to_bits() ^ address.to_bits()).leading_zeros() >= self.length
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                (first.to_bits() ^ address.to_bits()).leading_zeros() >= self.length
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = NotANetwork;

    /// Reads a network; an address alone stands for itself.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || NotANetwork(text.chars().take(64).collect());
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let first: IpAddr = address.parse().map_err(|_| refused())?;
        let whole = if first.is_ipv4() { 32 } else { 128 };
        let length = match length {
            None => whole,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().map_err(|_| refused())?
            }
            Some(_) => return Err(refused()),
        };
        if length > whole {
            return Err(refused());
        }
        Ok(Self { first, length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_hold_their_addresses_alone() {
        let cases = [
            ("10.1.0.0/16", "10.1.255.255", true),
            ("10.1.0.0/16", "10.2.0.0", false),
            ("10.1.0.0/16", "::ffff:10.1.2.3", true),
            ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "127.0.0.2", false),
            ("0.0.0.0/0", "8.8.8.8", true),
            ("0.0.0.0/0", "fd00::1", false),
            ("fd00::/8", "fd12::1", true),
            ("fd00::/8", "fe80::1", false),
            ("::1/128", "::1", true),
        ];
        for (network, address, expected) in cases {
            let network: Network = network.parse().unwrap();
            assert_eq!(network.contains(address.parse().unwrap()), expected, "{network:?} {address}");
        }
        for wrong in
            ["", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "::/129", "localhost", "10/8"]
        {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
    }
}
