//! For random events and random definitions, a backtest opens and closes at the same runs as the live watch does, and
//! counts the same messages.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};
use tidegauge_catalog::monitor_checks::MonitorCheck;
use tidegauge_model::monitor::AlertState;
use tidegauge_model::rng::{self, SeededRng};
use tidegauge_model::{Clock, MonitorId, NotifierId};

use super::support::{checks, create, messages, monitor, next_minute, send};
use crate::app::{Answer, TestApp};
use crate::cases::Case;

pub(crate) const ALL: &[(&str, Case)] = &[
    ("alerting::a_backtest_does_what_the_watch_did", |app| Box::pin(same(app, 1))),
    ("alerting::a_backtest_does_what_the_watch_did_with_other_events", |app| Box::pin(same(app, 2))),
    ("alerting::two_definitions_are_compared", |app| Box::pin(compared(app))),
    ("alerting::a_backtest_can_be_watched", |app| Box::pin(watched(app))),
    ("alerting::a_backtest_ends_when_nobody_reads", |app| Box::pin(left(app))),
    ("alerting::a_backtest_is_bounded", |app| Box::pin(bounded(app))),
];

const MINUTES: usize = 25;
const MONITORS: usize = 24;

/// What happened by chance.
struct Dice(SeededRng);

impl Dice {
    /// A number below another.
    fn below(&self, most: usize) -> usize {
        usize::try_from(u64::from_le_bytes(rng::bytes::<8>(&self.0)) % u64::try_from(most).unwrap()).unwrap()
    }

    fn one_of<'a, T: ?Sized>(&self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }

    fn is_heads(&self) -> bool {
        self.below(2) == 0
    }

    fn definition(&self, notifier: &NotifierId) -> Value {
        let counted = [
            "['web'] | where status >= 500 | summarize count()",
            "['web'] | where status >= 500 | summarize count() by host",
            "['web'] | summarize n = sum(ms), max(ms) by host, bin(_time, 1m)",
            "['web'] | summarize avg(ms) by bin_auto(_time)",
            "['web'] | summarize min(ms), countif(status == 500) by host | sort by host asc",
            "['web'] | where status >= 500 | count",
            // Those that are asked run by run.
            "['web'] | summarize dcount(host) by status",
            "['web'] | where status >= 500 | summarize n = count() by host | where n > 1",
        ];
        let series = [
            "['web'] | summarize count() by bin(_time, 1m)",
            "['web'] | summarize sum(ms) by host, bin(_time, 2m)",
            "['web'] | summarize avg(ms) by bin_auto(_time)",
        ];
        let different = match self.below(8) {
            0 => json!({"type": "MatchEvent", "aplQuery": "['web'] | where status == 503 | project host"}),
            1 | 2 => json!({
                "type": "AnomalyDetection",
                "aplQuery": self.one_of(&series),
                "operator": self.one_of(&["Above", "Below", "AboveOrBelow"]),
                "tolerance": 1 + self.below(3),
                "compareDays": self.below(2),
                "rangeMinutes": 5 + self.below(8),
            }),
            _ => json!({
                "aplQuery": self.one_of(&counted),
                "operator": self.one_of(&["Above", "Below", "AboveOrEqual", "BelowOrEqual"]),
                "threshold": self.below(12),
                "rangeMinutes": 1 + self.below(5),
            }),
        };
        let positives = 1 + self.below(3);
        let common = json!({
            "intervalMinutes": 1 + self.below(3),
            "secondDelay": self.below(3) * 30,
            "alertOnNoData": self.is_heads(),
            "notifyByGroup": self.is_heads(),
            "notifyEveryRun": self.below(4) == 0,
            "skipResolved": self.below(4) == 0,
            "triggerAfterNPositiveResults": positives,
            "triggerFromNRuns": positives + self.below(3),
            "notifierIds": [notifier.as_str()],
        });
        let mut made = monitor(different);
        if let (Value::Object(made), Value::Object(common)) = (&mut made, common) {
            made.extend(common);
        }
        made
    }

    /// Events of the last half minute before a moment, sometimes none.
    fn events(&self, app: &TestApp, days_back: u64) -> Value {
        let now = app.clock.now().minus(Duration::from_secs(24 * 60 * 60 * days_back));
        let count = if self.below(4) == 0 { 0 } else { self.below(12) };
        let event = |_| {
            let back = Duration::from_millis(u64::try_from(self.below(30_000)).unwrap());
            let status = [200, 200, 404, 500, 503][self.below(5)];
            json!({
                "_time": now.minus(back).to_string(),
                "status": status,
                "host": self.one_of(&["a", "b", "c"]),
                "ms": self.below(10),
            })
        };
        Value::Array((0..count).map(event).collect())
    }
}

async fn notifier(app: &TestApp, number: usize) -> NotifierId {
    let body = json!({"name": format!("hook {number}"), "properties": {"webhook": {"url": "https://example.com/hook"}}});
    let answer = app.send("POST", "/v2/notifiers", Some(&app.owner_token), Some(&body)).await;
    NotifierId::from(answer.json()["id"].as_str().unwrap())
}

async fn same(app: TestApp, seed: u64) {
    let dice = Dice(SeededRng::new(seed));
    app.clock.advance(Duration::from_secs(31));
    send(&app, &json!([{"status": 200, "host": "a", "ms": 1}])).await;
    let start = app.clock.now();
    let mut monitors: Vec<(MonitorId, NotifierId, Value)> = Vec::new();
    for number in 0..MONITORS {
        let hook = notifier(&app, number).await;
        let definition = dice.definition(&hook);
        monitors.push((create(&app, &definition).await, hook, definition));
    }
    for _ in 0..MINUTES {
        next_minute(&app).await;
        send(&app, &dice.events(&app, 0)).await;
        send(&app, &dice.events(&app, 1)).await;
    }
    // What was sent last belongs to runs that are not due yet.
    let end = app.clock.now();
    let mut opened = 0;
    for (id, hook, definition) in monitors {
        let replayed = backtested(&app, &definition, &start.to_string(), &end.to_string()).await;
        let live = checks(&app, &id).await;
        let whole: Vec<&MonitorCheck> = live.iter().filter(|check| check.group_key.is_empty()).collect();
        assert_eq!(replayed["runs"], whole.len(), "{definition}\n{live:?}");
        let told = messages(&app, &hook).await.len();
        assert_eq!(
            alerts_of(&replayed),
            changes_of(&definition, &live),
            "{definition}\n{replayed}\n{live:?}"
        );
        assert_eq!(replayed["notifications"], told, "{definition}\n{replayed}");
        opened += replayed["opened"].as_u64().unwrap();
    }
    assert!(opened > 20, "too little happened to compare: {opened}");
}

async fn backtested(app: &TestApp, definition: &Value, start: &str, end: &str) -> Value {
    let body = json!({"monitor": definition, "startTime": start, "endTime": end});
    let answer = app.send("POST", "/v2/monitors/backtest", Some(&app.owner_token), Some(&body)).await;
    assert_eq!(answer.status, 200, "{answer:?} {definition}");
    answer.json()["monitor"].clone()
}

/// When each group was open, and under no name when anything was.
type Stretches = BTreeMap<String, Vec<(String, Option<String>)>>;

fn alerts_of(replayed: &Value) -> Stretches {
    let mut stretches = Stretches::new();
    let mut changes: BTreeMap<String, i64> = BTreeMap::new();
    for alert in replayed["alerts"].as_array().unwrap() {
        let group = alert
            .get("group")
            .map(|group| group["host"].as_str().map_or_else(|| group.to_string(), str::to_owned));
        let opened = alert["openedAt"].as_str().unwrap().to_owned();
        let closed = alert["closedAt"].as_str().map(str::to_owned);
        *changes.entry(opened.clone()).or_default() += 1;
        if let Some(closed) = &closed {
            *changes.entry(closed.clone()).or_default() -= 1;
        }
        if let Some(group) = group {
            stretches.entry(group).or_default().push((opened, closed));
        }
    }
    let (mut open, mut whole) = (0, Vec::new());
    for (at, change) in changes {
        let was_open = open > 0;
        open += change;
        match (was_open, open > 0) {
            (false, true) => whole.push((at, None)),
            (true, false) => whole.last_mut().unwrap().1 = Some(at),
            _ => {}
        }
    }
    stretches.insert(String::new(), whole);
    stretches
}

fn changes_of(definition: &Value, live: &[MonitorCheck]) -> Stretches {
    let mut stretches = Stretches::from([(String::new(), Vec::new())]);
    for check in live.iter().filter(|check| check.is_change) {
        let pairs: Vec<(String, String)> = serde_json::from_str(&check.group_key).unwrap_or_default();
        let group = match pairs.as_slice() {
            [] => String::new(),
            [(name, value)] if name == "host" => value.clone(),
            pairs => json!(pairs.iter().cloned().collect::<BTreeMap<_, _>>()).to_string(),
        };
        let known = stretches.entry(group).or_default();
        match check.state {
            AlertState::Open => known.push((check.at.to_string(), None)),
            AlertState::Closed => {
                known.last_mut().unwrap_or_else(|| panic!("{definition}")).1 = Some(check.at.to_string())
            }
        }
    }
    stretches
}

async fn compared(app: TestApp) {
    send(&app, &json!([{"status": 500}, {"status": 500}, {"status": 500}])).await;
    let start = app.clock.now().minus(Duration::from_secs(3_600)).to_string();
    app.clock.advance(Duration::from_secs(3_600));
    let body = json!({
        "monitor": monitor(json!({})),
        "compare": monitor(json!({"threshold": 4})),
        "startTime": start,
        "endTime": app.clock.now().to_string(),
    });
    let answer = app.send("POST", "/v2/monitors/backtest", Some(&app.owner_token), Some(&body)).await.json();
    assert_eq!(
        (&answer["monitor"]["opened"], &answer["compare"]["opened"]),
        (&json!(1), &json!(0)),
        "{answer}"
    );
    assert_eq!(answer["monitor"]["alerts"][0]["value"], 3);
    assert_eq!(answer["monitor"]["notifications"], 2);
    assert_eq!(answer["monitor"]["isJoined"], true);
}

/// What asks for events, with a body.
async fn streamed(app: &TestApp, body: &Value) -> axum::response::Response {
    let headers = [
        ("authorization".to_owned(), format!("Bearer {}", app.owner_token)),
        ("content-type".to_owned(), "application/json".to_owned()),
        ("accept".to_owned(), "text/event-stream".to_owned()),
    ];
    app.respond("POST", "/v2/monitors/backtest", &headers, body.to_string().into_bytes()).await
}

/// The last event of a stream, by its name.
fn last_event(text: &str) -> (String, Value) {
    let event = text.trim().rsplit("\n\n").next().unwrap();
    let field =
        |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim();
    (field("event:").to_owned(), serde_json::from_str(field("data:")).unwrap_or_default())
}

async fn watched(app: TestApp) {
    send(&app, &json!([{"status": 500}, {"status": 500}, {"status": 500}])).await;
    let start = app.clock.now().minus(Duration::from_secs(3_600)).to_string();
    app.clock.advance(Duration::from_secs(3_600));
    let times = json!({"startTime": start, "endTime": app.clock.now().to_string()});
    let body = |definition: Value| {
        let mut body = times.clone();
        body["monitor"] = monitor(definition);
        body
    };
    let plain = app
        .send("POST", "/v2/monitors/backtest", Some(&app.owner_token), Some(&body(json!({}))))
        .await
        .json();
    let answer = Answer::read(streamed(&app, &body(json!({}))).await).await;
    assert_eq!(answer.headers["content-type"], "text/event-stream");
    assert_eq!(answer.headers["x-accel-buffering"], "no");
    let (name, mut result) = last_event(&answer.text);
    // What a query costs is measured each time.
    result["monitor"]["cost"] = plain["monitor"]["cost"].clone();
    assert_eq!((name.as_str(), &result), ("result", &plain));
    assert_eq!(result["monitor"]["opened"], 1);
    let answer = Answer::read(streamed(&app, &body(json!({"aplQuery": "['web'] | where"}))).await).await;
    let (name, told) = last_event(&answer.text);
    assert_eq!((name.as_str(), &told["code"]), ("error", &json!(400)), "{told}");
    assert!(told["diagnostics"][0]["line"].is_number() && told["requestId"].is_string(), "{told}");
    let answer = Answer::read(streamed(&app, &body(json!({"intervalMinutes": 0}))).await).await;
    let (name, told) = last_event(&answer.text);
    assert_eq!(name, "error");
    assert!(told["message"].as_str().unwrap().starts_with("intervalMinutes in body"), "{told}");
}

/// A stream keeps its place among the requests as long as it is read, and no longer.
async fn left(app: TestApp) {
    send(&app, &json!([{"status": 500}])).await;
    let now = app.clock.now();
    let start = now.minus(Duration::from_secs(24 * 60 * 60)).to_string();
    // One query for each of 1,440 runs.
    let definition = monitor(json!({"aplQuery": "['web'] | summarize dcount(status)"}));
    let body = json!({"monitor": definition, "startTime": start, "endTime": now.to_string()});
    let free = app.app.load.available_permits();
    let response = streamed(&app, &body).await;
    assert_eq!(app.app.load.available_permits(), free - 1);
    let mut events = response.into_body().into_data_stream();
    let first = events.next().await.unwrap().unwrap();
    let text = String::from_utf8_lossy(&first).into_owned();
    let (name, told) = last_event(&text);
    assert!(name == "progress" || name == "result", "{text}");
    if name == "progress" {
        assert!(told["queries"].as_u64().unwrap() > 0 && told["share"].as_f64().unwrap() < 1.0, "{told}");
    }
    drop(events);
    assert_eq!(app.app.load.available_permits(), free);
}

async fn bounded(app: TestApp) {
    send(&app, &json!([{"status": 500}])).await;
    let now = app.clock.now();
    let day = Duration::from_secs(24 * 60 * 60);
    let ask = async |definition: Value, days: u32| {
        let start = now.minus(day * days).to_string();
        let body = json!({"monitor": definition, "startTime": start, "endTime": now.to_string()});
        app.send("POST", "/v2/monitors/backtest", Some(&app.owner_token), Some(&body)).await
    };
    // All runs of 90 days at each minute, from a few queries.
    let answer = ask(monitor(json!({})), 90).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["monitor"]["runs"]), (200, &json!(90 * 24 * 60)));
    assert!(answer.json()["monitor"]["values"].as_array().unwrap().len() <= 2_000);
    let refused = [
        ask(monitor(json!({})), 91).await,
        ask(monitor(json!({"aplQuery": "['web'] | summarize dcount(status)"})), 30).await,
    ];
    for answer in &refused {
        assert!(matches!(answer.status.as_u16(), 400 | 422), "{answer:?}");
        assert!(answer.json()["hint"].is_string(), "{answer:?}");
    }
    let wrong = ask(monitor(json!({"aplQuery": "['web'] | where"})), 1).await;
    assert_eq!(wrong.status, 400, "{wrong:?}");
}
