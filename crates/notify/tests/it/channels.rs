//! Each channel against what its receiver documents: addresses, credentials, keys, lengths, and texts that try to be
//! more than texts.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tidegauge_egress::resolver::SystemResolver;
use tidegauge_egress::webhook::WebhookClient;
use tidegauge_model::message::Message;
use tidegauge_notify::channels::{Configured, Outbound};

use crate::samples::{DELIVERY, at, closed, grouped, hostile, matched, opened, request, write};

fn body(properties: &Value, message: &Message) -> Value {
    serde_json::from_str(&request(properties, message).body).unwrap()
}

fn header(properties: &Value, name: &str) -> Option<String> {
    let request = request(properties, &opened());
    request.headers.into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

fn every_http_channel() -> Vec<Value> {
    let url = "https://hooks.example/x";
    vec![
        json!({"chatA": {"chatAChannel": "1234", "chatAToken": "t0k3n"}}),
        json!({"chatAWebhook": {"chatAWebhookUrl": url}}),
        json!({"chatB": {"chatBUrl": url}}),
        json!({"chatC": {"chatCUrl": url}}),
        json!({"incidentA": {"apiKey": "k3y"}}),
        json!({"incidentB": {"routingKey": "r0ute"}}),
        json!({"webhook": {"url": url}}),
        json!({"customWebhook": {"url": url, "body": "{\"title\": \"{{.Title}}\"}"}}),
        json!({"webhook": {"url": url, "format": "alertmanager"}}),
    ]
}

#[test]
fn credentials_and_addresses_are_where_receivers_look_for_them() {
    let bot = json!({"discord": {"discordChannel": "1234", "discordToken": "t0k3n"}});
    assert_eq!(request(&bot, &opened()).url, "https://chat-a.example/api/v10/channels/1234/messages");
    assert_eq!(header(&bot, "authorization").as_deref(), Some("Bot t0k3n"));
    let eu = json!({"opsgenie": {"apiKey": "k3y", "isEU": true}});
    assert_eq!(request(&eu, &opened()).url, "https://eu.incident-a.example/v2/alerts");
    assert_eq!(header(&eu, "authorization").as_deref(), Some("GenieKey k3y"));
    let elsewhere = json!({"incidentA": {"apiKey": "k3y"}});
    assert_eq!(
        request(&elsewhere, &closed()).url,
        "https://incident-a.example/v2/alerts/mon_01890a5dac96774bbcceb302099a8057.1782658500/close?identifierType=alias"
    );
    let pager = json!({"pagerduty": {"routingKey": "r0ute", "token": "t"}});
    assert_eq!(request(&pager, &opened()).url, "https://incident-b.example/v2/enqueue");
    for properties in every_http_channel() {
        assert_eq!(header(&properties, "content-type").as_deref(), Some("application/json"), "{properties}");
    }
}

#[test]
fn incidents_are_closed_by_the_key_they_were_opened_with() {
    let properties = json!({"incidentB": {"routingKey": "r0ute"}});
    let (open, close) = (body(&properties, &opened()), body(&properties, &closed()));
    assert_eq!((&open["event_action"], &close["event_action"]), (&json!("trigger"), &json!("resolve")));
    assert_eq!(open["dedup_key"], close["dedup_key"]);
    assert_eq!(
        close,
        json!({"routing_key": "r0ute", "event_action": "resolve", "dedup_key": open["dedup_key"]})
    );
    let long = Message { incident: "é".repeat(1_000), ..opened() };
    assert_eq!(body(&properties, &long)["dedup_key"].as_str().unwrap().len(), 64);
    let alias = json!({"incidentA": {"apiKey": "k"}});
    let open = body(&alias, &long)["alias"].as_str().unwrap().to_owned();
    let long = Message { incident: "é".repeat(1_000), ..closed() };
    assert!(request(&alias, &long).url.contains(&open));
}

#[test]
fn alertmanager_and_its_receivers_know_an_alert_again() {
    let url = "https://hooks.example/api/v2/alerts";
    let receiver = json!({"webhook": {"url": url, "format": "alertmanager"}});
    let began = at(-60);
    let named = |message: Message| Message { incident: format!("mon_1-{}", began.as_micros()), ..message };
    let (open, close) = (body(&receiver, &named(grouped())), body(&receiver, &named(closed())));
    assert_eq!(
        (&open["version"], &open["status"], &close["status"]),
        (&json!("4"), &json!("firing"), &json!("resolved"))
    );
    let (one, other) = (&open["alerts"][0], &close["alerts"][0]);
    for key in ["labels", "fingerprint", "startsAt"] {
        assert_eq!(one[key], other[key], "{key}");
    }
    assert_eq!(one["startsAt"], json!(began.to_string()));
    assert_eq!(
        (&one["endsAt"], &other["endsAt"]),
        (&json!("0001-01-01T00:00:00Z"), &json!(closed().timestamp.to_string()))
    );
    assert_eq!(
        (&one["labels"]["alertname"], &one["annotations"]["group_service"]),
        (&json!("Errors"), &json!("checkout"))
    );

    let api = json!({"webhook": {"url": url, "format": "alertmanagerApi"}});
    let (open, close) = (body(&api, &named(opened())), body(&api, &named(closed())));
    assert_eq!((&open[0]["labels"], &open[0]["startsAt"]), (&close[0]["labels"], &close[0]["startsAt"]));
    // One that says no end would end after some minutes.
    assert_eq!(open[0]["endsAt"], json!("2026-07-28T14:55:58.631364Z"));
    assert_eq!(close[0]["endsAt"], json!(closed().timestamp.to_string()));
    for passing in [matched(), Message { is_test: true, ..opened() }] {
        assert_eq!(body(&api, &passing)[0].get("endsAt"), None);
    }
    // A name that says another time than one that can be meant.
    let odd = Message { incident: format!("x-{}", i64::MAX), ..opened() };
    assert_eq!(body(&api, &odd)[0]["startsAt"], json!(opened().timestamp.to_string()));
}

#[test]
fn the_path_of_an_incident_cannot_lead_elsewhere() {
    let properties = json!({"incidentA": {"apiKey": "k"}});
    let message = Message { incident: "../../v1/x?y=z#".to_owned(), ..closed() };
    let url = request(&properties, &message).url;
    assert_eq!(
        url,
        "https://incident-a.example/v2/alerts/..%2F..%2Fv1%2Fx%3Fy=z%23/close?identifierType=alias"
    );
    for channel in ["../../users", "", "a/b", "1?x"] {
        let properties = json!({"chatA": {"chatAChannel": channel, "chatAToken": "t"}});
        assert!(write(&properties, &opened()).is_err(), "{channel}");
    }
}

/// The longest texts that receivers take, by their documentation.
#[test]
fn texts_are_cut_to_what_receivers_take() {
    let long = "x".repeat(50_000);
    let event = json!({"text": long}).to_string();
    let message = Message {
        title: long.clone(),
        body: long.clone(),
        description: long.clone(),
        group: (0..50).map(|_| (long.clone(), long.clone())).collect(),
        matched_event: Some(event),
        ..opened()
    };
    let text = |value: &Value| value.as_str().unwrap().chars().count();
    let chat_a = body(&every_http_channel()[0], &message);
    let embed = &chat_a["embeds"][0];
    assert!(text(&chat_a["content"]) <= 2_000 && text(&embed["title"]) <= 256);
    assert!(chat_a["nonce"].as_str().unwrap().len() <= 25);
    let fields = embed["fields"].as_array().unwrap();
    let in_fields: usize = fields.iter().map(|field| text(&field["name"]) + text(&field["value"])).sum();
    let in_all =
        in_fields + text(&embed["title"]) + text(&embed["description"]) + text(&embed["footer"]["text"]);
    assert!(fields.len() <= 25 && in_all <= 6_000, "{in_all}");
    let chat_b = body(&every_http_channel()[2], &message);
    let blocks = chat_b["attachments"][0]["blocks"].as_array().unwrap();
    assert!(text(&blocks[0]["text"]["text"]) <= 150 && text(&blocks[1]["text"]["text"]) <= 3_000);
    assert!(blocks[3]["fields"].as_array().unwrap().iter().all(|field| text(&field["text"]) <= 2_000));
    assert!(blocks[3]["fields"].as_array().unwrap().len() <= 10);
    assert!(request(&every_http_channel()[3], &message).body.len() <= 28 * 1024);
    let incident_a = body(&every_http_channel()[4], &message);
    assert!(text(&incident_a["message"]) <= 130 && text(&incident_a["description"]) <= 15_000);
    assert!(incident_a["details"].to_string().len() <= 8_000);
    assert!(text(&body(&every_http_channel()[5], &message)["payload"]["summary"]) <= 1_024);
}

#[test]
fn hostile_texts_stay_texts() {
    for properties in every_http_channel() {
        for state in [opened().state, closed().state] {
            let message = Message { state, ..hostile() };
            let written: Value = serde_json::from_str(&request(&properties, &message).body).unwrap();
            assert!(written.is_object(), "{properties}");
        }
    }
    let chat_a = body(&every_http_channel()[0], &hostile());
    assert_eq!(chat_a["allowed_mentions"], json!({"parse": []}));
    let title = chat_a["embeds"][0]["title"].as_str().unwrap();
    assert!(title.contains("\\[a\\]\\(http") && title.contains("\\@everyone"), "{title}");
    let chat_b = body(&every_http_channel()[2], &hostile()).to_string();
    assert!(!chat_b.contains("<!channel>\",\"verb") && chat_b.contains("&lt;!channel&gt;"), "{chat_b}");
    let Outbound::Mail(mail) = write(&json!({"email": {"emails": ["a@b.c"]}}), &hostile()).unwrap() else {
        panic!("a mail")
    };
    assert!(!mail.subject.contains(['\n', '\r', '\0']), "{mail:?}");
    assert!(mail.thread.bytes().all(|byte| byte.is_ascii_hexdigit()), "{mail:?}");
}

#[test]
fn every_receiver_is_shown_the_id_that_stays_the_same() {
    for properties in every_http_channel() {
        let request = request(&properties, &matched());
        let in_headers =
            request.headers.iter().any(|(name, value)| name == "webhook-id" && value == DELIVERY);
        let in_body = request.body.contains(&DELIVERY[DELIVERY.len() - 25..]);
        assert!(in_headers || in_body, "{properties}");
    }
    let Outbound::Mail(mail) = write(&json!({"email": {"emails": ["a@b.c"]}}), &opened()).unwrap() else {
        panic!("a mail")
    };
    assert_eq!(mail.id, DELIVERY);
}

#[test]
fn headers_of_a_custom_webhook_are_sent() {
    let properties = json!({"customWebhook": {
        "URL": "https://hooks.example/", "Body": "plain {{.Value}}",
        "Headers": {"Content-Type": "text/plain", "X-A": "1"}, "secretHeaders": {"Authorization": "Bearer s"},
    }});
    let request = request(&properties, &opened());
    let names: Vec<&str> = request.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["Content-Type", "X-A", "Authorization", "webhook-id", "webhook-timestamp", "webhook-signature"]
    );
    assert_eq!(request.body, "plain 57347");
    assert!(!format!("{request:?}").contains("Bearer"), "{request:?}");
}

#[test]
fn what_could_not_be_sent_is_refused_on_save() {
    let webhook_client = WebhookClient {
        allowed: Vec::new(),
        allows_plain_http: false,
        connect_time_max: Duration::from_secs(3),
        time_max: Duration::from_secs(10),
        response_bytes_max: 1024,
        resolver: Arc::new(SystemResolver),
    };
    let check = |properties: &Value| {
        let configured = Configured::read(&properties.to_string()).unwrap();
        configured.check(&webhook_client).map_err(|violation| violation.to_string())
    };
    for properties in every_http_channel() {
        assert_eq!(check(&properties), Ok(()), "{properties}");
    }
    let url = "https://hooks.example/";
    for (properties, expected) in [
        (
            json!({"webhook": {"url": "https://10.0.0.1/"}}),
            "properties.webhook.url in body the address of \"10.0.0.1\"",
        ),
        (json!({"webhook": {"url": "https://0x7f000001/"}}), "is not a public one"),
        (
            json!({"slack": {"slackUrl": "http://hooks.example/"}}),
            "properties.slack.slackUrl in body the address must begin with https",
        ),
        (json!({"chatC": {"chatCUrl": "https://a:b@hooks.example/"}}), "must not hold a user"),
        (
            json!({"customWebhook": {"url": url, "body": "{{.Nope}}"}}),
            "properties.customWebhook.body in body line 1, column 3",
        ),
        (
            json!({"customWebhook": {"url": url, "body": "x", "headers": {"HOST": "a"}}}),
            "headers.HOST in body is set by the service",
        ),
        (
            json!({"customWebhook": {"url": url, "body": "x", "secretHeaders": {"Webhook-Id": "a"}}}),
            "is set by the service",
        ),
    ] {
        let refused = check(&properties).unwrap_err();
        assert!(refused.contains(expected), "{properties}: {refused}");
    }
}
