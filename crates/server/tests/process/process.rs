//! Starts the binary on a free port and talks to it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use reqwest::{Client, RequestBuilder};
use serde_json::Value;
use tempfile::TempDir;

use crate::database::{Backend, new_postgres_database};

const BINARY: &str = env!("CARGO_BIN_EXE_tidegauge");

/// Where an installation keeps its things, over any number of starts.
pub(crate) struct Installation {
    folder: TempDir,
    settings: Vec<String>,
}

impl Installation {
    pub(crate) fn new(backend: Backend) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = vec!["--data".to_owned(), folder.path().join("data").display().to_string()];
        if backend == Backend::Postgres {
            settings.extend(["--catalog".to_owned(), new_postgres_database()]);
        }
        Self { folder, settings }
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
        let mut command = Command::new(BINARY);
        command.args(arguments).args(&self.settings).env_remove("TIDEGAUGE_TEST_POSTGRES");
        command
    }
}

/// A running service. It is killed when the test is done with it.
pub(crate) struct Service {
    child: Child,
    pub url: String,
}

impl Service {
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
        let status = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
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
