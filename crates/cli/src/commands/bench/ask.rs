//! `tidegauge bench ask`: asks a server the questions about made-up events and prints how long each took.

use clap::Args;
use tidegauge_eventgen::questions::QUESTIONS;
use tidegauge_model::Clock;
use tidegauge_model::time::SystemClock;

use crate::client::ask::{Asker, Question};
use crate::commands::output;
use crate::commands::server::{Connection, ServerArguments};

#[derive(Debug, Args)]
pub struct AskArguments {
    /// Dataset that holds the events of `tidegauge bench generate`.
    #[arg(default_value = "bench")]
    dataset: String,
    /// How many times each question is asked. The first time and the best are shown.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    rounds: u32,
    /// Where the time range begins: RFC 3339, or relative such as now-1h. Without it all events are looked at.
    #[arg(long, value_name = "TIME")]
    start: Option<String>,
    /// Where it ends.
    #[arg(long, value_name = "TIME")]
    end: Option<String>,
    #[command(flatten)]
    server: ServerArguments,
}

pub(super) async fn run(arguments: &AskArguments) -> anyhow::Result<()> {
    let Connection { url, bearer, org } = arguments.server.connect().await?;
    let asker = Asker::new(&url, bearer, org.as_deref())?;
    let clock = SystemClock;
    output::line(&format!("{:<36} {:>12} {:>12}", "question", "first ms", "best ms"));
    for (name, text) in QUESTIONS {
        let question = question(arguments, text);
        let mut taken = Vec::new();
        for _ in 0..arguments.rounds {
            let begun = clock.now().as_micros();
            asker.ask(&question).await?;
            taken.push(clock.now().as_micros().saturating_sub(begun));
        }
        let (first, best) = (taken.first().copied().unwrap_or(0), taken.iter().copied().min().unwrap_or(0));
        output::line(&format!("{name:<36} {:>12} {:>12}", milliseconds(first), milliseconds(best)));
    }
    Ok(())
}

fn question(arguments: &AskArguments, text: &str) -> Question {
    let quoted = arguments.dataset.replace('\\', "\\\\").replace('\'', "\\'");
    Question {
        apl: text.replace("DATASET", &format!("['{quoted}']")),
        start: arguments.start.clone(),
        end: arguments.end.clone(),
        ..Question::default()
    }
}

fn milliseconds(micros: i64) -> String {
    format!("{}.{:03}", micros / 1_000, micros % 1_000)
}
