//! What the settings say of listeners, checked.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use tidegauge_egress::networks::{Network, NotANetwork};
use tidegauge_model::EndpointId;
pub use tidegauge_protocols::syslog::Zone;

/// Which ports there are; all are off unless named.
#[derive(Clone, Debug)]
pub struct ListenerSettings {
    pub syslog: Option<SyslogSettings>,
    pub gelf: Option<GelfSettings>,
    pub fluent: Option<FluentSettings>,
    /// Connections of all of them together.
    pub connections_max: usize,
}

/// Who may send, and where it goes.
#[derive(Clone, Debug)]
pub struct Senders {
    pub endpoint: EndpointId,
    pub networks: Networks,
}

#[derive(Clone, Debug)]
pub struct SyslogSettings {
    pub udp: Option<SocketAddr>,
    pub tcp: Option<SocketAddr>,
    pub tls: Option<TlsPort>,
    /// That of the clocks of senders, for times that name none.
    pub zone: Zone,
    pub senders: Senders,
}

/// A port that is encrypted.
#[derive(Clone, Debug)]
pub struct TlsPort {
    pub address: SocketAddr,
    pub cert: PathBuf,
    pub key: PathBuf,
    /// Who must have signed the certificates of senders. Such a certificate counts as much as a named network.
    pub client_ca: Option<PathBuf>,
}

#[derive(Clone, Debug)]
pub struct GelfSettings {
    pub udp: Option<SocketAddr>,
    pub tcp: Option<SocketAddr>,
    pub senders: Senders,
}

#[derive(Clone)]
pub struct FluentSettings {
    pub address: SocketAddr,
    /// What senders must know, if anything.
    pub shared_key: Option<String>,
    pub senders: Senders,
}

impl fmt::Debug for FluentSettings {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FluentSettings").field("address", &self.address).finish_non_exhaustive()
    }
}

/// The networks that may send; nobody unless some are named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Networks(Vec<Network>);

impl Networks {
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for Networks {
    type Err = NotANetwork;

    /// Reads networks with commas between them.
    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let networks = text.split(',').map(str::trim).filter(|network| !network.is_empty());
        networks.map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}
