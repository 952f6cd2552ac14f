//! Addresses of version 4 that stand in a text, bounded by what is neither letter nor digit.

use std::net::Ipv4Addr;

use super::network::Network;

/// The beginning of an address: some of its four numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beginning {
    numbers: [u8; 4],
    count: usize,
}

impl Beginning {
    /// A whole address, or one to three numbers with a dot behind each.
    pub(super) fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Some(Self { numbers: address.octets(), count: 4 });
        }
        let front = text.strip_suffix('.')?;
        let count = front.split('.').count();
        if count > 3 {
            return None;
        }
        let whole = format!("{front}{}", ".0".repeat(4 - count));
        Some(Self { numbers: whole.parse::<Ipv4Addr>().ok()?.octets(), count })
    }

    fn begins(self, address: Ipv4Addr) -> bool {
        address.octets()[..self.count] == self.numbers[..self.count]
    }
}

/// Whether a text holds an address that begins so. What is no beginning is in no text.
pub(super) fn has_beginning(text: &str, beginnings: &[Option<Beginning>]) -> bool {
    mentioned(text).any(|address| beginnings.iter().flatten().any(|beginning| beginning.begins(address)))
}

/// Whether a text holds an address of one of the networks.
pub(super) fn has_address(text: &str, networks: &[Option<Network>]) -> bool {
    mentioned(text).any(|address| {
        let address = Network::of_address(address);
        networks.iter().flatten().any(|network| network.contains(address))
    })
}

/// The addresses in a text: longest runs of digits and dots. Dots around an address end a sentence.
fn mentioned(text: &str) -> impl Iterator<Item = Ipv4Addr> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let mut rest = 0;
    std::iter::from_fn(move || {
        loop {
            let begin = rest + text[rest..].find(is_part)?;
            let end = text[begin..].find(|c| !is_part(c)).map_or(text.len(), |length| begin + length);
            rest = end;
            let run = text[begin..end].trim_matches('.');
            let is_bounded = |neighbour: Option<char>| !neighbour.is_some_and(char::is_alphanumeric);
            let is_free =
                is_bounded(text[..begin].chars().next_back()) && is_bounded(text[end..].chars().next());
            if let Some(address) = run.parse().ok().filter(|_| is_free) {
                return Some(address);
            }
        }
    })
}
