//! How a command that is a client reaches its server: where it is and whose token is sent.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, bail};
use clap::Args;

#[derive(Debug, Args)]
pub struct ServerArguments {
    /// Address of the server.
    #[arg(long, env = "TIDEGAUGE_URL", default_value = "http://127.0.0.1:8080")]
    pub url: String,
    /// Token of the caller. Better given by the environment or a file: other users can read flags.
    #[arg(long, env = "TIDEGAUGE_TOKEN", hide_env_values = true)]
    token: Option<Secret>,
    /// File with the token; it counts more than the token itself.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Id of the organisation, for a personal token of somebody in several.
    #[arg(long)]
    pub org: Option<String>,
}

/// A text that does not print itself.
#[derive(Clone)]
struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}

impl FromStr for Secret {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

impl ServerArguments {
    pub fn token(&self) -> anyhow::Result<String> {
        let token = match (&self.token_file, &self.token) {
            (Some(path), _) => {
                std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?
            }
            (None, Some(Secret(token))) => token.clone(),
            (None, None) => {
                bail!("give a token with --token-file or the environment variable TIDEGAUGE_TOKEN")
            }
        };
        Ok(token.trim().to_owned())
    }
}
