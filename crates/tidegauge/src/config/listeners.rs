//! The settings of listeners, checked: which ports there are, who may send to them, and which endpoint they belong to.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::Deserialize;
use tidegauge_http::serve::TlsFiles;
use tidegauge_listeners::settings::{
    FluentSettings, GelfSettings, ListenerSettings, Networks, Senders, SyslogSettings, TlsPort,
};
use tidegauge_model::EndpointId;

use super::error::{Error, setting};
use super::hidden::Hidden;

/// The settings as they are written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListenersSettings {
    pub otlp_grpc_listen: String,
    pub syslog_udp: String,
    pub syslog_tcp: String,
    pub syslog_tls: String,
    pub syslog_client_ca: PathBuf,
    pub syslog_zone: String,
    pub syslog_networks: String,
    pub syslog_endpoint: String,
    pub gelf_udp: String,
    pub gelf_tcp: String,
    pub gelf_networks: String,
    pub gelf_endpoint: String,
    pub fluent_listen: String,
    pub fluent_shared_key: Hidden,
    pub fluent_networks: String,
    pub fluent_endpoint: String,
    pub max_listener_connections: usize,
}

pub(super) fn checked(written: ListenersSettings, tls: Option<&TlsFiles>) -> Result<ListenerSettings, Error> {
    Ok(ListenerSettings {
        syslog: syslog(&written, tls)?,
        gelf: gelf(&written)?,
        fluent: fluent(&written)?,
        connections_max: written.max_listener_connections.max(1),
    })
}

fn syslog(written: &ListenersSettings, tls: Option<&TlsFiles>) -> Result<Option<SyslogSettings>, Error> {
    let udp = address("syslog_udp", &written.syslog_udp)?;
    let tcp = address("syslog_tcp", &written.syslog_tcp)?;
    let encrypted = address("syslog_tls", &written.syslog_tls)?;
    if udp.is_none() && tcp.is_none() && encrypted.is_none() {
        return Ok(None);
    }
    let client_ca = Some(written.syslog_client_ca.clone()).filter(|file| !file.as_os_str().is_empty());
    // A certificate proves who sends, where nothing comes in without one.
    let is_proved = client_ca.is_some() && udp.is_none() && tcp.is_none();
    let tls = match (encrypted, tls) {
        (None, _) => None,
        (Some(_), None) => return Err(setting("syslog_tls", "needs tls_cert and tls_key to be set")),
        (Some(address), Some(files)) => {
            Some(TlsPort { address, cert: files.cert.clone(), key: files.key.clone(), client_ca })
        }
    };
    let networks = networks("syslog_networks", &written.syslog_networks, is_proved)?;
    Ok(Some(SyslogSettings {
        udp,
        tcp,
        tls,
        zone_offset_seconds: zone(&written.syslog_zone)?,
        senders: Senders { endpoint: endpoint("syslog_endpoint", &written.syslog_endpoint)?, networks },
    }))
}

fn gelf(written: &ListenersSettings) -> Result<Option<GelfSettings>, Error> {
    let (udp, tcp) = (address("gelf_udp", &written.gelf_udp)?, address("gelf_tcp", &written.gelf_tcp)?);
    if udp.is_none() && tcp.is_none() {
        return Ok(None);
    }
    let networks = networks("gelf_networks", &written.gelf_networks, false)?;
    let senders = Senders { endpoint: endpoint("gelf_endpoint", &written.gelf_endpoint)?, networks };
    Ok(Some(GelfSettings { udp, tcp, senders }))
}

fn fluent(written: &ListenersSettings) -> Result<Option<FluentSettings>, Error> {
    let Some(address) = address("fluent_listen", &written.fluent_listen)? else { return Ok(None) };
    let networks = networks("fluent_networks", &written.fluent_networks, false)?;
    let Hidden(key) = &written.fluent_shared_key;
    Ok(Some(FluentSettings {
        address,
        shared_key: Some(key.clone()).filter(|key| !key.is_empty()),
        senders: Senders { endpoint: endpoint("fluent_endpoint", &written.fluent_endpoint)?, networks },
    }))
}

pub(super) fn address(key: &'static str, text: &str) -> Result<Option<SocketAddr>, Error> {
    if text.is_empty() {
        return Ok(None);
    }
    let parsed = text.parse();
    parsed.map(Some).map_err(|_| setting(key, format!("{text:?} is not an address such as 127.0.0.1:514")))
}

fn networks(key: &'static str, text: &str, is_proved: bool) -> Result<Networks, Error> {
    let networks: Networks = text.parse().map_err(|error| setting(key, format!("{error}")))?;
    if networks.is_empty() && !is_proved {
        let problem =
            "must name the networks that may send, such as 10.1.0.0/16, because nothing proves who does";
        return Err(setting(key, problem));
    }
    Ok(networks)
}

fn endpoint(key: &'static str, text: &str) -> Result<EndpointId, Error> {
    let problem =
        "must be the id of the endpoint that what comes in belongs to: make one with POST /v2/endpoints";
    EndpointId::parse(text).ok_or_else(|| setting(key, problem))
}

/// How far a clock is ahead of UTC, in the form `+02:00`.
fn zone(text: &str) -> Result<i32, Error> {
    let wrong = || setting("syslog_zone", format!("{text:?} is not an offset such as +02:00"));
    let (sign, rest) = match text.split_at_checked(1) {
        Some(("+", rest)) => (1, rest),
        Some(("-", rest)) => (-1, rest),
        _ => return Err(wrong()),
    };
    let number = |text: &str, max: i32| {
        let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number: i32 = is_number.then(|| text.parse().ok()).flatten()?;
        (number <= max).then_some(number)
    };
    let (hours, minutes) = rest.split_once(':').ok_or_else(wrong)?;
    let hours = number(hours, 14).ok_or_else(wrong)?;
    let minutes = number(minutes, 59).ok_or_else(wrong)?;
    Ok(sign * (hours * 3_600 + minutes * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_read() {
        for (text, seconds) in [("+00:00", 0), ("+02:00", 7_200), ("-03:30", -12_600), ("+14:00", 50_400)] {
            assert_eq!(zone(text).unwrap(), seconds, "{text}");
        }
        for text in ["", "Z", "02:00", "+2:00", "+02:60", "+15:00", "+0200", "+02:00 ", "ä2:00"] {
            assert!(zone(text).is_err(), "{text}");
        }
    }
}
