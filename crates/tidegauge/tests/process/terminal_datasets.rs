//! `tidegauge dataset` against a running service.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::database::Backend;
use crate::process::{Installation, write};
use crate::terminal::{Terminal, succeed};

/// The lines of a table of datasets, but for that of the audit trail.
fn rows(listed: &str) -> Vec<&str> {
    listed.lines().filter(|row| !row.starts_with("tidegauge-audit ")).collect()
}

/// The one dataset as a table for people, and for programs.
fn listed(terminal: &Terminal) {
    let listed = terminal.answer(&["dataset", "list"]);
    let rows = rows(&listed);
    assert_eq!(rows.len(), 2, "{listed}");
    assert_eq!(
        rows[0].split_whitespace().take(4).collect::<Vec<_>>(),
        ["name", "events", "fields", "stored"]
    );
    assert_eq!(rows[1].split_whitespace().take(3).collect::<Vec<_>>(), ["web", "2", "3"], "{listed}");
    assert!(rows[1].contains("  2026-06-01T12:00:00Z  "), "{listed}");
    let ends = rows[1].split_whitespace().rev().take(2).collect::<Vec<_>>();
    assert_eq!(ends, ["Requests", "forever"], "{listed}");
    let listed: Value = serde_json::from_str(&terminal.answer(&["dataset", "list", "--json"])).unwrap();
    let web = listed.as_array().unwrap().iter().find(|dataset| dataset["name"] == "web").unwrap();
    let one = (&web["name"], &web["numEvents"], &web["useRetentionPeriod"]);
    assert_eq!(one, (&json!("web"), &json!(2), &json!(false)));
}

pub(crate) async fn from_the_command_line(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let terminal = Terminal::new(&installation, &service);
    let nothing = terminal.command(&["dataset", "list"]).output().unwrap();
    // The audit trail's own may be there already.
    let is_empty = String::from_utf8_lossy(&nothing.stderr).contains("there are no datasets");
    assert!(rows(&succeed(nothing)).len() == if is_empty { 0 } else { 1 });

    assert_eq!(terminal.answer(&["dataset", "create", "web", "--description", "Requests"]), "made web");
    assert!(terminal.failure(&["dataset", "create", "web"]).contains("the server answered 409"));
    let file = installation.path("events.ndjson");
    write(&file, "{\"_time\": \"2026-06-01T12:00:00Z\", \"status\": 200}\n{\"status\": \"timeout\"}\n");
    terminal.answer(&["ingest", "web", file.to_str().unwrap()]);
    listed(&terminal);
    let shown = terminal.answer(&["dataset", "show", "web"]);
    assert!(
        shown.contains("description      Requests\n") && shown.contains("events           2\n"),
        "{shown}"
    );
    let fields = terminal.answer(&["dataset", "fields", "web"]);
    assert!(fields.starts_with("name ") && fields.contains("\nstatus    integer|string  "), "{fields}");

    assert_eq!(terminal.answer(&["dataset", "describe", "web", "Pages"]), "described web");
    assert_eq!(terminal.answer(&["dataset", "retention", "web"]), "forever");
    assert_eq!(terminal.answer(&["dataset", "retention", "web", "30d"]), "30 days");
    assert_eq!(terminal.answer(&["dataset", "retention", "web"]), "30 days");
    assert_eq!(terminal.answer(&["dataset", "retention", "web", "forever"]), "forever");
    assert!(terminal.answer(&["dataset", "show", "web"]).contains("description      Pages\n"));
    assert_eq!(terminal.answer(&["dataset", "vacuum", "web"]), "vacuumed web");

    let not_asked = |arguments: &[&str]| {
        let output = terminal.command(arguments).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let trim = ["dataset", "trim", "web", "--older-than", "3650d"];
    assert!(not_asked(&trim).contains("add --yes"));
    assert_eq!(terminal.answer(&[&trim[..], &["--yes"]].concat()), "deleted 0 segments");
    let told = not_asked(&["dataset", "delete", "web"]);
    assert!(told.contains("deletes the dataset web with all its events: add --yes"), "{told}");
    assert!(terminal.answer(&["dataset", "list"]).contains("web"));
    let told = terminal.failure(&["dataset", "delete", "other", "--yes"]);
    let hint = "dataset not found\n  hint: `tidegauge dataset list` lists the datasets";
    assert!(told.contains("the server answered 404") && told.contains(hint), "{told}");
    assert_eq!(terminal.answer(&["dataset", "delete", "web", "--yes"]), "deleted web");
    assert!(!terminal.answer(&["dataset", "list"]).contains("web"));
}
