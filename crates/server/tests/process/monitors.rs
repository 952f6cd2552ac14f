//! `tidegauge monitor` against a running service.

use serde_json::{Value, json};

use crate::database::Backend;
use crate::process::{Installation, Service, client, write};

/// A person at a terminal.
struct Terminal<'a> {
    service: &'a Service,
    token: String,
}

impl Terminal<'_> {
    fn run(&self, arguments: &[&str]) -> (bool, String, String) {
        let mut command = Installation::bare_command();
        command.arg("monitor").args(arguments).args(["--url", &self.service.url]);
        let output = command.env("TIDEGAUGE_TOKEN", &self.token).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    }

    fn answer(&self, arguments: &[&str]) -> String {
        let (is_done, answer, problem) = self.run(arguments);
        assert!(is_done, "{arguments:?}: {problem}");
        answer
    }

    fn failure(&self, arguments: &[&str]) -> String {
        let (is_done, answer, problem) = self.run(arguments);
        assert!(!is_done, "{arguments:?}: {answer}");
        problem
    }
}

pub(crate) async fn from_the_command_line(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let terminal = Terminal { service: &service, token: installation.first_token() };
    let dataset = client().post(format!("{}/v2/datasets", service.url)).bearer_auth(&terminal.token);
    assert_eq!(dataset.json(&json!({"name": "web"})).send().await.unwrap().status(), 200);

    let file = installation.path("monitor.json");
    let path = file.to_str().unwrap();
    let mut definition = json!({
        "name": "Errors",
        "aplQuery": "['web']\n| sumarize count()",
        "operator": "Above",
        "threshold": 5,
        "intervalMinutes": 5,
        "rangeMinutes": 10,
    });
    write(&file, &definition.to_string());
    let problem = terminal.failure(&["create", "--file", path]);
    for part in
        ["the server answered 400: line 2, column 3: ", "\n  | sumarize count()\n    ^^^^^^^^", "hint: "]
    {
        assert!(problem.contains(part), "{part:?} in {problem}");
    }
    definition["aplQuery"] = json!("['web'] | summarize count()");
    write(&file, &definition.to_string());
    let id = terminal.answer(&["create", "--file", path]);
    assert!(id.starts_with("mon_"), "{id}");
    assert_eq!(terminal.answer(&["list"]), format!("{id}\ton\tevery 5m\tThreshold\tErrors"));

    assert_eq!(terminal.answer(&["mute", &id]), format!("{id}\tmuted\tevery 5m\tThreshold\tErrors"));
    assert!(terminal.answer(&["unmute", &id]).contains("\ton\t"));
    let until = "2099-01-01T00:00:00Z";
    assert!(terminal.answer(&["mute", &id, "--until", until]).contains(&format!("\tmuted until {until}\t")));
    assert!(terminal.answer(&["mute", &id, "--for", "2h"]).contains("\tmuted until 20"));
    assert!(terminal.answer(&["unmute", &id]).contains("\ton\t"));
    assert!(terminal.failure(&["mute", &id, "--for", "soon"]).contains("is not a duration such as 2h30m"));
    assert!(terminal.failure(&["mute", &id, "--until", "2020-01-01T00:00:00Z"]).contains("is over already"));

    let listed: Value = serde_json::from_str(&terminal.answer(&["list", "--json"])).unwrap();
    assert_eq!((&listed[0]["id"], &listed[0]["threshold"]), (&json!(id), &json!(5)));
    terminal.answer(&["delete", &id]);
    assert_eq!(terminal.answer(&["list"]), "");
    assert!(terminal.failure(&["delete", &id]).contains("the server answered 404: monitor not found"));
}
