//! `tidegauge bench`: made-up events, and questions about them. The comparison with other engines is in `benches` and
//! `scripts`.

mod ask;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use clap::{Args, Subcommand};
use tidegauge_eventgen::{self as eventgen, Family, Pace, Shape};
use tidegauge_model::Timestamp;

use super::failure::wrong_arguments;

#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Write made-up events, one JSON object on each line.
    Generate(GenerateArguments),
    /// Ask a server about such events, and print how long each question took. Load them first with
    /// `tidegauge bench generate --events 1000000 | tidegauge ingest bench -`.
    Ask(Box<ask::AskArguments>),
}

#[derive(Debug, Args)]
pub struct GenerateArguments {
    /// How many events. More events with the same seed begin with the same lines, unless --span is given.
    #[arg(long, value_name = "COUNT")]
    events: u64,
    /// Another seed gives other events; the same seed gives the same bytes on every machine.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File to write, or - for standard output.
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
    /// Time of the first event.
    #[arg(long, value_name = "TIME", default_value = "2026-01-01T00:00:00Z")]
    from: String,
    /// Time over which the events are spread, such as 15m, 24h or 7d. Without it they come at a fixed pace of two
    /// million a day.
    #[arg(long, value_name = "TIME", value_parser = span)]
    span: Option<Duration>,
    /// What the events tell of.
    #[arg(long, value_enum, default_value_t)]
    family: Family,
    /// Whether what belongs together is an object or has dots in its names. A firehose is always nested.
    #[arg(long, value_enum, default_value_t)]
    shape: Shape,
}

/// Two million events a day.
const STEP: Duration = Duration::from_micros(43_200);

pub async fn run(command: BenchCommand) -> anyhow::Result<()> {
    match command {
        BenchCommand::Generate(arguments) => generate(&arguments),
        BenchCommand::Ask(arguments) => ask::run(&arguments).await,
    }
}

fn generate(arguments: &GenerateArguments) -> anyhow::Result<()> {
    let from = Timestamp::parse(&arguments.from).context("--from").map_err(wrong_arguments)?;
    let step = match arguments.span {
        Some(span) => {
            let nanos = span.as_nanos() / u128::from(arguments.events.max(1));
            let nanos = u64::try_from(nanos).map_err(|_| wrong_arguments(anyhow!("--span is too long")))?;
            Duration::from_nanos(nanos)
        }
        None => STEP,
    };
    if arguments.family == Family::Firehose && arguments.shape == Shape::Flat {
        return Err(wrong_arguments(anyhow!(
            "--shape flat is for --family web: a firehose is always nested"
        )));
    }
    let events = arguments.family.events(arguments.seed, arguments.shape, Pace { from, step });
    if arguments.out == Path::new("-") {
        return match eventgen::write(events.as_ref(), arguments.events, &mut io::stdout().lock()) {
            // The reader, such as `head`, has had enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written.context("writing to standard output"),
        };
    }
    let path = arguments.out.display();
    let mut file = File::create(&arguments.out).with_context(|| format!("making {path}"))?;
    eventgen::write(events.as_ref(), arguments.events, &mut file)
        .with_context(|| format!("writing {path}"))?;
    file.flush().with_context(|| format!("writing {path}"))
}

/// Reads a whole number with its unit.
fn span(text: &str) -> anyhow::Result<Duration> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let seconds = match &text[digits.len()..] {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => bail!("write a number and s, m, h or d, such as 24h"),
    };
    let count: u64 = digits.parse().context("write a number and s, m, h or d, such as 24h")?;
    Ok(Duration::from_secs(count.checked_mul(seconds).context("this is too long")?))
}

#[cfg(test)]
mod tests {
    #[test]
    fn spans_have_a_unit() {
        assert_eq!(super::span("24h").unwrap().as_secs(), 86_400);
        assert_eq!(super::span("15m").unwrap().as_secs(), 900);
        for wrong in ["", "h", "24", "1.5h", "-1h", "24 h", "99999999999999999999d", "9999999999999999d"] {
            assert!(super::span(wrong).is_err(), "{wrong:?}");
        }
    }
}
