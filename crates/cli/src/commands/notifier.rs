//! `tidegauge notifier`: notifiers of a server and what became of their messages, for people at a terminal.

use anyhow::bail;
use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::Value;

use super::output::{self, List, text_of};
use super::server::ServerArguments;
use crate::client::oauth::http::printable;

#[derive(Debug, Subcommand)]
pub enum NotifierCommand {
    /// List the notifiers.
    List(ListArguments),
    /// Send a test message at once and say how it went.
    Test(OneArguments),
    /// List the newest messages of a notifier with what became of them.
    Deliveries(OneArguments),
}

#[derive(Debug, Args)]
pub struct ListArguments {
    /// Print the notifiers as JSON, with their properties.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: ServerArguments,
}

#[derive(Debug, Args)]
pub struct OneArguments {
    /// Id of the notifier, as `tidegauge notifier list` shows it.
    id: String,
    /// Print everything that is known, as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: ServerArguments,
}

pub async fn run(command: NotifierCommand) -> anyhow::Result<()> {
    match command {
        NotifierCommand::List(arguments) => {
            let list = List::new(["id", "channel", "state", "name"], "there are no notifiers");
            arguments.server.list(&["v2", "notifiers"], arguments.json, list, row).await
        }
        NotifierCommand::Test(arguments) => test(arguments).await,
        NotifierCommand::Deliveries(arguments) => deliveries(arguments).await,
    }
}

/// A notifier without its secrets.
fn row(notifier: &Value) -> [String; 4] {
    let mut channels = notifier["properties"].as_object().into_iter().flatten();
    let channel =
        channels.find(|(_, value)| !value.is_null()).map_or_else(String::new, |(key, _)| printable(key));
    let state = match notifier["disabledUntil"].as_str() {
        Some(until) => format!("disabled until {}", printable(until)),
        None => "on".to_owned(),
    };
    [text_of(notifier, "id"), channel, state, text_of(notifier, "name")]
}

async fn test(arguments: OneArguments) -> anyhow::Result<()> {
    let path = ["v2", "notifiers", &arguments.id, "test"];
    let delivery = arguments.server.resources().await?.call(Method::POST, &path, None).await?;
    if arguments.json {
        output::json(&delivery)?;
    } else {
        let mut list = deliveries_list();
        list.add(delivered(&delivery));
        list.print()?;
    }
    if delivery["state"] != "sent" {
        bail!("the message was not sent");
    }
    Ok(())
}

async fn deliveries(arguments: OneArguments) -> anyhow::Result<()> {
    let path = ["v2", "notifiers", &arguments.id, "deliveries"];
    let found = arguments.server.resources().await?.call(Method::GET, &path, None).await?;
    if arguments.json {
        return output::json(&found);
    }
    let mut list = deliveries_list();
    found.as_array().into_iter().flatten().for_each(|delivery| list.add(delivered(delivery)));
    list.print()
}

fn deliveries_list() -> List {
    List::new(["id", "state", "attempts", "status", "ms", "title", "error"], "there are no messages")
}

/// A message with its last attempt.
fn delivered(delivery: &Value) -> [String; 7] {
    let text = |key: &str| text_of(delivery, key);
    let attempts = delivery["attempts"].as_array().map_or(&[][..], Vec::as_slice);
    let last = attempts.last().unwrap_or(&Value::Null);
    let number = |key: &str| last[key].as_u64().map_or_else(String::new, |number| number.to_string());
    let count = attempts.len().to_string();
    let (status, latency) = (number("status"), number("latencyMs"));
    [text("id"), text("state"), count, status, latency, text("title"), text_of(last, "error")]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_tell_what_matters_and_no_secrets() {
        let notifier = json!({"id": "notify_1", "name": "On call", "disabledUntil": null,
            "properties": {"slack": {"slackUrl": "https://hooks.example/SECRET"}, "email": null}});
        assert_eq!(row(&notifier), ["notify_1", "slack", "on", "On call"]);
        let attempt = json!({"time": "t", "latencyMs": 12, "status": 500, "error": "the server answers 500"});
        let delivery = json!({"id": "msg_1", "state": "dead", "title": "Test\u{1b}", "attempts": [attempt]});
        let row = delivered(&delivery);
        assert_eq!(row, ["msg_1", "dead", "1", "500", "12", "Test", "the server answers 500"]);
    }
}
