//! How a command that is a client reaches its server: where it is, whose token is sent, and the things that are there.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use reqwest::Method;
use serde_json::Value;
use tidegauge_model::time::SystemClock;

use super::output::{self, List};
use crate::arguments::path_or_nothing;
use crate::client::address::address;
use crate::client::bearer::Bearer;
use crate::client::oauth::signed_in::SignedIn;
use crate::client::oauth::store::{self, Store};
use crate::client::organisation;
use crate::client::resources::Resources;

/// Where a server is that nobody said anything of.
pub const URL: &str = "http://127.0.0.1:8080";

#[derive(Debug, Args)]
pub struct ServerArguments {
    /// Address of the server.
    #[arg(long, env = "TIDEGAUGE_URL", default_value = URL, value_parser = url)]
    url: String,
    /// Token of the caller. Better given by the environment or a file: other users can read flags.
    #[arg(long, env = "TIDEGAUGE_TOKEN", hide_env_values = true)]
    token: Option<Secret>,
    /// File with the token; it counts more than the token itself.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Organisation to act in, by its name or its id, for somebody who belongs to several.
    #[arg(long, env = "TIDEGAUGE_ORG", value_name = "NAME|ID")]
    org: Option<String>,
    #[command(flatten)]
    credentials: CredentialArguments,
}

/// A server, and who asks it in which organisation.
#[derive(Clone, Debug)]
pub struct Connection {
    pub url: String,
    pub bearer: Bearer,
    /// By its id.
    pub org: Option<String>,
}

/// Where the tokens of a sign-in are kept.
#[derive(Debug, Args)]
pub struct CredentialArguments {
    /// File with the tokens of `tidegauge login`, instead of tidegauge/credentials.json in the folder for settings.
    #[arg(long, env = "TIDEGAUGE_CREDENTIALS", value_name = "FILE", value_parser = path_or_nothing())]
    credentials: Option<PathBuf>,
    #[arg(long, env = "XDG_CONFIG_HOME", value_name = "FOLDER", hide = true, value_parser = path_or_nothing())]
    config_folder: Option<PathBuf>,
}

impl CredentialArguments {
    pub fn store(&self) -> anyhow::Result<Store> {
        let home = std::env::home_dir();
        let file = self.credentials.as_deref().filter(|file| !file.as_os_str().is_empty());
        Store::new(file, self.config_folder.as_deref(), home.as_deref())
    }
}

/// Reads the address of a server. Nothing at all counts as not given, as it does for a token.
pub fn url(text: &str) -> anyhow::Result<String> {
    if text.trim().is_empty() {
        return Ok(URL.to_owned());
    }
    address(text, &[])?;
    Ok(text.to_owned())
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
    /// Whose token is sent: the one that was given, or that of whoever has signed in at the server.
    pub fn bearer(&self) -> anyhow::Result<Bearer> {
        let given = match (&self.token_file, &self.token) {
            (Some(path), _) => token_in(path)?,
            // A variable that is set to nothing is how many environments say that there is none.
            (None, Some(Secret(token))) if !token.trim().is_empty() => token.clone(),
            (None, _) => return self.signed_in(),
        };
        Ok(Bearer::Given(given.trim().to_owned()))
    }

    /// Where requests go and whose they are. The name of an organisation becomes its id.
    pub async fn connect(&self) -> anyhow::Result<Connection> {
        let bearer = self.bearer()?;
        let org = match self.org.as_deref().map(str::trim).filter(|org| !org.is_empty()) {
            Some(org) => Some(organisation::id_of(&self.url, &bearer, org).await?),
            None => None,
        };
        Ok(Connection { url: self.url.clone(), bearer, org })
    }

    /// The things of the server, as the caller may see them.
    pub async fn resources(&self) -> anyhow::Result<Resources> {
        let Connection { url, bearer, org } = self.connect().await?;
        Resources::new(&url, bearer, org.as_deref())
    }

    /// Prints all things of a kind: a row for each, or what the server says of them.
    pub async fn list<const COLUMNS: usize>(
        &self,
        path: &[&str],
        is_json: bool,
        mut list: List,
        row: fn(&Value) -> [String; COLUMNS],
    ) -> anyhow::Result<()> {
        let things = self.resources().await?.call(Method::GET, path, None).await?;
        if is_json {
            return output::json(&things);
        }
        things.as_array().into_iter().flatten().for_each(|thing| list.add(row(thing)));
        list.print()
    }

    fn signed_in(&self) -> anyhow::Result<Bearer> {
        let (store, server) = (self.credentials.store()?, store::name_of(&self.url)?);
        if store.find(&server)?.is_none() {
            bail!(
                "sign in with `tidegauge login --url {server}`, or give a token with --token-file or the environment \
                 variable TIDEGAUGE_TOKEN"
            );
        }
        Ok(Bearer::SignedIn(Arc::new(SignedIn::new(store, server, Arc::new(SystemClock))?)))
    }
}

fn token_in(path: &Path) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    if text.trim().is_empty() {
        bail!("{} is empty: write the token into it", path.display());
    }
    Ok(text)
}
