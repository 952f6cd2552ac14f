//! What runs find, tell and keep.

use std::time::Duration;

use serde_json::{Value, json};
use tidegauge_app::jobs::alerting::prune;
use tidegauge_catalog::annotations::AnnotationFilter;
use tidegauge_catalog::monitor_checks::CheckOutcome;
use tidegauge_model::monitor::AlertState::{Closed, Open};
use tidegauge_model::{Clock, MonitorId, Role};

use super::support::{MINUTE, checks, create, messages, monitor, next_minute, notifier, run_due, send};
use crate::app::TestApp;
use crate::cases::Case;

pub(crate) const ALL: &[(&str, Case)] = &[
    ("alerting::an_alert_opens_and_closes", |app| Box::pin(opens_and_closes(app))),
    ("alerting::groups_have_states_of_their_own", |app| Box::pin(groups(app))),
    ("alerting::each_event_is_told_once", |app| Box::pin(events(app))),
    ("alerting::values_are_compared_with_what_is_expected", |app| Box::pin(anomalies(app))),
    ("alerting::a_failing_query_is_kept_in_the_history", |app| Box::pin(failing(app))),
    ("alerting::a_pause_is_caught_up_with_one_run", |app| Box::pin(pause(app))),
    ("alerting::what_is_off_is_not_run", |app| Box::pin(off(app))),
    ("alerting::the_history_tells_what_runs_found", |app| Box::pin(told_to_people(app))),
    ("alerting::how_all_monitors_stand_is_one_answer", |app| Box::pin(standings(app))),
    ("alerting::an_alert_is_closed_by_hand", |app| Box::pin(closed_by_hand(app))),
    ("alerting::a_monitor_goes_on_without_its_maker_and_reads_what_it_read", |app| {
        Box::pin(without_its_maker(app))
    }),
    ("alerting::old_runs_are_dropped_and_changes_later", |app| Box::pin(dropped(app))),
];

async fn opens_and_closes(app: TestApp) {
    send(&app, &json!([{"status": 200}])).await;
    let hook = notifier(&app).await;
    let id = create(&app, &monitor(json!({"notifierIds": [hook.as_str()]}))).await;
    next_minute(&app).await;
    send(&app, &json!([{"status": 500}, {"status": 503}, {"status": 200}])).await;
    next_minute(&app).await;
    next_minute(&app).await;
    let found: Vec<_> =
        checks(&app, &id).await.iter().map(|check| (check.state, check.value, check.is_change)).collect();
    assert_eq!(found, [(Closed, Some(0.0), false), (Open, Some(2.0), true), (Closed, Some(0.0), true)]);
    let told = messages(&app, &hook).await;
    assert_eq!(told.len(), 2);
    let (opened, closed) = (&told[0].message, &told[1].message);
    assert_eq!(opened.body, "Current value of 2 is above or equal to the threshold value of 2");
    assert_eq!((opened.state, closed.state, opened.value), (Open, Closed, 2.0));
    assert_eq!(opened.incident, closed.incident);
    assert_eq!(opened.query_end.as_micros() - opened.query_start.as_micros(), 60_000_000);
    let marks = app.app.catalog.list_annotations(&app.org, &AnnotationFilter::default()).await.unwrap();
    assert_eq!(marks.len(), 1);
    assert_eq!(
        (marks[0].datasets.as_slice(), marks[0].at),
        (["web".to_owned()].as_slice(), opened.timestamp)
    );
}

async fn standings(app: TestApp) {
    let states = async || {
        let answer = app.send("GET", "/v2/monitors/states", Some(&app.owner_token), None).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    };
    send(&app, &json!([{"status": 200, "host": "a"}])).await;
    let by_host = json!({
        "aplQuery": "['web'] | where status >= 500 | summarize count() by host",
        "notifyByGroup": true,
        "resolvable": true,
    });
    let id = create(&app, &monitor(by_host)).await;
    app.clock.advance(Duration::from_secs(1));
    let until = app.clock.now().plus(Duration::from_secs(86_400)).to_string();
    create(&app, &monitor(json!({"name": "muted", "disabledUntil": until}))).await;
    app.clock.advance(Duration::from_secs(1));
    create(&app, &monitor(json!({"name": "off", "disabled": true}))).await;
    let fresh = states().await;
    assert_eq!(fresh.as_array().unwrap().len(), 3, "{fresh}");
    assert_eq!((&fresh[0]["state"], &fresh[0]["open"]), (&json!("closed"), &json!(0)));
    assert!(fresh[0].get("lastRun").is_none() && fresh[0].get("since").is_none(), "{fresh}");
    next_minute(&app).await;
    let first = states().await;
    assert_eq!((&first[0]["state"], &first[0]["lastRun"]["outcome"]), (&json!("closed"), &json!("no_data")));
    let hosts = ["a", "a", "b", "b", "b"];
    send(&app, &json!(hosts.map(|host| json!({"status": 500, "host": host})))).await;
    next_minute(&app).await;
    let opened = states().await;
    let run = &checks(&app, &id).await[1];
    assert_eq!((&opened[0]["state"], &opened[0]["open"]), (&json!("open"), &json!(2)), "{opened}");
    let named: Vec<&Value> =
        opened[0]["groups"].as_array().unwrap().iter().map(|open| &open["group"]).collect();
    assert_eq!(named, [&json!({"host": "a"}), &json!({"host": "b"})]);
    assert_eq!(opened[0]["since"], run.at.to_string());
    assert_eq!(opened[0]["lastRun"]["timestamp"], run.at.to_string());
    assert!(opened[0]["nextRun"].as_str().unwrap() > run.at.to_string().as_str(), "{opened}");
    // What rests has no run ahead before its time, or none at all.
    assert_eq!(opened[1]["mutedUntil"], until);
    assert!(opened[1].get("nextRun").is_none_or(|next| next.as_str().unwrap() >= until.as_str()), "{opened}");
    assert_eq!((&opened[2]["disabled"], opened[2].get("nextRun")), (&json!(true), None));
    let resolve = format!("/v2/monitors/{id}/resolve");
    app.clock.advance(Duration::from_secs(1));
    assert_eq!(app.send("POST", &resolve, Some(&app.owner_token), None).await.status, 200);
    let closed = states().await;
    assert_eq!((&closed[0]["state"], &closed[0]["open"]), (&json!("closed"), &json!(0)), "{closed}");
    assert_eq!(closed[0]["since"], app.clock.now().to_string());
    assert_eq!(closed[0]["lastRun"]["timestamp"], run.at.to_string(), "people make no runs");
    // Nobody else's.
    let theirs = app.send("GET", "/v2/monitors/states", Some(&app.other_token), None).await;
    assert_eq!(theirs.json(), json!([]));
}

async fn groups(app: TestApp) {
    send(&app, &json!([{"status": 200, "host": "a"}])).await;
    let hook = notifier(&app).await;
    let different = json!({
        "aplQuery": "['web'] | where status >= 500 | summarize count() by host",
        "notifyByGroup": true,
        "notifierIds": [hook.as_str()],
    });
    let id = create(&app, &monitor(different)).await;
    next_minute(&app).await;
    let hits = |host: &str, count: usize| {
        (0..count).map(|_| json!({"status": 500, "host": host})).collect::<Vec<_>>()
    };
    send(&app, &json!([hits("a", 3), hits("b", 2), hits("c", 1)].concat())).await;
    next_minute(&app).await;
    send(&app, &json!(hits("b", 2))).await;
    next_minute(&app).await;
    next_minute(&app).await;
    let told = messages(&app, &hook).await;
    let told: Vec<_> = told.iter().map(|one| (one.message.state, one.message.group.clone())).collect();
    let host = |host: &str| vec![("host".to_owned(), host.to_owned())];
    assert_eq!(told, [(Open, host("a")), (Closed, host("b"))]);
    let found = checks(&app, &id).await;
    let of_groups = found.iter().filter(|check| !check.group_key.is_empty()).count();
    assert_eq!(of_groups, 2 + 2 + 1);
}

async fn events(app: TestApp) {
    send(&app, &json!([{"status": 200, "path": "/"}])).await;
    let hook = notifier(&app).await;
    let different = json!({
        "type": "MatchEvent",
        "aplQuery": "['web'] | where status >= 500 | project status, path",
        "rangeMinutes": 5,
        "notifierIds": [hook.as_str()],
    });
    let id = create(&app, &monitor(different)).await;
    next_minute(&app).await;
    send(&app, &json!([{"status": 500, "path": "/a"}, {"status": 404}])).await;
    next_minute(&app).await;
    // The window is longer than the interval, and still nothing is told twice.
    send(&app, &json!([{"status": 503, "path": "/b"}])).await;
    next_minute(&app).await;
    next_minute(&app).await;
    let told = messages(&app, &hook).await;
    let told: Vec<_> = told.iter().map(|one| one.message.matched_event.clone().unwrap()).collect();
    assert_eq!(told, [r#"{"status":500,"path":"/a"}"#, r#"{"status":503,"path":"/b"}"#]);
    let found: Vec<_> = checks(&app, &id).await.iter().map(|check| check.value.unwrap()).collect();
    assert_eq!(found, [0.0, 1.0, 1.0, 0.0]);
}

async fn anomalies(app: TestApp) {
    send(&app, &json!([{"status": 200}])).await;
    let hook = notifier(&app).await;
    let different = json!({
        "type": "AnomalyDetection",
        "aplQuery": "['web'] | summarize count() by bin(_time, 1m)",
        "operator": "Above",
        "tolerance": 3,
        "rangeMinutes": 10,
        "notifierIds": [hook.as_str()],
    });
    let id = create(&app, &monitor(different)).await;
    for count in [2, 3, 2, 3, 2, 20] {
        send(&app, &json!((0..count).map(|_| json!({"status": 200})).collect::<Vec<_>>())).await;
        next_minute(&app).await;
    }
    next_minute(&app).await;
    let told = messages(&app, &hook).await;
    let told: Vec<_> = told.iter().map(|one| (one.message.state, one.message.value)).collect();
    assert_eq!(told, [(Open, 20.0), (Closed, 0.0)], "{:?}", checks(&app, &id).await);
}

async fn failing(app: TestApp) {
    send(&app, &json!([{"status": 500}])).await;
    let hook = notifier(&app).await;
    let id = create(&app, &monitor(json!({"notifierIds": [hook.as_str()]}))).await;
    let path = "/v2/datasets/web";
    assert_eq!(app.send("DELETE", path, Some(&app.owner_token), None).await.status, 204);
    next_minute(&app).await;
    next_minute(&app).await;
    let found = checks(&app, &id).await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|check| check.outcome == CheckOutcome::Failed));
    assert!(found[0].reason.contains("dataset"), "{found:?}");
    assert_eq!(messages(&app, &hook).await.len(), 0);
}

async fn pause(app: TestApp) {
    send(&app, &json!([{"status": 200}])).await;
    let hook = notifier(&app).await;
    let counted = create(&app, &monitor(json!({}))).await;
    let different = json!({"type": "MatchEvent", "aplQuery": "['web'] | where status >= 500", "notifierIds": [hook.as_str()]});
    let matched = create(&app, &monitor(different)).await;
    next_minute(&app).await;
    let start = app.clock.now();
    for minute in 1..=3 {
        app.clock.advance(MINUTE * minute);
        send(&app, &json!([{"status": 500}])).await;
    }
    app.clock.advance(MINUTE * 4);
    run_due(&app).await;
    let found = checks(&app, &counted).await;
    let missed: Vec<_> = found.iter().map(|check| check.missed).collect();
    assert_eq!(missed, [0, 9]);
    // No event is passed over, although most of the runs were not made.
    assert_eq!(messages(&app, &hook).await.len(), 3);
    let windows: Vec<_> = checks(&app, &matched).await.iter().map(|check| check.window).collect();
    assert_eq!(windows[0].1, windows[1].0);
    assert!(start < windows[1].1);
}

async fn off(app: TestApp) {
    send(&app, &json!([{"status": 200}])).await;
    let off = create(&app, &monitor(json!({"disabled": true}))).await;
    let until = app.clock.now().plus(MINUTE * 3).to_string();
    let later = create(&app, &monitor(json!({"disabledUntil": until}))).await;
    for _ in 0..5 {
        next_minute(&app).await;
    }
    assert_eq!(checks(&app, &off).await.len(), 0);
    let found = checks(&app, &later).await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|check| check.missed == 0));
    // Enabled by hand, it runs from the next minute on.
    let path = format!("/v2/monitors/{off}");
    let answer = app.send("PUT", &path, Some(&app.owner_token), Some(&monitor(json!({})))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    next_minute(&app).await;
    assert_eq!(checks(&app, &off).await.len(), 1);
}

/// Three runs, of which the second opens an alert and the third ends it.
async fn three_runs(app: &TestApp) -> MonitorId {
    send(app, &json!([{"status": 200}])).await;
    let id = create(app, &monitor(json!({}))).await;
    next_minute(app).await;
    send(app, &json!([{"status": 500}, {"status": 503}])).await;
    next_minute(app).await;
    next_minute(app).await;
    id
}

async fn told_to_people(app: TestApp) {
    let id = three_runs(&app).await;
    let get = async |path: &str| {
        let answer =
            app.send("GET", &format!("/v2/monitors/{id}/{path}"), Some(&app.owner_token), None).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json().as_array().unwrap().clone()
    };
    let of = |entries: &[Value], keys: &[&str]| -> Vec<Value> {
        entries.iter().map(|entry| keys.iter().map(|key| entry[*key].clone()).collect()).collect()
    };
    let day = "startTime=2026-06-01T00:00:00Z&endTime=2026-06-02T00:00:00Z";
    let history = get(&format!("history?{day}")).await;
    let (third, second, first) = ("2026-06-01T12:03:00Z", "2026-06-01T12:02:00Z", "2026-06-01T12:01:00Z");
    assert_eq!(
        of(&history, &["timestamp", "state", "name"]),
        [
            json!([third, "closed", "errors"]),
            json!([second, "open", "errors"]),
            json!([first, "closed", "errors"])
        ]
    );
    let runs = get("runs").await;
    let keys = ["timestamp", "state", "isChange", "outcome", "value", "missedRuns", "queryStartTime"];
    assert_eq!(
        of(&runs, &keys),
        [
            json!([third, "closed", true, "judged", 0, 0, second]),
            json!([second, "open", true, "judged", 2, 0, first]),
            json!([first, "closed", false, "judged", 0, 0, "2026-06-01T12:00:00Z"])
        ]
    );
    // Between two times, the second of which is no part of it, and no more than asked for.
    let some = get(&format!("runs?startTime={first}&endTime={third}&limit=1")).await;
    assert_eq!(of(&some, &["timestamp"]), [json!([second])]);
}

async fn closed_by_hand(app: TestApp) {
    send(&app, &json!([{"status": 200}])).await;
    let hook = notifier(&app).await;
    let different = json!({"resolvable": true, "rangeMinutes": 60, "notifierIds": [hook.as_str()]});
    let id = create(&app, &monitor(different)).await;
    let resolve = async || {
        let path = format!("/v2/monitors/{id}/resolve");
        let answer = app.send("POST", &path, Some(&app.owner_token), None).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["messages"].as_u64().unwrap()
    };
    next_minute(&app).await;
    send(&app, &json!([{"status": 500}, {"status": 500}])).await;
    next_minute(&app).await;
    app.clock.advance(MINUTE / 60);
    assert_eq!((resolve().await, resolve().await), (1, 0));
    // Its reason is still there, and it stays closed.
    next_minute(&app).await;
    let told = messages(&app, &hook).await;
    let states: Vec<_> = told.iter().map(|one| (one.message.state, &one.message.incident)).collect();
    assert_eq!(states, [(Open, &told[0].message.incident), (Closed, &told[0].message.incident)]);
    // It was over, and comes again.
    app.clock.advance(MINUTE * 61);
    run_due(&app).await;
    send(&app, &json!([{"status": 500}, {"status": 500}])).await;
    next_minute(&app).await;
    let told = messages(&app, &hook).await;
    assert_eq!((told.len(), told[2].message.state), (3, Open));
    assert_ne!(told[2].message.incident, told[0].message.incident);
}

async fn without_its_maker(app: TestApp) {
    send(&app, &json!([{"status": 200}])).await;
    let hook = notifier(&app).await;
    let maker = app.member_token(Role::User).await;
    let pattern = json!({
        "aplQuery": "union web* | where status >= 500 | summarize count()",
        "notifierIds": [hook.as_str()],
    });
    let made = app.send("POST", "/v2/monitors", Some(&maker), Some(&monitor(pattern))).await;
    assert_eq!(made.status, 200, "{made:?}");
    let id = MonitorId::from(made.json()["id"].as_str().unwrap());
    let user = app.send("GET", "/v2/user", Some(&maker), None).await.json();
    let path = format!("/v2/users/{}", user["id"].as_str().unwrap());
    assert_eq!(app.send("DELETE", &path, Some(&app.owner_token), None).await.status, 204);

    // It fits the pattern and came later: nobody has allowed the monitor to read it.
    let later = json!([{"status": 500}, {"status": 500}, {"status": 500}]);
    let path = "/v1/datasets/web-of-others/ingest";
    assert_eq!(app.send("POST", path, Some(&app.owner_token), Some(&later)).await.status, 200);
    next_minute(&app).await;
    send(&app, &json!([{"status": 500}, {"status": 500}])).await;
    next_minute(&app).await;
    let found: Vec<_> =
        checks(&app, &id).await.iter().map(|check| (check.outcome, check.value, check.state)).collect();
    assert_eq!(
        found,
        [(CheckOutcome::Evaluated, Some(0.0), Closed), (CheckOutcome::Evaluated, Some(2.0), Open)]
    );
    assert_eq!(messages(&app, &hook).await.len(), 1);
}

async fn dropped(app: TestApp) {
    const DAY: std::time::Duration = std::time::Duration::from_secs(24 * 60 * 60);
    let id = three_runs(&app).await;
    let left = async |days: u32| {
        app.clock.advance(DAY * days);
        prune(&app.app).await.unwrap();
        checks(&app, &id).await.len()
    };
    assert_eq!((left(6).await, left(1).await), (3, 2), "those that changed nothing go after a week");
    assert_eq!((left(82).await, left(1).await), (2, 0), "the others after ninety days");
}
