//! Starts the binary on a free port and talks to it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;

use reqwest::{Client, RequestBuilder};
use serde_json::Value;
use tempfile::TempDir;
use tidegauge_app::secret_key;
use tidegauge_catalog::{Catalog, Location};
use tidegauge_model::OrgId;
use tidegauge_model::os_rng::OsRng;
use tidegauge_model::time::SystemClock;
use tidegauge_store::{Store, StoreSettings};

use crate::database::{Backend, new_postgres_database};
use crate::waiting::WAIT_MAX;

const BINARY: &str = env!("CARGO_BIN_EXE_tidegauge");

/// Where an installation keeps its things, over any number of starts.
pub(crate) struct Installation {
    folder: TempDir,
    settings: Vec<String>,
    postgres: Option<String>,
}

impl Installation {
    pub(crate) fn new(backend: Backend) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = vec!["--data".to_owned(), folder.path().join("data").display().to_string()];
        let postgres = (backend == Backend::Postgres).then(new_postgres_database);
        settings.extend(postgres.iter().flat_map(|url| ["--catalog".to_owned(), url.clone()]));
        Self { folder, settings, postgres }
    }

    /// One whose first start finds an empty database. In PostgreSQL, others find a catalogue in which nothing was done yet.
    pub(crate) fn empty(backend: Backend) -> Self {
        let installation = Self::new(backend);
        installation.tell_database(|_| "DROP SCHEMA public CASCADE; CREATE SCHEMA public".to_owned());
        installation
    }

    /// Host and port of its PostgreSQL server.
    pub(crate) fn database_server(&self) -> String {
        let (address, _) = self.postgres.as_ref().unwrap().rsplit_once('/').unwrap();
        address.rsplit_once('@').unwrap().1.to_owned()
    }

    /// Has the service reach its PostgreSQL server by another address. This process goes on to use that of the server.
    pub(crate) fn behind(mut self, address: SocketAddr) -> Self {
        let server = self.database_server();
        for setting in &mut self.settings {
            if Some(&*setting) == self.postgres.as_ref() {
                *setting = setting.replacen(&server, &address.to_string(), 1);
            }
        }
        self
    }

    /// The catalogue of the installation, opened by this process, also beside the service.
    pub(crate) async fn open_catalog(&self) -> Catalog {
        let data = self.data();
        let location = match &self.postgres {
            Some(url) => Location::Postgres(url.clone()),
            None => Location::Sqlite(data.join("catalog.sqlite")),
        };
        let key = secret_key::read_or_make(&data.join("secret.key"), &OsRng).unwrap();
        Catalog::open_waiting(&location, key, WAIT_MAX).await.unwrap()
    }

    /// The store of the installation, opened by this process. The service must not be running.
    pub(crate) async fn open_store(&self) -> (Store, OrgId) {
        let data = self.data();
        let rng = Arc::new(OsRng);
        let catalog = Arc::new(self.open_catalog().await);
        let org = catalog.list_all_orgs().await.unwrap().remove(0).id;
        let settings = StoreSettings::new(data);
        (Store::open(catalog, Arc::new(SystemClock), rng, settings).await.unwrap(), org)
    }

    /// Tells its PostgreSQL database, if it has one, not to wait for the disk. Says whether it has.
    pub(crate) fn hurry_database(&self) -> bool {
        self.tell_database(|name| format!("ALTER DATABASE {name} SET synchronous_commit = 'off'"))
    }

    /// Has its PostgreSQL database, if it has one, do what a statement with its name says. Says whether it has.
    fn tell_database(&self, statement: impl FnOnce(&str) -> String) -> bool {
        let Some(url) = &self.postgres else { return false };
        let statement = statement(url.rsplit('/').next().unwrap());
        let output = Command::new("psql").args([url, "-qc", &statement]).output().unwrap();
        assert!(output.status.success(), "psql: {}", String::from_utf8_lossy(&output.stderr));
        true
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path("data")
    }

    pub(crate) fn first_token(&self) -> String {
        std::fs::read_to_string(self.data().join("first-token")).unwrap().trim().to_owned()
    }

    /// Starts the service and waits until it listens.
    pub(crate) fn start(&self, more: &[&str]) -> Service {
        let mut child = self
            .command(&["serve", "--listen", "127.0.0.1:0", "--log-level", "warn"])
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.find_map(|line| Some(line.unwrap().split_once("listens on ")?.1.to_owned()));
        Service { child, url: address.unwrap() }
    }

    /// Starts the service and waits until it listens, also for what does not speak HTTP: where, by what is taken there.
    pub(crate) fn start_listening(&self, more: &[&str]) -> (Service, HashMap<String, SocketAddr>) {
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0", "--log-level", "error"]);
        let mut child = command.args(more).stdout(Stdio::piped()).spawn().unwrap();
        let (mut ports, mut address) = (HashMap::new(), None);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        while address.is_none() {
            let line = lines.next().unwrap().unwrap();
            address = line.split_once("listens on ").map(|(_, url)| url.to_owned());
            let taken = line.strip_prefix("Takes ").and_then(|rest| rest.split_once(" at "));
            ports.extend(taken.map(|(what, address)| (what.to_owned(), address.parse().unwrap())));
        }
        (Service { child, url: address.unwrap() }, ports)
    }

    /// Starts the service and waits until it listens; if it ends before, what it said on standard error.
    pub(crate) fn try_start(&self, more: &[&str]) -> Result<Service, String> {
        let errors = std::fs::File::create(self.path("errors")).unwrap();
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0", "--log-level", "warn"]);
        let mut child = command.args(more).stdout(Stdio::piped()).stderr(errors).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.find_map(|line| Some(line.unwrap().split_once("listens on ")?.1.to_owned()));
        let Some(url) = address else {
            assert!(!child.wait().unwrap().success());
            return Err(self.last_errors());
        };
        Ok(Service { child, url })
    }

    /// Starts the service with a log of all that it has to tell at a level.
    pub(crate) fn start_logged(&self, level: &str) -> Service {
        let log = std::fs::File::create(self.path("errors")).unwrap();
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]);
        let mut child =
            command.args(["--log-level", level]).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.find_map(|line| Some(line.unwrap().split_once("listens on ")?.1.to_owned()));
        Service { child, url: address.unwrap() }
    }

    /// What the service that was started last by `try_start` or `start_logged` has said on standard error.
    pub(crate) fn last_errors(&self) -> String {
        std::fs::read_to_string(self.path("errors")).unwrap()
    }

    /// Another installation on the same catalogue and the same segments, with a data folder of its own.
    pub(crate) fn beside(&self) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        std::fs::create_dir(&data).unwrap();
        let mut settings = vec!["--data".to_owned(), data.display().to_string()];
        let shared = [("--secret-key-file", "secret.key"), ("--objects", "segments")];
        settings.extend(
            shared
                .iter()
                .flat_map(|(flag, name)| [(*flag).to_owned(), self.data().join(name).display().to_string()]),
        );
        match &self.postgres {
            Some(url) => settings.extend(["--catalog".to_owned(), url.clone()]),
            None => {
                std::os::unix::fs::symlink(self.data().join("catalog.sqlite"), data.join("catalog.sqlite"))
                    .unwrap()
            }
        }
        Self { folder, settings, postgres: self.postgres.clone() }
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command that must succeed, and gives its answer.
    pub(crate) fn answer(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Self::bare_command();
        command.args(arguments).args(&self.settings);
        command
    }

    /// A command that is not told where the installation is.
    pub(crate) fn bare_command() -> Command {
        let mut command = Command::new(BINARY);
        for variable in [
            "TIDEGAUGE_TEST_POSTGRES",
            "TIDEGAUGE_URL",
            "TIDEGAUGE_TOKEN",
            "TIDEGAUGE_CREDENTIALS",
            "TIDEGAUGE_ORG",
            "RUST_BACKTRACE",
        ] {
            command.env_remove(variable);
        }
        for setting in ["REQUEST", "HEADER", "WRITE", "QUERY"] {
            command.env(format!("TIDEGAUGE_{setting}_TIMEOUT_SECONDS"), HANGS.as_secs().to_string());
        }
        command
    }
}

/// A running service. It is killed when the test is done with it.
pub(crate) struct Service {
    child: Child,
    pub url: String,
}

impl Service {
    /// The most memory that the process has had at once, in bytes.
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }

    /// Host and port.
    pub(crate) fn address(&self) -> &str {
        self.url.split_once("://").unwrap().1
    }

    /// Without any warning.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn terminate(&self) {
        self.signal("-TERM");
    }

    pub(crate) fn hang_up(&self) {
        self.signal("-HUP");
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, signal: &str) {
        send_signal(signal, &self.child);
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    pub(crate) fn exit_code(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a request and reads the JSON of a successful answer; `None` if no such answer came.
pub(crate) async fn acknowledged(request: RequestBuilder) -> Option<Value> {
    let response = request.send().await.ok()?;
    if !response.status().is_success() {
        return None;
    }
    response.json().await.ok()
}

pub(crate) fn client() -> Client {
    // The server's own provider is not installed in this process.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    Client::builder().no_proxy().build().unwrap()
}

pub(crate) fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

/// After so long, what is waited for will not come. Far more than a slow machine needs that others use too.
pub(crate) const HANGS: std::time::Duration = std::time::Duration::from_secs(1_200);

/// Sends a request until it gets this status, and gives that answer. A change by another process counts after a moment;
/// one that never counts fails the test.
pub(crate) async fn until(status: u16, request: impl Fn() -> RequestBuilder) -> reqwest::Response {
    eventually(&format!("an answer with the status {status}"), async || {
        Some(request().send().await.unwrap()).filter(|answer| answer.status() == status)
    })
    .await
}

/// Looks until there is what is looked for; if it never comes, the test fails and says what did not.
pub(crate) async fn eventually<T>(what: &str, look: impl AsyncFn() -> Option<T>) -> T {
    let wait = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::task::yield_now().await;
        }
    };
    let waited = tokio::time::timeout(HANGS, wait).await;
    waited.unwrap_or_else(|_| panic!("this never came: {what}"))
}

pub(crate) fn send_signal(signal: &str, child: &Child) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}
