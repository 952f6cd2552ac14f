//! Templates of custom webhooks: what they write, what is refused with its place, and that no value leaves its string.

use proptest::prelude::*;
use serde_json::{Value, json};
use tidegauge_notify::template::Template;

use crate::samples::{closed, grouped, hostile, matched, opened};

const DEFAULT: &str = r#"{
  "action": "{{.Action}}",
  "event": {
    "monitorID": "{{.MonitorID}}",
    "body": "{{.Body}}",
    "description": "{{.Description}}",
    "queryEndTime": "{{.QueryEndTime}}",
    "queryStartTime": "{{.QueryStartTime}}",
    "timestamp": "{{.Timestamp}}",
    "title": "{{.Title}}",
    "value": {{.Value}},
    "matchedEvent": {{jsonObject .MatchedEvent}},
    "groupKeys": {{jsonArray .GroupKeys}},
    "groupValues": {{jsonArray .GroupValues}}
  }
}"#;

fn render(template: &str, message: &tidegauge_model::message::Message) -> String {
    Template::parse(template).unwrap().render(message).unwrap()
}

#[test]
fn the_documented_template_writes_the_documented_body() {
    let body: Value = serde_json::from_str(&render(DEFAULT, &opened())).unwrap();
    let expected = json!({
        "action": "Open",
        "event": {
            "monitorID": "mon_01890a5dac96774bbcceb302099a8057",
            "body": "Current value of 57347 is above or equal to the threshold value of 0",
            "description": "More errors than on a quiet day",
            "queryEndTime": "2026-06-28 14:55:57.631364 +0000 UTC",
            "queryStartTime": "2026-06-28 14:50:57.631364 +0000 UTC",
            "timestamp": "2026-06-28 14:55:58.631364 +0000 UTC",
            "title": "Errors Triggered",
            "value": 57347,
            "matchedEvent": null,
            "groupKeys": null,
            "groupValues": null,
        },
    });
    assert_eq!(body, expected);
    let body: Value = serde_json::from_str(&render(DEFAULT, &matched())).unwrap();
    assert_eq!(body["event"]["matchedEvent"]["status"], 500);
    let body: Value = serde_json::from_str(&render(DEFAULT, &grouped())).unwrap();
    assert_eq!(body["event"]["groupKeys"], json!(["service", "region"]));
    assert_eq!(body["event"]["groupValues"], json!(["checkout", "eu-1"]));
}

#[test]
fn every_part_of_the_language_has_its_meaning() {
    let cases = [
        ("{{.Title}}", "Errors Triggered"),
        ("{{ .Value }}", "57347"),
        (r#"{{if eq .Action "Open"}}a{{else}}b{{end}}"#, "a"),
        (r#"{{if eq .Action "Closed"}}a{{else}}b{{end}}"#, "b"),
        (r#"{{if eq .Action "Closed" "Open"}}a{{end}}"#, "a"),
        (r#"{{if ne .Action "Open"}}a{{else if eq .Value 57347}}b{{else}}c{{end}}"#, "b"),
        (r#"{{if eq .Value 1}}a{{else if eq .Value 2}}b{{else if .MatchedEvent}}c{{else}}d{{end}}"#, "d"),
        (r#"{{if and (eq .Action "Open") (not .MatchedEvent)}}a{{end}}"#, "a"),
        (r#"{{if or .MatchedEvent (and .Title (not (eq .Value 0)))}}a{{end}}"#, "a"),
        ("{{if .GroupKeys}}a{{else}}b{{end}}", "b"),
        ("{{if true}}a{{end}}{{if false}}b{{end}}{{if nil}}c{{end}}{{if 0}}d{{end}}{{if \"\"}}e{{end}}", "a"),
        ("a  {{- .Value -}}  b", "a57347b"),
        ("a\n{{- if true }} x {{ end -}}\n b", "a x b"),
        ("a {{/* nothing */}} b", "a  b"),
        ("a {{- /* nothing */ -}} b", "ab"),
        ("{{`raw \"text\"`}}{{\"a\\tb\"}}", "raw \"text\"a\tb"),
        ("{{.Action | eq \"Open\"}}", "true"),
        ("{{.GroupKeys | jsonArray}}", "null"),
        ("{{jsonObject .Title}}", "\"Errors Triggered\""),
        ("{{or .MatchedEvent .Title}}", "Errors Triggered"),
        ("{{(((.Value)))}}", "57347"),
        ("{ {}} }", "{ {}} }"),
        ("{{-3}}", "-3"),
        ("", ""),
    ];
    for (template, expected) in cases {
        assert_eq!(render(template, &opened()), expected, "{template}");
    }
    assert_eq!(render("{{.Action}}", &closed()), "Closed");
    assert_eq!(render("{{.GroupValues}}", &grouped()), r#"["checkout","eu-1"]"#);
    assert_eq!(
        render(r#"{"event": "{{jsonObject .MatchedEvent}}"}"#, &matched()).matches("\\\"").count(),
        10
    );
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let cases = [
        ("a\nb {{.Titel}}", "line 2, column 5: there is no variable .Titel"),
        ("{{.}}", "line 1, column 3: there is no variable ."),
        ("{{title}}", "line 1, column 3: there is no function title"),
        ("ä {{if eq .Value}}{{end}}", "line 1, column 8: eq takes 2 to 16 values, not 1"),
        ("{{not .Title .Body}}", "line 1, column 3: not takes 1 values, not 2"),
        ("{{if .Title}}", "line 1, column 3: the if has no end"),
        ("{{if .Title}}{{else}}", "line 1, column 3: the if has no end"),
        ("{{if .Title}}{{else}}{{else}}{{end}}", "line 1, column 24: after else comes end"),
        ("{{if .Title}}{{else .Body}}{{end}}", "line 1, column 21: nothing follows else here"),
        ("{{end}}", "line 1, column 3: end belongs to no if"),
        ("{{else}}", "line 1, column 3: else belongs to no if"),
        ("{{if}}{{end}}", "line 1, column 3: a value is missing"),
        ("{{}}", "line 1, column 1: there is nothing between the braces"),
        ("{{ .Title", "line 1, column 1: the braces {{ have no end }}"),
        ("{{ /* x }}", "line 1, column 1: the comment has no end"),
        ("{{(.Title}}", "line 1, column 3: the parenthesis is not closed"),
        ("{{.Title)}}", "line 1, column 9: the parenthesis closes nothing"),
        ("{{\"a}}", "line 1, column 3: the text has no end"),
        ("{{range .GroupKeys}}{{end}}", "line 1, column 3: range is not supported"),
        ("{{with .Title}}{{end}}", "line 1, column 3: with is not supported"),
        ("{{.Title .Body}}", "line 1, column 3: only a function is followed by values"),
        ("{{.Title | .Body}}", "line 1, column 12: a pipe leads to a function"),
        ("{{eq not .Title}}", "line 1, column 6: put not and its values in parentheses"),
        ("{{$x := 1}}", "line 1, column 3: \"$\" has no meaning here"),
        ("{{1x}}", "line 1, column 3: \"1x\" is not a number"),
        ("{{.MatchedEvent.status}}", "line 1, column 16: there is no variable .status"),
    ];
    for (template, expected) in cases {
        let mistake = Template::parse(template).unwrap_err().to_string();
        assert!(mistake.starts_with(expected), "{template}: {mistake}");
    }
}

#[test]
fn depth_and_length_are_bounded() {
    let deep = format!("{}{}", "{{if true}}".repeat(33), "{{end}}".repeat(33));
    assert!(Template::parse(&deep).unwrap_err().problem.contains("more than 32 deep"));
    let nested = format!("{{{{{}.Title{}}}}}", "(".repeat(33), ")".repeat(33));
    assert!(Template::parse(&nested).unwrap_err().problem.contains("more than 32 deep"));
    assert!(Template::parse(&"x".repeat(40_000)).is_err());
    let mut message = opened();
    message.body = "x".repeat(100_000);
    assert_eq!(Template::parse(&"{{.Body}}".repeat(100)).unwrap().render(&message), None);
}

#[test]
fn values_stay_inside_their_strings() {
    let body: Value = serde_json::from_str(&render(DEFAULT, &hostile())).unwrap();
    assert_eq!(body["event"]["title"], hostile().title);
    assert_eq!(body["event"]["value"], Value::Null);
    // A backslash of the template before a value does not help the value to end the string.
    let body: Value = serde_json::from_str(&render(r#"{"a": "\{{.Title}}"}"#, &hostile())).unwrap();
    assert_eq!(body["a"], format!("\\{}", hostile().title));
}

proptest! {
    #[test]
    fn no_text_leaves_its_string(text in any::<String>()) {
        let mut message = opened();
        message.title = text.clone();
        let body: Value = serde_json::from_str(&render(r#"{"a\"": "{{.Title}}", "b": [{{jsonObject .Title}}]}"#, &message)).unwrap();
        prop_assert_eq!(body, json!({"a\"": text.clone(), "b": [text]}));
    }

    #[test]
    fn no_template_panics(text in "[{}()|.\"`\\\\a-z \\-*/A-Z0-9é\n]{0,80}") {
        if let Ok(template) = Template::parse(&text) {
            template.render(&matched());
        }
    }
}
