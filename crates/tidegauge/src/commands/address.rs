//! Where people find the service. What `serve` listens on is known to it alone, so it writes the address down in the
//! data folder for commands that print links.

use std::path::Path;

use anyhow::Context;
use tidegauge_admission::config::PublicUrl;

use crate::config::Config;
use crate::config::arguments::SettingArguments;

const FILE: &str = "address";

/// Writes down where the service is found.
pub fn keep(data: &Path, address: &PublicUrl) -> anyhow::Result<()> {
    let path = data.join(FILE);
    std::fs::write(&path, format!("{address}\n")).with_context(|| format!("writing {}", path.display()))
}

/// Where the service is found: as the settings say, or where it was started last.
pub fn find(config: &Config, settings: &SettingArguments) -> PublicUrl {
    let is_told = config.public_url.is_some() || settings.given.iter().any(|given| given.key == "listen");
    let kept = if is_told { None } else { read(&config.data) };
    kept.unwrap_or_else(|| config.public_url_at(config.listen))
}

fn read(data: &Path) -> Option<PublicUrl> {
    let text = std::fs::read_to_string(data.join(FILE)).ok()?;
    PublicUrl::parse(text.trim()).ok()
}
