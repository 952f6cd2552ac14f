//! The command line as people meet it: what it says when something is wrong, and to whom it listens.

use std::process::{Command, Output, Stdio};

use serde_json::json;

use crate::database::Backend;
use crate::process::{Installation, Service, client};

/// A person at a terminal who asks a service.
pub(crate) struct Terminal<'a> {
    pub service: &'a Service,
    pub token: String,
}

impl<'a> Terminal<'a> {
    /// The first owner.
    pub(crate) fn new(installation: &Installation, service: &'a Service) -> Self {
        Self { service, token: installation.first_token() }
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Installation::bare_command();
        command.args(arguments).args(["--url", &self.service.url]).env("TIDEGAUGE_TOKEN", &self.token);
        command
    }

    /// What a command that must succeed says on standard output.
    pub(crate) fn answer(&self, arguments: &[&str]) -> String {
        succeed(self.command(arguments).output().unwrap())
    }

    /// What a command that must fail says on standard error.
    pub(crate) fn failure(&self, arguments: &[&str]) -> String {
        fail(self.command(arguments).output().unwrap())
    }

    /// What a command that is written wrongly says on standard error.
    pub(crate) fn mistake(&self, arguments: &[&str]) -> String {
        mistake(self.command(arguments).output().unwrap())
    }
}

pub(crate) fn succeed(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn fail(output: Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stderr).unwrap().trim().to_owned()
}

fn mistake(output: Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stderr).unwrap().trim().to_owned()
}

/// People read the message alone, whatever is set for developers.
pub(crate) async fn errors_are_for_people(_: Backend) {
    // Nobody listens there, and nobody else gets the port while it is held.
    let held = tokio::net::TcpSocket::new_v4().unwrap();
    held.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}", held.local_addr().unwrap());
    for command in [&["whoami"][..], &["monitor", "list"], &["query", "print 1"], &["login", "--no-browser"]]
    {
        let run = |more: &[&str]| {
            let mut command_line = Installation::bare_command();
            command_line.args(command).args(["--url", &url]).args(more).env("RUST_BACKTRACE", "1");
            let folder = tempfile::tempdir().unwrap();
            command_line.env("XDG_STATE_HOME", folder.path()).env("XDG_CONFIG_HOME", folder.path());
            fail(command_line.env("TIDEGAUGE_TOKEN", "xapt-1").output().unwrap())
        };
        let told = run(&[]);
        let expected = format!("error: the server at {url} was not reached: connection refused\n  hint: ");
        assert!(told.starts_with(&expected), "{command:?}: {told}");
        assert!(!told.contains("backtrace") && !told.contains("Caused by"), "{command:?}: {told}");
        let all = run(&["--verbose"]);
        assert!(all.contains("Stack backtrace") && all.contains("Caused by"), "{command:?}: {all}");
    }
}

/// Whoever reads the output may be gone, as `head` is; that is no reason to break down.
pub(crate) async fn nobody_reads(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let terminal = Terminal::new(&installation, &service);
    let broken = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        Stdio::from(writer)
    };
    let folder = tempfile::tempdir().unwrap();
    for command in [&["query", "print 1"][..], &["whoami"], &["monitor", "list"]] {
        let run = |stdout: Stdio, stderr: Stdio| {
            let mut command = terminal.command(command);
            command.env("XDG_STATE_HOME", folder.path()).stdout(stdout).stderr(stderr);
            command.status().unwrap().code()
        };
        assert_eq!(run(Stdio::null(), broken()), Some(0), "{command:?}");
        assert_eq!(run(broken(), Stdio::null()), Some(0), "{command:?}");
    }
    let mut failing = terminal.command(&["monitor", "delete", "mon_0"]);
    assert_eq!(failing.stdout(broken()).stderr(broken()).status().unwrap().code(), Some(1));
}

/// Who belongs to several organisations is told of the flag, and may name one by its name or its id.
pub(crate) async fn organisations(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let terminal = Terminal::new(&installation, &service);
    let made = client().post(format!("{}/v2/orgs", service.url)).bearer_auth(&terminal.token);
    let made = made.json(&json!({"name": "Second"})).send().await.unwrap();
    let made: serde_json::Value = made.json().await.unwrap();
    let id = made["id"].as_str().unwrap();

    let file = installation.path("events.ndjson");
    crate::process::write(&file, "{\"a\": 1}\n");
    let path = file.to_str().unwrap();
    let ingest = ["ingest", "web", path];
    for command in [&ingest[..], &["query", "print 1"], &["monitor", "list"], &["notifier", "list"]] {
        let told = terminal.failure(command);
        assert!(
            told.contains("--org NAME or TIDEGAUGE_ORG") && !told.contains("header"),
            "{command:?}: {told}"
        );
        for org in [id, "Second", "second"] {
            terminal.answer(&[command, &["--org", org]].concat());
            succeed(terminal.command(command).env("TIDEGAUGE_ORG", org).output().unwrap());
        }
    }
    let unknown = terminal.failure(&["monitor", "list", "--org", "third"]);
    assert!(unknown.contains("no organisation \"third\"") && unknown.contains("Second"), "{unknown}");
    let who = terminal.answer(&["whoami"]);
    assert!(who.contains("default") && who.contains(&format!("Second ({id})")), "{who}");
    let who = terminal.answer(&["whoami", "--org", "Second"]);
    assert!(!who.contains("default") && who.contains("Second"), "{who}");
    let shown = installation.answer(&["org", "show", "--org", "Second"]);
    assert!(shown.contains(id), "{shown}");
}

/// A link leads to where the service really is, and help shows what a command needs.
pub(crate) async fn operators(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let link = ["user", "link", "owner@localhost.localdomain"];
    let printed = installation.answer(&link);
    assert!(printed.starts_with(&format!("{}/setup/", service.url)), "{printed}");
    let printed = installation.answer(&[&link[..], &["--public-url", "https://tide.example.com"]].concat());
    assert!(printed.starts_with("https://tide.example.com/setup/"), "{printed}");

    let help = Installation::bare_command().args(["token", "create", "--help"]).output().unwrap();
    let help = succeed(help);
    assert!(
        help.lines().count() < 60 && help.contains("--catalog") && !help.contains("--smtp-host"),
        "{help}"
    );
}

/// Who wrote a command wrongly has to write it otherwise, and a script can tell that from what failed.
pub(crate) async fn wrong_arguments(backend: Backend) {
    let installation = Installation::new(backend);
    let _service = installation.start(&[]);
    let create = ["token", "create", "reader"];
    for (arguments, told) in [
        (&["org", "set-limits", "maxUsers=many"][..], "\"many\" is not a whole number"),
        (&["org", "set-limits", "maxUser=1"], "is not a limit"),
        (&["org", "set-payment", "late"], "is not a payment status"),
        (&create, "--grant, or --all"),
        (&[&create[..], &["--grant", "notifiers"]].concat(), "area|action"),
        (&[&create[..], &["--all", "--expires-at", "soon"]].concat(), "soon"),
        (&[&create[..], &["--all", "--expires-at", "2020-01-01T00:00:00Z"]].concat(), "in the future"),
    ] {
        let error = mistake(installation.run(arguments));
        assert!(error.contains(told), "{arguments:?}: {error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let alone = |arguments: &[&str]| {
        let mut command = Installation::bare_command();
        command.args(arguments).env("XDG_CONFIG_HOME", folder.path()).env("XDG_STATE_HOME", folder.path());
        command
    };
    for (arguments, told) in [
        (&["query", " "][..], "the query is empty"),
        (&["whoami", "--url", "localhost:8080"], "is not a URL such as http://host:8080"),
        (&["login", "--url", "ftp://localhost"], "must begin with http:// or https://"),
        (&["logout", "--url", "nowhere"], "is not a URL such as http://host:8080"),
        (&["ingest", "web", "/dev/null"], "say with --format"),
        (&["ingest", "web", "/"], "is a folder: name the files in it"),
        (&["monitor", "backtest", "mon_0", "--start", "soon"], "soon"),
        (&["bench", "generate", "--events", "1", "--from", "soon"], "--from"),
        (
            &["bench", "generate", "--events", "1", "--family", "firehose", "--shape", "flat"],
            "a firehose is always nested",
        ),
        (&["dataset", "trim", "web", "--older-than", "0", "--yes"], "longer than 0"),
    ] {
        let error = mistake(alone(arguments).env("TIDEGAUGE_TOKEN", "xapt-1").output().unwrap());
        assert!(error.contains(told), "{arguments:?}: {error}");
    }
    // No token is not a wrong one, and what is set to nothing is not set.
    let mut unset = alone(&["whoami"]);
    for variable in
        ["TIDEGAUGE_TOKEN", "TIDEGAUGE_URL", "TIDEGAUGE_ORG", "TIDEGAUGE_CREDENTIALS", "XDG_CONFIG_HOME"]
    {
        unset.env(variable, "");
    }
    let told = fail(unset.env("HOME", folder.path()).output().unwrap());
    assert!(told.contains("sign in with `tidegauge login --url http://127.0.0.1:8080`"), "{told}");
    let listed = alone(&["query", "--history"]).env("XDG_STATE_HOME", "").env("HOME", folder.path()).output();
    assert_eq!(succeed(listed.unwrap()), "");
    let file = folder.path().join("token");
    crate::process::write(&file, "\n");
    let told = fail(alone(&["whoami", "--token-file", file.to_str().unwrap()]).output().unwrap());
    assert!(told.contains("is empty: write the token into it"), "{told}");
}
