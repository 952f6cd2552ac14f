//! The file with the tokens of whoever has signed in, by server. Only its owner can read it. Who changes it holds a
//! lock beside it, so that two commands do not both use up one refresh token.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use tidegauge_model::Timestamp;

use crate::client::address::address;

/// What is kept of a sign-in.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignIn {
    pub issuer: String,
    pub client_id: String,
    pub token_endpoint: String,
    pub revocation_endpoint: Option<String>,
    pub access_token: String,
    pub refresh_token: Option<String>,
    pub expires_at: String,
    /// What tells the issuer which service the tokens are for, with each request for some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
}

/// A parameter that says which service tokens are for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    pub parameter: String,
    pub value: String,
}

impl Target {
    /// As RFC 8707 has it.
    pub fn resource(value: String) -> Self {
        Self { parameter: "resource".to_owned(), value }
    }

    /// As some servers have it.
    pub fn audience(value: String) -> Self {
        Self { parameter: "audience".to_owned(), value }
    }

    pub fn pair(&self) -> (&str, &str) {
        (&self.parameter, &self.value)
    }
}

impl fmt::Debug for SignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SignIn({}, …, until {})", self.issuer, self.expires_at)
    }
}

impl SignIn {
    /// When the access token ends; what cannot be read has ended.
    pub fn expires_at(&self) -> Timestamp {
        Timestamp::parse(&self.expires_at).unwrap_or(Timestamp::from_micros(0))
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Content {
    servers: BTreeMap<String, SignIn>,
}

/// Where the tokens are kept.
#[derive(Clone, Debug)]
pub struct Store {
    path: PathBuf,
}

/// The right to change the file, as long as this lives.
#[derive(Debug)]
pub struct Turn {
    _lock: File,
}

/// The name of a server in the file.
pub fn name_of(server: &str) -> anyhow::Result<String> {
    Ok(address(server, &[])?.as_str().trim_end_matches('/').to_owned())
}

impl Store {
    /// The file that is told, or the one in the folder for settings, which is below the home unless another is told.
    pub fn new(file: Option<&Path>, folder: Option<&Path>, home: Option<&Path>) -> anyhow::Result<Self> {
        let folder = match (file, folder.filter(|folder| folder.is_absolute()), home) {
            (Some(file), _, _) => return Ok(Self { path: file.to_owned() }),
            (None, Some(folder), _) => folder.to_owned(),
            (None, None, Some(home)) => home.join(".config"),
            (None, None, None) => {
                bail!("there is no home folder to keep tokens in: set TIDEGAUGE_CREDENTIALS")
            }
        };
        Ok(Self { path: folder.join("tidegauge").join("credentials.json") })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn find(&self, server: &str) -> anyhow::Result<Option<SignIn>> {
        Ok(self.read()?.servers.remove(server))
    }

    /// Waits until nobody else changes the file.
    pub async fn turn(&self) -> anyhow::Result<Turn> {
        let path = self.beside("lock");
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let lock = tokio::task::spawn_blocking(move || {
            let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
            file.lock()?;
            Ok::<File, std::io::Error>(file)
        });
        let lock = lock.await?.with_context(|| format!("locking {}", self.path.display()))?;
        Ok(Turn { _lock: lock })
    }

    pub fn put(&self, _turn: &Turn, server: &str, sign_in: SignIn) -> anyhow::Result<()> {
        let mut content = self.read()?;
        content.servers.insert(server.to_owned(), sign_in);
        self.write(&content)
    }

    /// Forgets a sign-in, and gives what was kept of it.
    pub fn remove(&self, _turn: &Turn, server: &str) -> anyhow::Result<Option<SignIn>> {
        let mut content = self.read()?;
        let removed = content.servers.remove(server);
        if removed.is_some() {
            self.write(&content)?;
        }
        Ok(removed)
    }

    fn read(&self) -> anyhow::Result<Content> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Content::default()),
            Err(error) => return Err(error).with_context(|| format!("reading {}", self.path.display())),
        };
        serde_json::from_str(&text).ok().with_context(|| {
            format!("{} is not a file of tokens: remove it and sign in again", self.path.display())
        })
    }

    /// A half-written file must not take the place of a whole one.
    fn write(&self, content: &Content) -> anyhow::Result<()> {
        let draft = self.beside("draft");
        let write = || {
            let mut options = OpenOptions::new();
            // A draft that somebody left there might be readable to others.
            match std::fs::remove_file(&draft) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = options.write(true).create_new(true).mode(0o600).open(&draft)?;
            file.write_all(serde_json::to_string_pretty(content)?.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&draft, &self.path)
        };
        write().with_context(|| format!("writing {}", self.path.display()))
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".");
        name.push(ending);
        name.into()
    }
}
