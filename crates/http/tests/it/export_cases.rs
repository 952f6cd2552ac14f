//! Files with whole answers: more events than one answer has, and texts that are no formulas.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::app::{Answer, TestApp};
use crate::cases::Case;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("a_file_has_all_events_once", |app| Box::pin(many(app))),
    ("values_stand_below_their_names_on_every_page", |app| Box::pin(names(app))),
    ("a_file_that_would_be_a_part_is_refused", |app| Box::pin(too_large(app))),
    ("texts_of_a_file_are_no_formulas", |app| Box::pin(formulas(app))),
];

/// More than one page, and than one answer.
const EVENTS: usize = 60_000;

async fn send(app: &TestApp, events: &Value) {
    send_to(app, "d", events).await;
}

async fn send_to(app: &TestApp, dataset: &str, events: &Value) {
    let path = format!("/v1/datasets/{dataset}/ingest");
    let answer = app.send("POST", &path, Some(&app.owner_token), Some(events)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

async fn asked(app: &TestApp, apl: &str, format: &str) -> Answer {
    asked_with(app, apl, format, &[]).await
}

async fn asked_with(app: &TestApp, apl: &str, format: &str, headers: &[(String, String)]) -> Answer {
    let body = json!({"apl": apl, "startTime": "now-1d", "endTime": "now", "format": format});
    let made = app.send("POST", "/v2/exports", Some(&app.owner_token), Some(&body)).await;
    assert_eq!(made.status, 200, "{made:?}");
    app.send_raw("GET", made.json()["link"].as_str().unwrap(), headers, Vec::new()).await
}

async fn file(app: &TestApp, apl: &str, format: &str) -> Answer {
    let file = asked(app, apl, format).await;
    assert_eq!(file.status, 200, "{}", file.text);
    file
}

async fn many(app: TestApp) {
    for part in 0..6 {
        let events: Vec<Value> = (part * EVENTS / 6..(part + 1) * EVENTS / 6)
            .map(|n| json!({"n": n, "_time": "2026-06-01T11:00:00Z"}))
            .collect();
        send(&app, &json!(events)).await;
    }
    let numbers =
        |lines: &[&str]| lines.iter().map(|line| line.parse().unwrap()).collect::<BTreeSet<usize>>();
    let csv = file(&app, "['d'] | project n", "csv").await;
    let lines: Vec<&str> = csv.text.lines().collect();
    assert_eq!((lines[0], lines.len()), ("n", EVENTS + 1));
    assert_eq!(numbers(&lines[1..]).len(), EVENTS, "each once");

    let ndjson = file(&app, "['d']", "ndjson").await;
    let rows: Vec<Value> = ndjson.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found: BTreeSet<u64> = rows.iter().map(|row| row["n"].as_u64().unwrap()).collect();
    assert_eq!((rows.len(), found.len()), (EVENTS, EVENTS));

    // In another order they are read at once.
    let sorted = file(&app, "['d'] | sort by n asc | project n", "csv").await;
    let lines: Vec<&str> = sorted.text.lines().skip(1).collect();
    assert!(
        lines.iter().enumerate().all(|(place, line)| *line == place.to_string()) && lines.len() == EVENTS
    );
    let parquet = file(&app, "['d'] | project n", "parquet").await;
    assert!(parquet.text.starts_with("PAR1"));
}

/// The oldest event, on the last page, has fields that no other has.
async fn names(app: TestApp) {
    send_with_wide_oldest(&app, "few", 20).await;
    let csv = file(&app, "['few']", "csv").await;
    let lines: Vec<Vec<&str>> = csv.text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), EVENTS + 1);
    for field in 0..20 {
        let place = lines[0].iter().position(|name| *name == format!("f{field:03}")).unwrap();
        assert_eq!((lines[1][place], lines[EVENTS][place]), ("", field.to_string().as_str()));
    }
    assert!(lines.iter().all(|line| line.len() == lines[0].len()));
}

/// Where there are more fields than a page has of every dataset, a page does not know those of the next.
async fn too_large(app: TestApp) {
    send_with_wide_oldest(&app, "many", 600).await;
    let refused = asked(&app, "['many']", "csv").await;
    assert_eq!(refused.status, 432, "{}", refused.text);
    assert_eq!(refused.json()["message"], "the answer is too large for one file of this kind");
    let named = file(&app, "['many'] | project n, f599", "csv").await;
    let lines: Vec<&str> = named.text.lines().collect();
    assert_eq!((lines[0], lines.len(), lines[EVENTS]), ("n,f599", EVENTS + 1, "0,599"));
    let rows = file(&app, "['many']", "ndjson").await;
    assert_eq!(rows.text.lines().count(), EVENTS);
}

async fn send_with_wide_oldest(app: &TestApp, dataset: &str, fields: usize) {
    let mut oldest = json!({"n": 0, "_time": "2026-06-01T10:00:00Z"});
    for field in 0..fields {
        oldest[format!("f{field:03}")] = json!(field);
    }
    send_to(app, dataset, &json!([oldest])).await;
    let newer: Vec<Value> = (1..EVENTS).map(|n| json!({"n": n, "_time": "2026-06-01T11:00:00Z"})).collect();
    for part in newer.chunks(10_000) {
        send_to(app, dataset, &json!(part)).await;
    }
}

async fn formulas(app: TestApp) {
    let time = "2026-06-01T11:00:00Z";
    let event = json!({"_time": time, "n": -5, "text": "=1+1", "other": "@x", "+name": "-1", "plain": "a,b"});
    let hidden =
        json!({"_time": time, "line": "\n=1", "wide": "\u{ff1d}1", "far": "\u{a0}\u{200b}=1", "big": -5.5});
    send(&app, &json!([event])).await;
    send_to(&app, "hidden", &json!([hidden])).await;
    let apl = "['d'] | project n, text, other, ['+name'], plain";
    let csv = file(&app, apl, "csv").await;
    assert_eq!(csv.text, "n,text,other,'+name,plain\r\n-5,'=1+1,'@x,'-1,\"a,b\"\r\n");
    // Nor do signs before the first one that is seen, or wider ones, make one.
    let csv = file(&app, "['hidden'] | project line, wide, far, big", "csv").await;
    let cells = "\"'\n=1\",'\u{ff1d}1,'\u{a0}\u{200b}=1,-5.5";
    assert_eq!(csv.text, format!("line,wide,far,big\r\n{cells}\r\n"));
    // Browsers take it compressed, and read it to its end.
    let packed = asked_with(&app, apl, "csv", &[("accept-encoding".to_owned(), "gzip".to_owned())]).await;
    assert_eq!(packed.status, 200);
    assert_eq!(packed.headers["content-encoding"], "gzip");
    // What programs ask for stays as it is.
    let headers = [("content-type", "application/json"), ("accept", "text/csv")];
    let body = json!({"apl": "['d'] | project text"}).to_string().into_bytes();
    let plain = app.send_bytes("/v1/query/_apl", &headers, body).await;
    assert_eq!(plain.text, "text\r\n=1+1\r\n");
}
