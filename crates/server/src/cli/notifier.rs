//! `tidegauge notifier`: notifiers of a server and what became of their messages, for people at a terminal.

use anyhow::bail;
use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::Value;

use super::output;
use super::server::ServerArguments;
use crate::client::oauth::http::printable;

#[derive(Debug, Subcommand)]
pub enum NotifierCommand {
    /// List the notifiers: id, channel, whether it is disabled, and name.
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
            arguments.server.list(&["v2", "notifiers"], arguments.json, listed).await
        }
        NotifierCommand::Test(arguments) => test(arguments).await,
        NotifierCommand::Deliveries(arguments) => deliveries(arguments).await,
    }
}

/// One notifier in one line, without its secrets.
fn listed(notifier: &Value) -> String {
    let text = |key: &str| printable(notifier[key].as_str().unwrap_or_default());
    let mut channels = notifier["properties"].as_object().into_iter().flatten();
    let channel =
        channels.find(|(_, value)| !value.is_null()).map_or_else(String::new, |(key, _)| printable(key));
    let state = match notifier["disabledUntil"].as_str() {
        Some(until) => format!("disabled until {}", printable(until)),
        None => "on".to_owned(),
    };
    format!("{}\t{channel}\t{state}\t{}", text("id"), text("name"))
}

async fn test(arguments: OneArguments) -> anyhow::Result<()> {
    let path = ["v2", "notifiers", &arguments.id, "test"];
    let delivery = arguments.server.resources()?.call(Method::POST, &path, None).await?;
    if arguments.json {
        output::json(&delivery)?;
    } else {
        output::line(&told(&delivery));
    }
    if delivery["state"] != "sent" {
        bail!("the message was not sent");
    }
    Ok(())
}

async fn deliveries(arguments: OneArguments) -> anyhow::Result<()> {
    let path = ["v2", "notifiers", &arguments.id, "deliveries"];
    let found = arguments.server.resources()?.call(Method::GET, &path, None).await?;
    if arguments.json {
        return output::json(&found);
    }
    for delivery in found.as_array().into_iter().flatten() {
        output::line(&told(delivery));
    }
    Ok(())
}

/// A message with its last attempt in one line.
fn told(delivery: &Value) -> String {
    let text = |key: &str| printable(delivery[key].as_str().unwrap_or_default());
    let attempts = delivery["attempts"].as_array().map_or(&[][..], Vec::as_slice);
    let last = attempts.last().unwrap_or(&Value::Null);
    let mut line = format!("{}\t{}\t{}", text("id"), text("state"), text("title"));
    line.push_str(&format!("\t{} attempts", attempts.len()));
    if let Some(status) = last["status"].as_u64() {
        line.push_str(&format!("\tstatus {status}"));
    }
    if let Some(latency) = last["latencyMs"].as_u64() {
        line.push_str(&format!("\t{latency} ms"));
    }
    if let Some(error) = last["error"].as_str() {
        line.push_str(&format!("\t{}", printable(error)));
    }
    line
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_tell_what_matters_and_no_secrets() {
        let notifier = json!({"id": "notify_1", "name": "On call", "disabledUntil": null,
            "properties": {"slack": {"slackUrl": "https://hooks.example/SECRET"}, "email": null}});
        assert_eq!(listed(&notifier), "notify_1\tslack\ton\tOn call");
        let attempt = json!({"time": "t", "latencyMs": 12, "status": 500, "error": "the server answers 500"});
        let delivery = json!({"id": "msg_1", "state": "dead", "title": "Test\u{1b}", "attempts": [attempt]});
        let line = told(&delivery);
        assert!(line.starts_with("msg_1\tdead\tTest") && !line.contains('\u{1b}'), "{line:?}");
        assert!(line.ends_with("\t1 attempts\tstatus 500\t12 ms\tthe server answers 500"), "{line:?}");
    }
}
