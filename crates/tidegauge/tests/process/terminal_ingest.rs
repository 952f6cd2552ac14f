//! `tidegauge ingest` against a running service: pipes that stay open, lines of text, and times that are not there.

use std::io::Write;
use std::process::Stdio;

use serde_json::json;

use crate::database::Backend;
use crate::process::{Installation, client, eventually, send_signal, until, write};
use crate::terminal::{Terminal, succeed};

/// Waits until a dataset has so many events.
async fn until_stored(terminal: &Terminal<'_>, dataset: &str, events: u64) {
    let url = format!("{}/v1/datasets/{dataset}/info", terminal.service.url);
    eventually(&format!("{events} events in {dataset}"), async || {
        let answer = until(200, || client().get(&url).bearer_auth(&terminal.token)).await;
        let info: serde_json::Value = answer.json().await.unwrap();
        (info["numEvents"] == json!(events)).then_some(())
    })
    .await;
}

pub(crate) async fn open_pipe(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let terminal = Terminal::new(&installation, &service);
    for (format, text) in [("ndjson", ["{\"a\": 1}\n{\"a\"", ": 2}\n"]), ("csv", ["a,b\n1,2\n", "3,4\n"])] {
        let mut command = terminal.command(&["ingest", format, "-", "--format", format]);
        terminal.answer(&["dataset", "create", format]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        for (place, part) in text.into_iter().enumerate() {
            pipe.write_all(part.as_bytes()).unwrap();
            until_stored(&terminal, format, place as u64 + 1).await;
        }
        drop(pipe);
        let told = succeed(child.wait_with_output().unwrap());
        assert!(told.starts_with("2 events, "), "{told}");
    }
    for (dataset, signal) in [("left", "-INT"), ("stopped", "-TERM")] {
        ends_with(signal, dataset, &terminal).await;
    }
}

/// A pipe that stays open is left with Ctrl-C, or by who manages services: the whole events that were written to it
/// before are stored.
async fn ends_with(signal: &str, dataset: &str, terminal: &Terminal<'_>) {
    let mut command = terminal.command(&["ingest", dataset, "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    terminal.answer(&["dataset", "create", dataset]);
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"{\"a\": 1}\n").unwrap();
    until_stored(terminal, dataset, 1).await;
    pipe.write_all(b"{\"a\": 2}\n{\"a\": 3}\n{\"a\"").unwrap();
    send_signal(signal, &child);
    let told = succeed(child.wait_with_output().unwrap());
    assert!(told.starts_with("3 events, "), "{told}");
    drop(pipe);
}

/// A line that is no event is told and passed over: what stands around it could not be sent again.
pub(crate) async fn bad_line(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let terminal = Terminal::new(&installation, &service);
    terminal.answer(&["dataset", "create", "pipe"]);
    let mut command = terminal.command(&["ingest", "pipe", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"{\"a\": 1}\n{\"a\": 2}\nhello\n{\"a\": 3}\n{\"a\": \n").unwrap();
    until_stored(&terminal, "pipe", 3).await;
    pipe.write_all(b"{\"a\": 4}\n").unwrap();
    until_stored(&terminal, "pipe", 4).await;
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    for part in ["line 3, from byte 18: ", "line 5, ", "2 events were not taken"] {
        assert!(told.contains(part), "{part} in {told}");
    }

    let mut command = terminal.command(&["ingest", "pipe", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all("no event\n".repeat(1000).as_bytes()).unwrap();
    drop(pipe);
    let told = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    assert_eq!(told.matches("not taken: standard input, line ").count(), 10, "{told}");
    assert!(told.contains("not taken: 90 more"), "{told}");
    assert!(told.contains("--format lines"), "{told}");
}

/// A bad line of a file is passed over as well: who mended the file and sent it again would store the others twice. What
/// the other parts of a run that failed have stored is counted.
pub(crate) async fn bad_line_of_a_file(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let terminal = Terminal::new(&installation, &service);
    let file = installation.path("events.ndjson");
    let line = |number: u32| match number {
        4_100 => "this line is bad\n".to_owned(),
        _ => format!("{{\"i\": {number}, \"pad\": \"{}\"}}\n", "x".repeat(80)),
    };
    write(&file, &(1..=20_000).map(line).collect::<String>());
    let arguments = ["ingest", "file", file.to_str().unwrap(), "--batch-bytes", "100000", "--run-id", "once"];
    for _ in 0..2 {
        let output = terminal.command(&arguments).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains("line 4100, from byte ") && told.contains("1 event was not taken"), "{told}");
        assert!(!told.contains("line 1,") && !told.contains("--run-id"), "{told}");
        let sum = String::from_utf8(output.stdout).unwrap();
        assert!(sum.starts_with("19,999 events (1 not taken), "), "{sum}");
    }
    let query = "['file'] | summarize n = count() by i | summarize count(), sum(n)";
    let folder = installation.path("state");
    let folder = ["--state-folder", folder.to_str().unwrap()];
    let shown = terminal.answer(&[&["query", query, "--format", "csv"], &folder[..]].concat());
    assert!(shown.contains("\n19999,19999"), "{shown}");
}

pub(crate) async fn lines(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let terminal = Terminal::new(&installation, &service);
    let file = installation.path("app.txt");
    write(&file, "2026-06-01 12:00:00,5 INFO started\r\n\nJun  1 12:00:01 host sshd[1]: hello\nno time\n");
    let told = terminal.answer(&["ingest", "text", file.to_str().unwrap()]);
    assert!(told.starts_with("3 events, "), "{told}");
    let query = "['text'] | project _time, message | sort by message asc";
    let folder = installation.path("state");
    let folder = ["--state-folder", folder.to_str().unwrap()];
    let shown = terminal.answer(&[&["query", query, "--format", "csv"], &folder[..]].concat());
    assert!(shown.contains("2026-06-01T12:00:00.5Z,\"2026-06-01 12:00:00,5 INFO started\""), "{shown}");

    write(&file, "hello\n");
    let told = terminal.failure(&["ingest", "text", file.to_str().unwrap(), "--format", "ndjson"]);
    assert!(told.contains("--format lines"), "{told}");
}

pub(crate) async fn missing_time_field(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let terminal = Terminal::new(&installation, &service);
    let file = installation.path("events.ndjson");
    write(&file, "{\"at\": \"2026-06-01T12:00:00Z\"}\n{\"a\": 2}\n");
    let told = |field: &str| {
        let arguments = ["ingest", "d", file.to_str().unwrap(), "--timestamp-field", field];
        let output = terminal.command(&arguments).output().unwrap();
        let told = String::from_utf8(output.stderr.clone()).unwrap();
        succeed(output);
        told
    };
    assert!(told("att").contains("warning: no event has the field \"att\": the time is that of _time"));
    assert!(told("at").contains("warning: 1 event does not have the field \"at\""));
    write(&file, "{\"at\": \"2026-06-01T12:00:00Z\"}\n");
    assert_eq!(told("at"), "");
}
