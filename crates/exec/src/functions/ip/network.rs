//! An address with how many of its first bits count, as texts write it: `10.0.0.0/8`, `2001:db8::/32`. Addresses of
//! both versions share one space, in which those of version 4 lie behind `::ffff:0:0/96`.

use std::net::{Ipv4Addr, Ipv6Addr};

#[derive(Clone, Copy, Debug)]
pub(super) struct Network {
    bits: u128,
    length: u8,
}

/// The bits in front of an address of version 4.
const BEFORE_V4: u8 = 96;

impl Network {
    /// An address of version 4, with or without a length.
    pub(super) fn of_v4(text: &str) -> Option<Self> {
        let (address, length) = parts(text, 32)?;
        let address: Ipv4Addr = address.parse().ok()?;
        Some(Self::of_bits(address, length))
    }

    /// An address of either version.
    pub(super) fn of_any(text: &str) -> Option<Self> {
        if let Some(network) = Self::of_v4(text) {
            return Some(network);
        }
        let (address, length) = parts(text, 128)?;
        let address: Ipv6Addr = address.parse().ok()?;
        Some(Self { bits: address.to_bits(), length })
    }

    /// An address of version 4 that is written as a number.
    pub(super) fn of_number(text: &str) -> Option<Self> {
        let number: u32 = text.trim().parse().ok()?;
        Some(Self::of_bits(Ipv4Addr::from_bits(number), 32))
    }

    pub(super) fn of_address(address: Ipv4Addr) -> Self {
        Self::of_bits(address, 32)
    }

    fn of_bits(address: Ipv4Addr, length: u8) -> Self {
        Self { bits: address.to_ipv6_mapped().to_bits(), length: BEFORE_V4 + length }
    }

    /// With no more than so many bits that count.
    pub(super) fn cut(self, length: u8) -> Self {
        Self { length: self.length.min(length), ..self }
    }

    /// With no more than so many bits of an address of version 4 that count. None for what is no length of it.
    pub(super) fn cut_v4(self, length: i64) -> Option<Self> {
        let length = u8::try_from(length).ok().filter(|length| *length <= 32)?;
        Some(self.cut(BEFORE_V4 + length))
    }

    /// With no more than so many bits of an address of version 6 that count.
    pub(super) fn cut_v6(self, length: i64) -> Option<Self> {
        let length = u8::try_from(length).ok().filter(|length| *length <= 128)?;
        Some(self.cut(length))
    }

    /// The bits that count; the others are zero.
    fn base(self) -> u128 {
        if self.length == 0 { 0 } else { self.bits & (u128::MAX << (128 - self.length)) }
    }

    /// The address of version 4 without the bits that do not count.
    pub(super) fn base_v4(self) -> Ipv4Addr {
        let [.., a, b, c, d] = self.base().to_be_bytes();
        Ipv4Addr::new(a, b, c, d)
    }

    /// How many bits of an address of version 4 count.
    pub(super) fn length_v4(self) -> u8 {
        self.length.saturating_sub(BEFORE_V4)
    }

    /// Which of two comes first, by the bits that count in both.
    pub(super) fn compare(self, other: Self) -> std::cmp::Ordering {
        self.cut(other.length).base().cmp(&other.cut(self.length).base())
    }

    /// Whether an address lies in it. That one's own length makes its last bits zero.
    pub(super) fn contains(self, address: Self) -> bool {
        let address = Self { bits: address.base(), length: 128 };
        address.cut(self.length).base() == self.base()
    }
}

/// The address and how many of its bits count: all where no length is behind it.
fn parts(text: &str, longest: u8) -> Option<(&str, u8)> {
    let Some((address, length)) = text.trim().split_once('/') else { return Some((text.trim(), longest)) };
    let is_number = length.bytes().all(|byte| byte.is_ascii_digit());
    let length = length.parse().ok().filter(|length| is_number && *length <= longest)?;
    Some((address, length))
}
