//! The settings of listeners, checked: which ports there are, who may send to them, and which endpoint they belong to.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::Deserialize;
use tidegauge_http::serve::TlsFiles;
use tidegauge_lang::nearest;
use tidegauge_listeners::settings::{
    FluentSettings, GelfSettings, ListenerSettings, Networks, Senders, SyslogSettings, TlsPort, Zone,
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
        zone: zone(&written.syslog_zone)?,
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

/// The zone of syslog's senders. A name that is none is told with the one that may be meant.
fn zone(text: &str) -> Result<Zone, Error> {
    text.parse::<Zone>().map_err(|_| {
        let names: Vec<String> = Zone::names().collect();
        let meant = zone_meant(text, &names).map(|near| format!("; did you mean {near:?}?"));
        setting(
            "syslog_zone",
            format!(
                "{text:?} is neither an offset such as +02:00 nor a time zone such as Europe/Berlin{}",
                meant.unwrap_or_default()
            ),
        )
    })
}

/// By its last part alone, as people call it, or by a slip.
fn zone_meant<'a>(text: &str, names: &'a [String]) -> Option<&'a str> {
    let is_place = |name: &&str| name.rsplit('/').next().is_some_and(|last| last.eq_ignore_ascii_case(text));
    names
        .iter()
        .map(String::as_str)
        .find(is_place)
        .or_else(|| nearest(text, names.iter().map(String::as_str)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_offsets_or_names() {
        for text in ["+00:00", "-03:30", "UTC", "Europe/Berlin", "america/new_york"] {
            assert!(zone(text).is_ok(), "{text}");
        }
        for (text, meant) in [
            ("Europe/Berln", "; did you mean \"Europe/Berlin\"?"),
            ("berlin", "; did you mean \"Europe/Berlin\"?"),
            ("+2:00", "such as Europe/Berlin"),
            ("nowhere at all", "such as Europe/Berlin"),
        ] {
            let told = zone(text).unwrap_err().to_string();
            assert!(told.contains("syslog_zone") && told.contains(text) && told.ends_with(meant), "{told}");
        }
    }
}
