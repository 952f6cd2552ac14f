//! `tidegauge query`: asks a server a query and shows the answer. Reading the arguments and drawing again and again is
//! here; asking and laying out are in `client`.

mod history;

use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use clap::{Args, ValueEnum};
use serde_json::{Map, Value};

use self::history::History;
use super::failure::wrong_arguments;
use super::output;
use super::server::{Connection, ServerArguments};
use crate::arguments::path_or_nothing;
use crate::client::answer::table::{self, Screen};
use crate::client::answer::{Answer, arrow, chart, delimited, summary};
use crate::client::ask::{Answered, Asker, Question, Refused};
use crate::client::messages::WrongScheme;

/// Clears the screen and goes to its start.
const CLEAR: &str = "\u{1b}[H\u{1b}[2J";

#[derive(Debug, Args)]
pub struct QueryArguments {
    /// The query, such as "['web'] | summarize count() by status"; - reads it from standard input.
    #[arg(value_name = "APL", required_unless_present_any = ["file", "history"])]
    apl: Option<String>,
    /// File with the query.
    #[arg(long, value_name = "FILE", conflicts_with = "apl")]
    file: Option<PathBuf>,
    /// Where the time range begins: RFC 3339, or relative such as now-1h.
    #[arg(long, value_name = "TIME")]
    start: Option<String>,
    /// Where it ends.
    #[arg(long, value_name = "TIME")]
    end: Option<String>,
    /// How the answer is shown. On a terminal and with --watch a table, elsewhere ndjson.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Most rows, if the query does not say it.
    #[arg(long, value_name = "ROWS")]
    limit: Option<u64>,
    /// Asks again every so many seconds, 5 unless told, until it is stopped.
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "5", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    watch: Option<u32>,
    /// Lists the queries that were asked, the newest first, or asks the one of this number again.
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, conflicts_with_all = ["apl", "file"])]
    history: Option<Option<usize>>,
    /// A value for a name in the query, as name=value. Repeat it for more.
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = variable)]
    variables: Vec<(String, Value)>,
    #[command(flatten)]
    server: ServerArguments,
    /// Folder below which the history is kept.
    #[arg(long, env = "XDG_STATE_HOME", value_name = "FOLDER", hide_env = true, value_parser = path_or_nothing())]
    state_folder: Option<PathBuf>,
    #[arg(long, env = "NO_COLOR", hide = true, value_name = "ANY")]
    no_color: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For the eye.
    Table,
    /// The whole answer as the server gave it.
    Json,
    Csv,
    /// One object on each line.
    Ndjson,
    /// A stream of Arrow.
    Arrow,
    /// Lines over time.
    Chart,
}

pub async fn run(arguments: QueryArguments) -> anyhow::Result<()> {
    let history = History::new(arguments.state_folder.as_deref(), std::env::home_dir().as_deref());
    if arguments.history == Some(None) {
        return list(&history?);
    }
    let question = question(&arguments, history.as_ref().ok())?;
    let Connection { url, bearer, org } = arguments.server.connect().await?;
    let asker = Asker::new(&url, bearer, org.as_deref())?;
    if let Err(error) = history.and_then(|history| history.add(&question.apl)) {
        output::note(&format!("the query is not kept in the history: {error:#}"));
    }
    let view = View::new(&arguments);
    match arguments.watch {
        None => {
            let answered = asker.ask(&question).await?;
            show(&answered, view, None).map(|_| ())
        }
        Some(seconds) => watch(&asker, &question, view, Duration::from_secs(u64::from(seconds))).await,
    }
}

fn list(history: &History) -> anyhow::Result<()> {
    for (place, query) in history.list()?.iter().enumerate() {
        let shown = query.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = format!("{:>4}  {shown}\n", place + 1);
        if !output::bytes(line.as_bytes())? {
            break;
        }
    }
    Ok(())
}

fn question(arguments: &QueryArguments, history: Option<&History>) -> anyhow::Result<Question> {
    let apl = match (&arguments.history, &arguments.file, &arguments.apl) {
        (Some(Some(number)), _, _) => history.context("there is no history")?.get(*number)?,
        (_, Some(path), _) => {
            std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?
        }
        (_, _, Some(apl)) if apl == "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("reading standard input")?;
            text
        }
        (_, _, Some(apl)) => apl.clone(),
        _ => return Err(wrong_arguments(anyhow!("give a query"))),
    };
    let apl = apl.trim_end().to_owned();
    if apl.trim().is_empty() {
        return Err(wrong_arguments(anyhow!("the query is empty")));
    }
    let variables = arguments.variables.iter().cloned().collect::<Map<String, Value>>();
    let (start, end) = (arguments.start.clone(), arguments.end.clone());
    Ok(Question { apl, start, end, limit: arguments.limit, variables })
}

/// How answers are shown.
#[derive(Clone, Copy, Debug)]
struct View {
    format: Format,
    is_terminal: bool,
    has_colours: bool,
}

impl View {
    fn new(arguments: &QueryArguments) -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let fallback = if is_terminal || arguments.watch.is_some() { Format::Table } else { Format::Ndjson };
        let has_colours = is_terminal && arguments.no_color.as_deref().is_none_or(str::is_empty);
        Self { format: arguments.format.unwrap_or(fallback), is_terminal, has_colours }
    }

    /// The screen as it is now: a window may have been made larger.
    fn screen(self) -> Screen {
        let size = self.is_terminal.then(|| rustix::termios::tcgetwinsize(std::io::stdout()).ok()).flatten();
        let (width, height) = match size {
            Some(size) if size.ws_col > 0 => (Some(usize::from(size.ws_col)), Some(usize::from(size.ws_row))),
            _ => (None, None),
        };
        Screen { width, height, has_colours: self.has_colours }
    }
}

/// Shows an answer. False if whoever reads has had enough.
fn show(answered: &Answered, view: View, rows_max: Option<usize>) -> anyhow::Result<bool> {
    let answer = &answered.answer;
    let empty = crate::client::answer::Table::default();
    let shown = answer.table().unwrap_or(&empty);
    let is_going_on = match view.format {
        Format::Json => {
            let mut body = answered.body.trim_ascii_end().to_vec();
            body.push(b'\n');
            output::bytes(&body)?
        }
        Format::Csv => output::bytes(delimited::csv(shown, view.is_terminal).as_bytes())?,
        Format::Ndjson => output::bytes(delimited::ndjson(shown).as_bytes())?,
        Format::Arrow => output::bytes(&arrow::stream(shown)?)?,
        Format::Chart => output::bytes(chart::draw(shown, view.screen())?.as_bytes())?,
        Format::Table => {
            let laid_out = table::show(shown, view.screen(), rows_max);
            let is_going_on = output::bytes(laid_out.text.as_bytes())?;
            for (count, what) in [(laid_out.hidden_columns, "column"), (laid_out.hidden_rows, "row")] {
                match count {
                    0 => {}
                    1 => output::note(&format!("1 {what} does not fit")),
                    count => output::note(&format!("{count} {what}s do not fit")),
                }
            }
            is_going_on
        }
    };
    tell(answer);
    Ok(is_going_on)
}

/// What belongs to an answer and is not part of it.
fn tell(answer: &Answer) {
    for message in answer.status.messages.iter().flatten() {
        output::note(&message.msg);
    }
    output::note(&summary(answer));
}

/// Asks again and again until somebody has seen enough.
async fn watch(asker: &Asker, question: &Question, view: View, every: Duration) -> anyhow::Result<()> {
    let stopped = tokio::signal::ctrl_c();
    tokio::pin!(stopped);
    loop {
        let answered = tokio::select! {
            answered = asker.ask(question) => answered,
            _ = &mut stopped => return Ok(()),
        };
        if view.is_terminal && !output::bytes(CLEAR.as_bytes())? {
            return Ok(());
        }
        match answered {
            Ok(answered) => {
                // The names, the notes and the cursor need lines too.
                let rows_max = view.screen().height.map(|height| height.saturating_sub(5).max(1));
                if !show(&answered, view, rows_max)? {
                    return Ok(());
                }
            }
            Err(error) if error.is::<Refused>() || error.is::<WrongScheme>() => return Err(error),
            // A server that starts again must not end the watching.
            Err(error) => output::note(&format!("{error:#}")),
        }
        tokio::select! {
            () = tokio::time::sleep(every) => {}
            _ = &mut stopped => return Ok(()),
        }
    }
}

/// `name=value`: a number, true, false, null or a text in quotes as JSON has them, and any other value as a text.
fn variable(text: &str) -> anyhow::Result<(String, Value)> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => {
            let read = serde_json::from_str::<Value>(value).ok();
            let simple = read.filter(|value| !value.is_array() && !value.is_object());
            Ok((name.to_owned(), simple.unwrap_or_else(|| Value::from(value))))
        }
        _ => bail!("write name=value"),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        arguments: QueryArguments,
    }

    fn parse(line: &[&str]) -> Result<QueryArguments, clap::Error> {
        Ok(Line::try_parse_from([&["query"], line].concat())?.arguments)
    }

    #[test]
    fn arguments_become_a_question() {
        let line = [
            "web | take 5\n",
            "--start",
            "now-1h",
            "--var",
            "n=5",
            "--var",
            "s=a=b",
            "--limit",
            "7",
            "--watch",
        ];
        let arguments = parse(&line).unwrap();
        assert_eq!((arguments.watch, arguments.history), (Some(5), None));
        let question = question(&arguments, None).unwrap();
        assert_eq!((question.apl.as_str(), question.limit), ("web | take 5", Some(7)));
        assert_eq!(Value::Object(question.variables), json!({"n": 5, "s": "a=b"}));
        assert_eq!(parse(&["--history"]).unwrap().history, Some(None));
        assert_eq!(parse(&["--history", "3"]).unwrap().history, Some(Some(3)));
    }

    #[test]
    fn wrong_arguments_are_refused() {
        let wrong: &[&[&str]] = &[
            &[],
            &["web", "--file", "x"],
            &["web", "--history"],
            &["web", "--format", "xml"],
            &["web", "--watch", "0"],
            &["web", "--var", "x"],
        ];
        for line in wrong {
            assert!(parse(line).is_err(), "{line:?}");
        }
        assert!(question(&parse(&[" "]).unwrap(), None).is_err());
    }
}
