//! `tidegauge query` against a running service, where it does more than ask once: it asks again and again, what was asked
//! before, and draws.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::json;
use unicode_width::UnicodeWidthStr;

use crate::database::Backend;
use crate::process::{Installation, Service, client, send_signal};
use crate::pseudo_terminal::Drawing;
use crate::terminal::{Terminal, succeed};

/// A query by somebody whose history is in the folder of the installation.
fn query(installation: &Installation, terminal: &Terminal<'_>, arguments: &[&str]) -> Command {
    let mut command = terminal.command(&[&["query"], arguments].concat());
    command.env("XDG_STATE_HOME", installation.path("state"));
    command
}

async fn send(service: &Service, token: &str, events: &serde_json::Value) {
    let url = format!("{}/v1/datasets/web/ingest", service.url);
    let answer = client().post(url).bearer_auth(token).json(events).send().await.unwrap();
    assert_eq!(answer.status(), 200);
}

/// It shows what is there now, each time anew, and ends with Ctrl-C as if all had gone well. One that is refused ends by
/// itself.
pub(crate) async fn watches(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let terminal = Terminal::new(&installation, &service);
    send(&service, &terminal.token, &json!([{"a": 1}])).await;
    let asked = ["web | summarize n = count()", "--watch", "1", "--format", "csv"];
    let mut command = query(&installation, &terminal, &asked);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!((lines.next(), lines.next()), (Some("n".to_owned()), Some("1".to_owned())));
    send(&service, &terminal.token, &json!([{"a": 2}, {"a": 3}])).await;
    // It may have asked once more before these came.
    let next = lines.find(|line| line != "n" && line != "1");
    assert_eq!(next.as_deref(), Some("3"));
    send_signal("-INT", &child);
    // Another answer may be on its way.
    assert!(lines.all(|line| line == "n" || line == "3"));
    assert_eq!(child.wait().unwrap().code(), Some(0));

    let wrong = ["web | where strln(a) > 1", "--watch", "1"];
    let refused = query(&installation, &terminal, &wrong).output().unwrap();
    let told = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{told}");
    assert!(told.contains("unknown function `strln`"), "{told}");
}

/// The queries that were asked are listed, the newest first and each once, and asked again by their number.
pub(crate) async fn asks_again(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let terminal = Terminal::new(&installation, &service);
    let run = |arguments: &[&str]| query(&installation, &terminal, arguments).output().unwrap();
    let csv = ["--format", "csv"];
    for asked in ["print n = 1", "print n = 2", "print n = 3", "print\n  n = 1"] {
        succeed(run(&[&[asked], &csv[..]].concat()));
    }
    let listed = succeed(run(&["--history"]));
    let listed: Vec<&str> = listed.lines().map(str::trim).collect();
    assert_eq!(listed, ["1  print n = 1", "2  print n = 3", "3  print n = 2", "4  print n = 1"]);
    assert_eq!(succeed(run(&[&["--history", "3"], &csv[..]].concat())), "n\n2");
    // What was asked again is the newest now.
    assert_eq!(succeed(run(&[&["--history", "1"], &csv[..]].concat())), "n\n2");
    let unknown = run(&["--history", "9"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(String::from_utf8(unknown.stderr).unwrap().contains("there is no query 9; --history lists them"));
}

/// Numbers over time are drawn, one line for each group, the greatest first; what has no times is told.
pub(crate) async fn draws(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let terminal = Terminal::new(&installation, &service);
    let event =
        |minute: u32, host: &str| json!({"_time": format!("2026-06-01T12:{minute:02}:00Z"), "host": host});
    let events: Vec<_> = [(0, "a"), (0, "b"), (1, "b"), (2, "b"), (2, "b"), (2, "a")]
        .into_iter()
        .map(|(minute, host)| event(minute, host))
        .collect();
    send(&service, &terminal.token, &json!(events)).await;
    let range = ["--start", "2026-06-01T12:00:00Z", "--end", "2026-06-01T13:00:00Z", "--format", "chart"];
    let draw = |apl: &str| query(&installation, &terminal, &[&[apl], &range[..]].concat()).output().unwrap();
    let drawn = succeed(draw("web | summarize count() by bin(_time, 1m), host"));
    let lines: Vec<&str> = drawn.lines().collect();
    assert!(lines[0].starts_with("b  ") && lines[0].contains('█') && lines[0].ends_with("  2"), "{drawn}");
    assert!(lines[1].starts_with("a  ") && !lines[1].contains('█') && lines[1].ends_with("  1"), "{drawn}");
    let without = draw("web | summarize count() by host");
    assert_eq!(without.status.code(), Some(1));
    let told = String::from_utf8(without.stderr).unwrap();
    assert!(told.contains("there are no numbers over time to draw; group by time"), "{told}");
}

/// Each line of a table or a chart fits the columns of the terminal, and what is watched fits its lines.
pub(crate) async fn fits(backend: Backend) {
    const CLEAR: &str = "\u{1b}[H\u{1b}[2J";
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let terminal = Terminal::new(&installation, &service);
    let event = |minute: usize| {
        json!({
            "_time": format!("2026-06-01T12:{minute:02}:00Z"), "n": minute, "share": 1.0 / 3.0, "is": true,
            "city": "漢字".repeat(minute), "message": "a long text ".repeat(20), "method": "GET",
            "host": format!("a-host-with-quite-a-long-name-{minute}"), "path": "/a/path", "agent": "one",
        })
    };
    send(&service, &terminal.token, &json!((0..20).map(event).collect::<Vec<_>>())).await;
    let range = ["--start", "2026-06-01T12:00:00Z", "--end", "2026-06-01T13:00:00Z"];
    let table = [&["web"], &range[..]].concat();
    let chart =
        [&["web | summarize count() by bin(_time, 1m), host", "--format", "chart"], &range[..]].concat();
    let command = |arguments: &[&str]| {
        let mut command = query(&installation, &terminal, arguments);
        command.env("NO_COLOR", "1");
        command
    };
    for columns in [30, 40, 80, 200] {
        for (asked, lines_least) in [(&table, 21), (&chart, 13)] {
            let mut drawing = Drawing::start(command(asked), columns, 24, false);
            let drawn = drawing.read_until(|_| false);
            assert_eq!(drawing.child.wait().unwrap().code(), Some(0), "{drawn}");
            let widths: Vec<usize> = drawn.lines().map(UnicodeWidthStr::width).collect();
            assert!(widths.len() >= lines_least, "{columns} columns: {drawn}");
            assert!(widths.iter().all(|width| *width <= usize::from(columns)), "{columns} columns: {drawn}");
            // A table takes the room that there is.
            assert!(
                asked == &chart || widths.iter().any(|width| width * 4 > usize::from(columns) * 3),
                "{drawn}"
            );
        }
    }
    let (columns, lines) = (80, 12);
    let watched = [&table[..], &["--watch", "1"]].concat();
    let mut drawing = Drawing::start(command(&watched), columns, lines, true);
    let drawn = drawing.read_until(|drawn| drawn.matches(CLEAR).count() >= 2);
    send_signal("-INT", &drawing.child);
    assert_eq!(drawing.child.wait().unwrap().code(), Some(0));
    let frame = drawn.split(CLEAR).nth(1).unwrap();
    assert!(frame.contains("rows do not fit") && frame.contains("20 rows in"), "{frame}");
    let taken: usize = frame.lines().map(|line| line.width().max(1).div_ceil(usize::from(columns))).sum();
    assert!(taken < usize::from(lines), "the cursor needs a line too: {frame}");
}
