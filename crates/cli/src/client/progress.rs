//! Tells the user how far it is: a bar on a terminal, now and then a line elsewhere, and the sum at the end. How a
//! line is printed is handed in.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tidegauge_model::{Clock, Timestamp};

use super::part::Part;
use super::send::Answer;

/// Failures of single events that are shown; all are counted.
const SHOWN_FAILURES: u64 = 10;
/// Seconds between two notices that something is tried again: all parts meet the same fault together.
const RETRY_EVERY: f64 = 1.0;
/// Seconds between two lines where there is no terminal.
const LINE_EVERY: f64 = 5.0;

/// What has been done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub events: u64,
    pub failed: u64,
    pub text_bytes: u64,
}

#[derive(Debug)]
pub struct Progress {
    clock: Arc<dyn Clock>,
    begun: Timestamp,
    say: fn(&str),
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    totals: Totals,
    shown_failures: u64,
    lines: f64,
    told_of_retry_at: Option<f64>,
    /// Lines that were not taken since the last event that was.
    bad_lines: u64,
    /// Events of which the server told whether they have the field for the time, and those that do.
    told_of_time_field: u64,
    with_time_field: u64,
    /// What the server told of stored events, and of how many values.
    messages: BTreeMap<String, u64>,
}

impl Progress {
    /// Counts from now on; `say` prints a line.
    pub fn start(clock: Arc<dyn Clock>, say: fn(&str)) -> Self {
        Self { begun: clock.now(), clock, say, bar: None, state: Mutex::default() }
    }

    /// Shows a bar if standard error is a terminal; it is full when `stored_bytes` were sent, if that is known.
    pub fn with_bar(mut self, stored_bytes: Option<u64>) -> Self {
        self.bar = std::io::stderr().is_terminal().then(|| bar(stored_bytes));
        self
    }

    pub fn totals(&self) -> Totals {
        self.state().totals
    }

    /// A part is stored.
    pub fn stored(&self, part: &Part, answer: &Answer) {
        let mut state = self.state();
        state.totals.events += answer.ingested;
        state.totals.failed += answer.failed;
        state.totals.text_bytes += part.text_bytes;
        if answer.ingested > 0 {
            state.bad_lines = 0;
        }
        if let Some(events) = answer.with_time_field {
            state.told_of_time_field += answer.ingested;
            state.with_time_field += events;
        }
        for message in &answer.messages {
            *state.messages.entry(message.msg.clone()).or_default() += message.count;
        }
        for failure in &answer.failures {
            self.show_failure(&mut state, part, &failure.error);
        }
        match &self.bar {
            Some(bar) => {
                bar.inc(part.stored_bytes);
                bar.set_message(events(state.totals.events));
            }
            None if self.seconds() >= (state.lines + 1.0) * LINE_EVERY => {
                state.lines = (self.seconds() / LINE_EVERY).floor();
                self.note(&summary(&state.totals, self.seconds()));
            }
            None => {}
        }
    }

    /// A line is no event. Says how many were not since the last event.
    pub fn not_taken(&self, line: &Part, error: &anyhow::Error) -> u64 {
        let mut state = self.state();
        state.totals.failed += 1;
        state.bad_lines += 1;
        let reason = error.root_cause().to_string();
        let reason = reason.lines().next().unwrap_or_default();
        // The server has seen this line alone, and counts from there.
        let at_its_line = reason.split_once("malformed body at line 1, ").map(|(_, reason)| reason);
        self.show_failure(&mut state, line, at_its_line.unwrap_or(reason));
        state.bad_lines
    }

    /// Whether there was nothing but lines that are no events.
    pub fn has_bad_lines_alone(&self) -> bool {
        let state = self.state();
        state.bad_lines > 0 && state.totals.events == 0
    }

    fn show_failure(&self, state: &mut State, part: &Part, reason: &str) {
        if state.shown_failures < SHOWN_FAILURES {
            self.note(&format!("not taken: {}: {reason}", part.place));
            state.shown_failures += 1;
        }
    }

    /// A part is to be sent again.
    pub fn retrying(&self, notice: &str) {
        let now = self.seconds();
        let mut state = self.state();
        if state.told_of_retry_at.is_none_or(|last| now - last >= RETRY_EVERY) {
            state.told_of_retry_at = Some(now);
            self.note(notice);
        }
    }

    /// A line that must not tear the bar apart.
    pub fn note(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| (self.say)(text)),
            None => (self.say)(text),
        }
    }

    /// What there is to say about the field that was named for the time: that not every event has it.
    pub fn missing_time_field(&self, field: &str) -> Option<String> {
        let state = self.state();
        let without = state.told_of_time_field.saturating_sub(state.with_time_field);
        let (how_many, advice) = match (without, state.with_time_field) {
            (0, _) => return None,
            (_, 0) => ("no event has".to_owned(), "; see that --timestamp-field is right"),
            (1, _) => ("1 event does not have".to_owned(), ""),
            _ => (format!("{} events do not have", grouped(without)), ""),
        };
        let time = "the time is that of _time, or else of the arrival";
        Some(format!("warning: {how_many} the field {field:?}: {time}{advice}"))
    }

    /// What the server told of events that were stored, a line each.
    pub fn messages(&self) -> Vec<String> {
        let state = self.state();
        state.messages.iter().map(|(msg, count)| format!("warning: {} {msg}", grouped(*count))).collect()
    }

    /// Takes the bar away, and gives the sum.
    pub fn finish(&self) -> String {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let state = self.state();
        let not_shown = state.totals.failed.saturating_sub(state.shown_failures);
        if not_shown > 0 {
            self.note(&format!("not taken: {} more", grouped(not_shown)));
        }
        summary(&state.totals, self.seconds())
    }

    fn seconds(&self) -> f64 {
        (self.clock.now().as_micros() - self.begun.as_micros()).max(0) as f64 / 1e6
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bar(stored_bytes: Option<u64>) -> ProgressBar {
    let (bar, template) = match stored_bytes {
        Some(bytes) => (
            ProgressBar::new(bytes),
            "{wide_bar} {percent}% {decimal_bytes}/{decimal_total_bytes} {decimal_bytes_per_sec} {eta} {msg}",
        ),
        None => (ProgressBar::no_length(), "{spinner} {decimal_bytes} {decimal_bytes_per_sec} {msg}"),
    };
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
    // The template is ours; should it be wrong, a plain bar is better than none.
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn summary(totals: &Totals, seconds: f64) -> String {
    let per_second = |amount: u64| amount as f64 / seconds.max(0.001);
    let failed =
        if totals.failed == 0 { String::new() } else { format!(" ({} not taken)", grouped(totals.failed)) };
    format!(
        "{}{failed}, {:.1} MB in {seconds:.2} s: {} events/s, {:.1} MB/s",
        events(totals.events),
        totals.text_bytes as f64 / 1e6,
        grouped(per_second(totals.events) as u64),
        per_second(totals.text_bytes) / 1e6
    )
}

/// So many events.
pub fn events(number: u64) -> String {
    format!("{} event{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// With a comma after each three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::input::{Encoding, Format};
    use super::super::part::Place;
    use super::*;

    #[test]
    fn what_was_stored_as_something_else_is_told_once_for_all_parts() {
        let clock = tidegauge_model::time::ManualClock::at(Timestamp::from_micros(0));
        let progress = Progress::start(Arc::new(clock), |_| {});
        assert_eq!(progress.messages(), Vec::<String>::new());
        let file = "-".into();
        let place = Place { file, file_number: 0, first_line: 1, last_line: 1, first_byte: 0 };
        let (body, format, encoding) = (bytes::Bytes::new(), Format::Ndjson, Encoding::None);
        let part = Part { body, format, encoding, csv_fields: None, text_bytes: 0, stored_bytes: 0, place };
        for count in [1_000, 0, 2] {
            let message = format!(r#"{{"priority":"warn","code":"c","count":{count},"msg":"strings"}}"#);
            let messages = if count == 0 { String::new() } else { format!(r#","messages":[{message}]"#) };
            let answer = format!(r#"{{"ingested":1,"failed":0,"failures":[]{messages}}}"#);
            progress.stored(&part, &serde_json::from_str(&answer).unwrap());
        }
        assert_eq!(progress.messages(), ["warning: 1,002 strings"]);
    }

    #[test]
    fn the_sum_is_one_line() {
        let totals = Totals { events: 1_234_567, failed: 1_000, text_bytes: 500_000_000 };
        assert_eq!(
            summary(&totals, 2.5),
            "1,234,567 events (1,000 not taken), 500.0 MB in 2.50 s: 493,826 events/s, 200.0 MB/s"
        );
        assert_eq!(summary(&Totals::default(), 0.0), "0 events, 0.0 MB in 0.00 s: 0 events/s, 0.0 MB/s");
    }
}
