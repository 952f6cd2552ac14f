//! `tidegauge monitor`: monitors of a server, for people at a terminal.

mod backtest;

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::{Value, json};
use tidegauge_model::time::SystemClock;
use tidegauge_model::{Clock, Timestamp, duration};

use super::failure::wrong_arguments;
use super::output::{self, List, counted, text_of};
use super::server::ServerArguments;
use crate::arguments::content_of;
use crate::client::oauth::http::printable;

#[derive(Debug, Subcommand)]
pub enum MonitorCommand {
    /// List the monitors.
    List(ListArguments),
    /// Make a monitor of a JSON file, and print its id.
    Create(CreateArguments),
    /// Let a monitor rest.
    Mute(MuteArguments),
    /// Let a monitor run again.
    Unmute(OneArguments),
    /// Close what is open of a monitor by hand.
    Resolve(OneArguments),
    /// Show what a monitor would have done.
    Backtest(backtest::BacktestArguments),
    /// Delete a monitor with its history.
    Delete(OneArguments),
}

#[derive(Debug, Args)]
pub struct ListArguments {
    /// Print everything that is known, as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: ServerArguments,
}

#[derive(Debug, Args)]
pub struct CreateArguments {
    /// File with the monitor as POST /v2/monitors takes it; - reads standard input.
    #[arg(long, value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    server: ServerArguments,
}

#[derive(Debug, Args)]
pub struct MuteArguments {
    /// Id of the monitor, as `tidegauge monitor list` shows it.
    id: String,
    /// Until when, such as 2030-01-31T12:00:00Z.
    #[arg(long, value_name = "TIME", conflicts_with = "duration")]
    until: Option<String>,
    /// For how long, such as 2h30m. Without it and without --until, the monitor rests until it is unmuted.
    #[arg(long = "for", value_name = "DURATION")]
    duration: Option<String>,
    #[command(flatten)]
    server: ServerArguments,
}

#[derive(Debug, Args)]
pub struct OneArguments {
    /// Id of the monitor, as `tidegauge monitor list` shows it.
    id: String,
    #[command(flatten)]
    server: ServerArguments,
}

pub async fn run(command: MonitorCommand) -> anyhow::Result<()> {
    match command {
        MonitorCommand::List(arguments) => {
            let list = List::new(["id", "state", "every", "type", "name"], "there are no monitors");
            arguments.server.list(&["v2", "monitors"], arguments.json, list, row).await
        }
        MonitorCommand::Create(arguments) => create(arguments).await,
        MonitorCommand::Mute(arguments) => mute(arguments).await,
        MonitorCommand::Unmute(arguments) => unmute(arguments).await,
        MonitorCommand::Resolve(arguments) => resolve(arguments).await,
        MonitorCommand::Backtest(arguments) => backtest::run(arguments).await,
        MonitorCommand::Delete(arguments) => delete(arguments).await,
    }
}

fn row(monitor: &Value) -> [String; 5] {
    let minutes = monitor["intervalMinutes"].as_u64().unwrap_or_default();
    let text = |key: &str| text_of(monitor, key);
    [text("id"), state(monitor), format!("{minutes}m"), text("type"), text("name")]
}

/// Whether a monitor runs.
fn state(monitor: &Value) -> String {
    match (monitor["disabled"].as_bool(), monitor["disabledUntil"].as_str()) {
        (Some(true), _) => "muted".to_owned(),
        (_, Some(until)) => format!("muted until {}", printable(until)),
        _ => "on".to_owned(),
    }
}

async fn create(arguments: CreateArguments) -> anyhow::Result<()> {
    let definition: Value = serde_json::from_str(&content_of(&arguments.file)?)
        .with_context(|| format!("{} is not JSON", arguments.file.display()))?;
    let resources = arguments.server.resources().await?;
    let made = resources.call(Method::POST, &["v2", "monitors"], Some(&definition)).await?;
    output::line(made["id"].as_str().unwrap_or_default());
    Ok(())
}

/// When a monitor that is muted goes on; nothing for one that does not by itself.
fn muted_until(arguments: &MuteArguments) -> anyhow::Result<Option<Timestamp>> {
    let until = match (&arguments.until, &arguments.duration) {
        (Some(time), _) => Some(Timestamp::parse(time)?),
        (None, Some(text)) => {
            let length = duration::parse(text);
            let length = length.with_context(|| format!("{text:?} is not a duration such as 2h30m"))?;
            Some(SystemClock.now().plus(length))
        }
        (None, None) => None,
    };
    if until.is_some_and(|until| until <= SystemClock.now()) {
        bail!("the time is over already: give a later one");
    }
    Ok(until)
}

async fn mute(arguments: MuteArguments) -> anyhow::Result<()> {
    let until = muted_until(&arguments).map_err(wrong_arguments)?;
    let rest = |monitor: &mut Value| match until {
        Some(until) => monitor["disabledUntil"] = json!(until.to_string()),
        None => monitor["disabled"] = json!(true),
    };
    edit(&arguments.server, &arguments.id, rest).await
}

async fn unmute(arguments: OneArguments) -> anyhow::Result<()> {
    let wake = |monitor: &mut Value| {
        monitor["disabled"] = json!(false);
        monitor["disabledUntil"] = Value::Null;
    };
    edit(&arguments.server, &arguments.id, wake).await
}

/// Reads a monitor, changes it and writes it back.
async fn edit(server: &ServerArguments, id: &str, change: impl Fn(&mut Value)) -> anyhow::Result<()> {
    let (resources, path) = (server.resources().await?, ["v2", "monitors", id]);
    let mut monitor = resources.call(Method::GET, &path, None).await?;
    change(&mut monitor);
    let changed = resources.call(Method::PUT, &path, Some(&monitor)).await?;
    output::line(&format!("{} is {}", text_of(&changed, "id"), state(&changed)));
    Ok(())
}

async fn resolve(arguments: OneArguments) -> anyhow::Result<()> {
    let path = ["v2", "monitors", &arguments.id, "resolve"];
    let resolved = arguments.server.resources().await?.call(Method::POST, &path, None).await?;
    output::line(&format!(
        "resolved, {} sent",
        counted(resolved["messages"].as_u64().unwrap_or(0), "message")
    ));
    Ok(())
}

async fn delete(arguments: OneArguments) -> anyhow::Result<()> {
    let resources = arguments.server.resources().await?;
    resources.call(Method::DELETE, &["v2", "monitors", &arguments.id], None).await?;
    output::line(&format!("deleted {}", arguments.id));
    Ok(())
}
