//! `tidegauge ingest`: sends files of events to a server. Reading the arguments is here, the work in `client`.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use clap::{Args, ValueEnum};
use tidegauge_model::os_rng::OsRng;
use tidegauge_model::time::SystemClock;
use tokio::signal::unix::{SignalKind, signal};

use super::failure::wrong_arguments;
use super::output;
use super::server::{Connection, ServerArguments};
use crate::client::input::{Encoding, Format, Input};
use crate::client::live::Stop;
use crate::client::progress::{self, Progress, Totals};
use crate::client::run;
use crate::client::send::{LINES_HINT, RetryPolicy, Sender, Unreadable};
use crate::client::split::Cutting;
use crate::client::target::{Destination, Target};

#[derive(Debug, Args)]
pub struct IngestArguments {
    /// Dataset that takes the events.
    dataset: String,
    /// Files to send: .ndjson, .json, .csv or .txt, and with .gz or .zst behind it; - is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Format of the files, where their names do not tell it. Standard input is ndjson unless told.
    #[arg(long, value_enum)]
    format: Option<Format>,
    #[command(flatten)]
    server: ServerArguments,
    /// Bytes of one request, before compression.
    #[arg(long, default_value_t = 4 * 1024 * 1024, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..=67_108_864))]
    batch_bytes: u32,
    /// Requests that are under way at once.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=256))]
    connections: u16,
    /// How requests are compressed. By default not at all to this machine, and with zstd elsewhere.
    #[arg(long, value_enum)]
    compress: Option<Compress>,
    /// Field that holds the time of an event, instead of _time.
    #[arg(long, value_name = "FIELD")]
    timestamp_field: Option<String>,
    /// How that time is written, as a layout such as 2/Jan/2006:15:04:05 +0000.
    #[arg(long, value_name = "LAYOUT")]
    timestamp_format: Option<String>,
    /// Character between two fields of CSV.
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    csv_delimiter: Option<char>,
    /// A field to add to every event, as name=value. Repeat it for more.
    #[arg(long = "label", value_name = "NAME=VALUE", value_parser = label)]
    labels: Vec<(String, String)>,
    /// Name of the run. A run that is repeated with the name of one that failed, and with the same files and
    /// batches, does not store again what was stored. What comes by a pipe is cut by time too, so it cannot be repeated.
    #[arg(long, value_name = "NAME")]
    run_id: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Compress {
    None,
    Zstd,
    Gzip,
}

pub async fn run(arguments: IngestArguments) -> anyhow::Result<()> {
    let inputs = inputs(&arguments)?;
    let connections = usize::from(arguments.connections);
    let cutting = Cutting {
        batch_bytes: arguments.batch_bytes as usize,
        // The parser of the argument lets only such characters through.
        csv_delimiter: arguments.csv_delimiter.and_then(|it| u8::try_from(it).ok()).unwrap_or(b','),
        clock: Arc::new(SystemClock),
        stop: Stop::default(),
    };
    let total = inputs.iter().map(Input::stored_bytes).sum::<anyhow::Result<Option<u64>>>()?;
    let is_stored = inputs.iter().all(Input::is_stored);
    let run_id = arguments.run_id.clone().unwrap_or_else(|| run::new_run_id(&OsRng));
    let sender = sender(&arguments, connections, run_id.clone()).await?;
    let progress = Progress::start(Arc::new(SystemClock), output::note).with_bar(total);
    let stop = cutting.stop.clone();
    let outcome = tokio::select! {
        outcome = Box::pin(run::run(inputs, cutting, connections, &sender, &progress)) => outcome,
        // Who sends a file again loses nothing; what has come by a pipe would be lost.
        error = stopped(&stop, &progress), if !is_stored => Err(error),
    };
    output::line(&progress.finish());
    progress.messages().iter().for_each(|warning| output::note(warning));
    let missing = arguments.timestamp_field.as_ref().and_then(|field| progress.missing_time_field(field));
    if let Some(warning) = missing {
        output::note(&warning);
    }
    let totals = progress.totals();
    outcome.map_err(|error| {
        let advice = how_to_go_on(&error, totals, is_stored.then_some(&run_id));
        error.context(format!("not everything was stored{advice}"))
    })?;
    let hint = match progress.has_bad_lines_alone() {
        true => format!("\n  hint: {LINES_HINT}"),
        false => String::new(),
    };
    match totals.failed {
        0 => Ok(()),
        1 => bail!("1 event was not taken{hint}"),
        failed => bail!("{} were not taken{hint}", progress::events(failed)),
    }
}

/// What to do about a run that failed. The name of the run helps where the same files can be sent again.
fn how_to_go_on(error: &anyhow::Error, totals: Totals, run_id: Option<&String>) -> String {
    match run_id {
        _ if totals.events == 0 => String::new(),
        _ if error.is::<Unreadable>() => {
            "; correct what cannot be read and send that alone: a changed file would store the rest again"
                .to_owned()
        }
        Some(run_id) => {
            format!("; with the same files `--run-id {run_id}` goes on without storing anything twice")
        }
        None => String::new(),
    }
}

/// Waits for Ctrl-C, or for a manager of services that asks to end: the first one ends reading, so that what was read is
/// sent, and the second one everything.
async fn stopped(stop: &Stop, progress: &Progress) -> anyhow::Error {
    let asked =
        || -> std::io::Result<_> { Ok((signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)) };
    let (mut interrupt, mut terminate) = match asked() {
        Ok(signals) => signals,
        Err(error) => {
            progress.note(&format!("Ctrl-C loses what was read and is not sent: {error}"));
            return std::future::pending().await;
        }
    };
    let mut asked_to_end = async || tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} };
    asked_to_end().await;
    stop.ask();
    progress.note("sending what was read; Ctrl-C again ends at once");
    asked_to_end().await;
    anyhow!("stopped before all that was read was sent")
}

fn inputs(arguments: &IngestArguments) -> anyhow::Result<Vec<Input>> {
    let input = |path: &PathBuf| Input::new(path, arguments.format).map_err(wrong_arguments);
    arguments.files.iter().map(input).collect()
}

async fn sender(arguments: &IngestArguments, connections: usize, run_id: String) -> anyhow::Result<Sender> {
    let Connection { url, bearer, org } = arguments.server.connect().await?;
    let target = Target::new(&Destination {
        url,
        dataset: arguments.dataset.clone(),
        token: bearer,
        org,
        labels: arguments.labels.clone(),
        timestamp_field: arguments.timestamp_field.clone(),
        timestamp_format: arguments.timestamp_format.clone(),
        csv_delimiter: arguments.csv_delimiter,
    })
    .map_err(wrong_arguments)?;
    let compress = match arguments.compress {
        Some(Compress::None) => Encoding::None,
        Some(Compress::Zstd) => Encoding::Zstd,
        Some(Compress::Gzip) => Encoding::Gzip,
        None if target.is_loopback() => Encoding::None,
        None => Encoding::Zstd,
    };
    Sender::new(target, compress, connections, RetryPolicy::default(), run_id, Arc::new(OsRng))
}

fn delimiter(text: &str) -> anyhow::Result<char> {
    match text {
        "\\t" => Ok('\t'),
        _ => match text.chars().collect::<Vec<_>>()[..] {
            [only] if only.is_ascii() && !matches!(only, '"' | '\n' | '\r' | '\0') => Ok(only),
            _ => bail!("write one character of ASCII, or \\t for the tabulator"),
        },
    }
}

fn label(text: &str) -> anyhow::Result<(String, String)> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => bail!("write name=value"),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::client::bearer::Bearer;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        arguments: IngestArguments,
    }

    fn parse(line: &[&str]) -> Result<IngestArguments, clap::Error> {
        Ok(Line::try_parse_from([&["ingest"], line].concat())?.arguments)
    }

    #[test]
    fn arguments_are_read_and_the_token_is_not_shown() {
        let line =
            ["logs", "a.csv", "-", "--token", "xaat-secret", "--csv-delimiter", "\\t", "--label", "zone=a=b"];
        let arguments = parse(&line).unwrap();
        assert_eq!(arguments.csv_delimiter, Some('\t'));
        assert_eq!(arguments.labels, [("zone".to_owned(), "a=b".to_owned())]);
        let bearer = arguments.server.bearer().unwrap();
        assert!(matches!(&bearer, Bearer::Given(token) if token == "xaat-secret"));
        assert!(!format!("{bearer:?}").contains("secret"));
        assert!(!format!("{arguments:?}").contains("secret"));
        assert_eq!(inputs(&arguments).unwrap().len(), 2);
    }

    #[test]
    fn wrong_arguments_are_refused() {
        let wrong: &[&[&str]] = &[
            &["logs"],
            &["logs", "a.csv", "--csv-delimiter", ";;"],
            &["logs", "a.csv", "--csv-delimiter", "\""],
            &["logs", "a.csv", "--label", "zone"],
            &["logs", "a.csv", "--connections", "0"],
            &["logs", "a.csv", "--batch-bytes", "0"],
        ];
        for line in wrong {
            assert!(parse(line).is_err(), "{line:?}");
        }
    }
}
