//! The proxies before the service whose word on where a request comes from is believed.

use std::net::IpAddr;
use std::str::FromStr;

use tidegauge_egress::networks::{Network, NotANetwork};

/// The networks that such proxies are in; none unless the operator names some.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<Network>);

impl TrustedProxies {
    /// Whether an address is that of such a proxy.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }
}

impl FromStr for TrustedProxies {
    type Err = NotANetwork;

    /// Reads networks with commas between them.
    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let networks = text.split(',').map(str::trim).filter(|network| !network.is_empty());
        networks.map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}
