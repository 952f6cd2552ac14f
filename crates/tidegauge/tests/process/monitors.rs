//! `tidegauge monitor` against a running service.

use serde_json::{Value, json};

use crate::database::Backend;
use crate::process::{Installation, client, write};
use crate::terminal::Terminal;

pub(crate) async fn from_the_command_line(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let terminal = Terminal::new(&installation, &service);
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
    let problem = terminal.failure(&["monitor", "create", "--file", path]);
    for part in
        ["the server answered 400: line 2, column 3: ", "\n  | sumarize count()\n    ^^^^^^^^", "hint: "]
    {
        assert!(problem.contains(part), "{part:?} in {problem}");
    }
    definition["aplQuery"] = json!("['web'] | summarize count()");
    write(&file, &definition.to_string());
    let id = terminal.answer(&["monitor", "create", "--file", path]);
    assert!(id.starts_with("mon_"), "{id}");
    assert_eq!(
        terminal.answer(&["monitor", "list"]),
        format!(
            "id{}state  every  type       name\n{id}  on     5m     Threshold  Errors",
            " ".repeat(id.len())
        )
    );

    mutes(&terminal, &id);
    let listed: Value = serde_json::from_str(&terminal.answer(&["monitor", "list", "--json"])).unwrap();
    assert_eq!((&listed[0]["id"], &listed[0]["threshold"]), (&json!(id), &json!(5)));
    terminal.answer(&["monitor", "delete", &id]);
    assert_eq!(terminal.answer(&["monitor", "list"]), "");
    assert_eq!(terminal.answer(&["monitor", "list", "--json"]), "[]");
    assert!(terminal.failure(&["monitor", "delete", &id]).contains(
        "the server answered 404: monitor not found\n  hint: `tidegauge monitor list` lists the monitors"
    ));
}

fn mutes(terminal: &Terminal, id: &str) {
    assert_eq!(terminal.answer(&["monitor", "mute", id]), format!("{id} is muted"));
    assert!(terminal.answer(&["monitor", "unmute", id]).ends_with(" is on"));
    let until = "2099-01-01T00:00:00Z";
    assert!(
        terminal
            .answer(&["monitor", "mute", id, "--until", until])
            .ends_with(&format!(" is muted until {until}"))
    );
    assert!(terminal.answer(&["monitor", "mute", id, "--for", "2h"]).contains(" is muted until 20"));
    assert!(terminal.answer(&["monitor", "unmute", id]).ends_with(" is on"));
    assert!(
        terminal
            .mistake(&["monitor", "mute", id, "--for", "soon"])
            .contains("is not a duration such as 2h30m")
    );
    assert!(
        terminal
            .mistake(&["monitor", "mute", id, "--until", "2020-01-01T00:00:00Z"])
            .contains("is over already")
    );
}
