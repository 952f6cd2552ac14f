//! `tidegauge monitor backtest`: what a monitor would have done, one alert in a row.

use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::Args;
use reqwest::Method;
use serde_json::{Map, Value, json};
use tidegauge_model::time::SystemClock;
use tidegauge_model::{Clock, Timestamp, duration};

use crate::arguments::content_of;
use crate::client::oauth::http::printable;
use crate::commands::failure::wrong_arguments;
use crate::commands::output::{self, List, counted, text_of};
use crate::commands::server::ServerArguments;

const DAYS_DEFAULT: &str = "168h";

#[derive(Debug, Args)]
pub struct BacktestArguments {
    /// Id of the monitor, as `tidegauge monitor list` shows it.
    #[arg(required_unless_present = "file")]
    id: Option<String>,
    /// File with a definition as POST /v2/monitors takes it; - reads standard input. Beside an id it is what the monitor
    /// is compared with.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Where to begin, such as 2030-01-31T12:00:00Z. A week before the end if it is not given.
    #[arg(long, value_name = "TIME")]
    start: Option<String>,
    /// Where to end. Now if it is not given.
    #[arg(long, value_name = "TIME")]
    end: Option<String>,
    /// Print the whole answer, as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: ServerArguments,
}

pub(super) async fn run(arguments: BacktestArguments) -> anyhow::Result<()> {
    let end = match &arguments.end {
        Some(text) => Timestamp::parse(text).map_err(wrong_arguments)?,
        None => SystemClock.now(),
    };
    let start = match &arguments.start {
        Some(text) => Timestamp::parse(text).map_err(wrong_arguments)?,
        None => end.minus(duration::parse(DAYS_DEFAULT).context("a week is a duration")?),
    };
    let resources = arguments.server.resources().await?;
    let mut tried = Vec::new();
    if let Some(id) = &arguments.id {
        tried.push(resources.call(Method::GET, &["v2", "monitors", id], None).await?);
    }
    if let Some(path) = &arguments.file {
        let definition = serde_json::from_str(&content_of(path)?);
        tried.push(definition.with_context(|| format!("{} is not JSON", path.display()))?);
    }
    let mut body = Map::from_iter([
        ("startTime".to_owned(), json!(start.to_string())),
        ("endTime".to_owned(), json!(end.to_string())),
    ]);
    for (key, definition) in ["monitor", "compare"].into_iter().zip(tried) {
        body.insert(key.to_owned(), definition);
    }
    if !body.contains_key("monitor") {
        return Err(wrong_arguments(anyhow!("give the id of a monitor, or a definition with --file")));
    }
    let body = Value::Object(body);
    let answer = resources.call(Method::POST, &["v2", "monitors", "backtest"], Some(&body)).await?;
    if arguments.json {
        return output::json(&answer);
    }
    for key in ["monitor", "compare"] {
        if let Some(replayed) = answer.get(key) {
            show(key, replayed)?;
        }
    }
    Ok(())
}

fn show(name: &str, replayed: &Value) -> anyhow::Result<()> {
    let number = |key: &str| replayed[key].as_u64().unwrap_or_default();
    output::line(&format!(
        "{name}: {}, {}, {}, cost {}",
        counted(number("runs"), "run"),
        counted(number("opened"), "alert"),
        counted(number("notifications"), "notification"),
        number("cost"),
    ));
    let mut list = List::new(["opened", "closed", "group", "reason"], "it would not have told anything");
    replayed["alerts"].as_array().into_iter().flatten().for_each(|alert| list.add(row(alert)));
    list.print()
}

fn row(alert: &Value) -> [String; 4] {
    let text = |key: &str| text_of(alert, key);
    let closed = if alert["closedAt"].is_string() { text("closedAt") } else { "still open".to_owned() };
    let pairs = alert["group"].as_object().into_iter().flatten();
    let group: Vec<String> = pairs
        .map(|(name, value)| format!("{}={}", printable(name), printable(value.as_str().unwrap_or_default())))
        .collect();
    [text("openedAt"), closed, group.join(","), text("reason")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alert_is_one_row() {
        let alert = json!({"openedAt": "a", "group": {"host": "b\n"}, "reason": "c", "value": 1});
        assert_eq!(row(&alert), ["a", "still open", "host=b", "c"]);
    }
}
