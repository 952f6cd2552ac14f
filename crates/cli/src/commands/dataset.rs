//! `tidegauge dataset`: datasets of a server, for people at a terminal. How long events stay is in `upkeep`.

mod upkeep;

use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::{Map, Value, json};

use super::confirm;
use super::output::{self, List, text_of};
use super::server::ServerArguments;

#[derive(Debug, Subcommand)]
pub enum DatasetCommand {
    /// List the datasets with the size and the age of their events.
    List(ListArguments),
    /// Show one dataset.
    Show(OneArguments),
    /// List the fields of a dataset with their types.
    Fields(OneArguments),
    /// Make a dataset. The first events make it too.
    Create(CreateArguments),
    /// Say what a dataset is for.
    Describe(DescribeArguments),
    /// Show or set how long events are kept.
    Retention(upkeep::RetentionArguments),
    /// Delete old events, in whole segments.
    Trim(upkeep::TrimArguments),
    /// Forget fields that no event has any more, at most once a day.
    Vacuum(upkeep::VacuumArguments),
    /// Delete a dataset with all its events.
    Delete(DeleteArguments),
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
pub struct OneArguments {
    /// Name of the dataset.
    name: String,
    /// Print everything that is known, as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: ServerArguments,
}

#[derive(Debug, Args)]
pub struct CreateArguments {
    /// Name of the dataset: letters, digits, and after the first of them also - _ and .
    name: String,
    /// What it is for.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// How long events are kept: a number of days such as 30d, or forever.
    #[arg(long, value_name = "DAYS", value_parser = upkeep::retention)]
    retention: Option<upkeep::Retention>,
    #[command(flatten)]
    server: ServerArguments,
}

#[derive(Debug, Args)]
pub struct DescribeArguments {
    /// Name of the dataset.
    name: String,
    /// What it is for.
    #[arg(value_name = "TEXT")]
    description: String,
    #[command(flatten)]
    server: ServerArguments,
}

#[derive(Debug, Args)]
pub struct DeleteArguments {
    /// Name of the dataset.
    name: String,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    server: ServerArguments,
}

pub async fn run(command: DatasetCommand) -> anyhow::Result<()> {
    match command {
        DatasetCommand::List(arguments) => list(arguments).await,
        DatasetCommand::Show(arguments) => show(arguments).await,
        DatasetCommand::Fields(arguments) => fields(arguments).await,
        DatasetCommand::Create(arguments) => create(arguments).await,
        DatasetCommand::Describe(arguments) => describe(arguments).await,
        DatasetCommand::Retention(arguments) => upkeep::show_or_set(arguments).await,
        DatasetCommand::Trim(arguments) => upkeep::trim(arguments).await,
        DatasetCommand::Vacuum(arguments) => upkeep::vacuum(arguments).await,
        DatasetCommand::Delete(arguments) => delete(arguments).await,
    }
}

/// The datasets, each with the figures of its events.
async fn list(arguments: ListArguments) -> anyhow::Result<()> {
    let resources = arguments.server.resources().await?;
    let datasets = resources.call(Method::GET, &["v2", "datasets"], None).await?;
    let stats = resources.call(Method::GET, &["v1", "datasets", "_stats"], None).await?;
    let stats = stats["datasets"].as_array().map_or(&[][..], Vec::as_slice);
    let whole = datasets.as_array().into_iter().flatten().map(|dataset| {
        let figures = stats.iter().find(|stat| stat["name"] == dataset["name"]);
        joined(dataset, figures.unwrap_or(&Value::Null))
    });
    if arguments.json {
        return output::json(&whole.collect::<Vec<_>>());
    }
    let columns = ["name", "events", "fields", "stored", "oldest", "newest", "kept", "description"];
    let mut list = List::new(columns, "there are no datasets: the first events make one");
    whole.for_each(|dataset| list.add(row(&dataset)));
    list.print()
}

/// What two answers say of a dataset.
fn joined(dataset: &Value, figures: &Value) -> Value {
    let both = [figures, dataset].into_iter().filter_map(Value::as_object).flatten();
    Value::Object(both.map(|(key, value)| (key.clone(), value.clone())).collect())
}

fn row(dataset: &Value) -> [String; 8] {
    let number = |key: &str| dataset[key].as_u64().map_or_else(String::new, |number| number.to_string());
    let text = |key: &str| text_of(dataset, key);
    [
        text("name"),
        number("numEvents"),
        number("numFields"),
        text("compressedBytesHuman"),
        text("minTime"),
        text("maxTime"),
        upkeep::kept(dataset),
        text("description"),
    ]
}

async fn show(arguments: OneArguments) -> anyhow::Result<()> {
    let resources = arguments.server.resources().await?;
    let dataset = resources.call(Method::GET, &["v2", "datasets", &arguments.name], None).await?;
    let info = resources.call(Method::GET, &["v1", "datasets", &arguments.name, "info"], None).await?;
    let whole = joined(&dataset, &info);
    if arguments.json {
        return output::json(&whole);
    }
    let [name, events, fields, stored, oldest, newest, kept, description] = row(&whole);
    let maps = whole["mapFields"].as_array().into_iter().flatten().filter_map(Value::as_str);
    output::record(&[
        ("name", name),
        ("description", description),
        ("events", events),
        ("fields", fields),
        ("map fields", maps.collect::<Vec<_>>().join(" ")),
        ("sent", text_of(&whole, "inputBytesHuman")),
        ("stored", stored),
        ("oldest event", oldest),
        ("newest event", newest),
        ("events are kept", kept),
        ("made", text_of(&whole, "created")),
        ("made by", text_of(&whole, "who")),
    ]);
    Ok(())
}

async fn fields(arguments: OneArguments) -> anyhow::Result<()> {
    let list = List::new(["name", "type", "unit", "hidden", "description"], "the dataset has no fields");
    let path = ["v2", "datasets", &arguments.name, "fields"];
    let row = |field: &Value| {
        let hidden = if field["hidden"] == true { "yes" } else { "" };
        let text = |key: &str| text_of(field, key);
        [text("name"), text("type"), text("unit"), hidden.to_owned(), text("description")]
    };
    arguments.server.list(&path, arguments.json, list, row).await
}

async fn create(arguments: CreateArguments) -> anyhow::Result<()> {
    let mut body = Map::from_iter([("name".to_owned(), json!(arguments.name))]);
    if let Some(description) = &arguments.description {
        body.insert("description".to_owned(), json!(description));
    }
    if let Some(retention) = arguments.retention {
        retention.put_into(&mut body);
    }
    let resources = arguments.server.resources().await?;
    resources.call(Method::POST, &["v2", "datasets"], Some(&Value::Object(body))).await?;
    output::line(&format!("made {}", arguments.name));
    Ok(())
}

async fn describe(arguments: DescribeArguments) -> anyhow::Result<()> {
    let body = json!({"description": arguments.description});
    let resources = arguments.server.resources().await?;
    resources.call(Method::PUT, &["v2", "datasets", &arguments.name], Some(&body)).await?;
    output::line(&format!("described {}", arguments.name));
    Ok(())
}

async fn delete(arguments: DeleteArguments) -> anyhow::Result<()> {
    let (resources, path) = (arguments.server.resources().await?, ["v2", "datasets", &arguments.name]);
    // A name that is not there should not be asked about.
    resources.call(Method::GET, &path, None).await?;
    let what = format!("the dataset {} with all its events", arguments.name);
    confirm::deletion(&what, &arguments.name, arguments.yes)?;
    resources.call(Method::DELETE, &path, None).await?;
    output::line(&format!("deleted {}", arguments.name));
    Ok(())
}
