//! How long events of a dataset are kept, and letting go of old ones: `tidegauge dataset retention`, `trim` and
//! `vacuum`.

use anyhow::{Context, bail};
use clap::Args;
use reqwest::Method;
use serde_json::{Map, Value, json};
use tidegauge_model::duration;

use crate::commands::confirm;
use crate::commands::output::{self, counted};
use crate::commands::server::ServerArguments;

#[derive(Debug, Args)]
pub struct RetentionArguments {
    /// Name of the dataset.
    name: String,
    /// How long events are to be kept: a number of days such as 30d, or forever. Without it the time is shown.
    #[arg(value_name = "DAYS", value_parser = retention)]
    retention: Option<Retention>,
    #[command(flatten)]
    server: ServerArguments,
}

#[derive(Debug, Args)]
pub struct TrimArguments {
    /// Name of the dataset.
    name: String,
    /// Age beyond which events go, such as 30d or 720h. A segment goes when all its events are older.
    #[arg(long, value_name = "DURATION", value_parser = age)]
    older_than: String,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    server: ServerArguments,
}

#[derive(Debug, Args)]
pub struct VacuumArguments {
    /// Name of the dataset.
    name: String,
    #[command(flatten)]
    server: ServerArguments,
}

/// How long events are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Retention {
    Days(u32),
    Forever,
}

impl Retention {
    pub(super) fn put_into(self, body: &mut Map<String, Value>) {
        let days = match self {
            Self::Days(days) => days,
            Self::Forever => 0,
        };
        body.insert("useRetentionPeriod".to_owned(), json!(self != Self::Forever));
        body.insert("retentionDays".to_owned(), json!(days));
    }
}

/// Reads a time for which events are kept.
pub(super) fn retention(text: &str) -> anyhow::Result<Retention> {
    if text == "forever" {
        return Ok(Retention::Forever);
    }
    match text.strip_suffix('d').unwrap_or(text).parse() {
        Ok(0) | Err(_) => bail!("write a number of days such as 30d, or forever"),
        Ok(days) => Ok(Retention::Days(days)),
    }
}

/// A text that is a duration and not nothing, which would be the age of every event; what it means is for the server
/// to say.
fn age(text: &str) -> anyhow::Result<String> {
    let age = duration::parse(text).filter(|age| !age.is_zero());
    age.context("write a duration such as 30d or 720h, longer than 0")?;
    Ok(text.to_owned())
}

/// How long the events of a dataset are kept, in words.
pub(super) fn kept(dataset: &Value) -> String {
    match (dataset["useRetentionPeriod"].as_bool(), dataset["retentionDays"].as_u64()) {
        (Some(true), Some(days)) => counted(days, "day"),
        (Some(_), _) => "forever".to_owned(),
        (None, _) => String::new(),
    }
}

pub(super) async fn show_or_set(arguments: RetentionArguments) -> anyhow::Result<()> {
    let (resources, path) = (arguments.server.resources().await?, ["v2", "datasets", &arguments.name]);
    let dataset = match arguments.retention {
        None => resources.call(Method::GET, &path, None).await?,
        Some(retention) => {
            let mut body = Map::new();
            retention.put_into(&mut body);
            resources.call(Method::PUT, &path, Some(&Value::Object(body))).await?
        }
    };
    output::line(&kept(&dataset));
    Ok(())
}

pub(super) async fn trim(arguments: TrimArguments) -> anyhow::Result<()> {
    let TrimArguments { name, older_than, yes, server } = arguments;
    let resources = server.resources().await?;
    resources.call(Method::GET, &["v2", "datasets", &name], None).await?;
    confirm::deletion(&format!("the events of {name} that are older than {older_than}"), &name, yes)?;
    let body = json!({"maxDuration": older_than});
    let answer = resources.call(Method::POST, &["v1", "datasets", &name, "trim"], Some(&body)).await?;
    output::line(&format!("deleted {}", counted(answer["numDeleted"].as_u64().unwrap_or(0), "segment")));
    Ok(())
}

pub(super) async fn vacuum(arguments: VacuumArguments) -> anyhow::Result<()> {
    let resources = arguments.server.resources().await?;
    resources.call(Method::POST, &["v2", "datasets", &arguments.name, "vacuum"], None).await?;
    output::line(&format!("vacuumed {}", arguments.name));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retention_is_a_number_of_days_or_forever() {
        assert_eq!(retention("30d").unwrap(), Retention::Days(30));
        assert_eq!(retention("7").unwrap(), Retention::Days(7));
        assert_eq!(retention("forever").unwrap(), Retention::Forever);
        for wrong in ["", "d", "0", "0d", "-1", "1.5d", "30h", "always"] {
            assert!(retention(wrong).is_err(), "{wrong}");
        }
        assert!(age("30d").is_ok() && age("30").is_err() && age("old").is_err());
        assert!(age("0").is_err() && age("0s").is_err() && age("1s").is_ok());
    }
}
