//! The entries of streams as events: the labels of a stream, which are said once, are fields of each of its entries.

use tidegauge_ingest::Events;

use super::labels;
use crate::answer::Problem;
use crate::rest::TextFields;
use crate::slot::Slot;

/// The map for labels whose field the dataset does not take.
const REST: &str = "labels";

/// A stream has no more labels: they are held while its entries are read, and one of a few bytes takes many times that.
const LABELS_MAX: usize = 1024;

#[derive(Debug)]
pub(super) struct Lines {
    /// The labels of the stream in hand.
    labels: Vec<(String, String)>,
    fields: TextFields,
    message: Slot,
}

impl Default for Lines {
    fn default() -> Self {
        Self { labels: Vec::new(), fields: TextFields::new("", REST), message: Slot::new("message") }
    }
}

impl Lines {
    pub(super) fn start_stream(&mut self) {
        self.labels.clear();
    }

    pub(super) fn label(&mut self, name: &str, text: &str) -> Result<(), Problem> {
        if self.labels.len() >= LABELS_MAX {
            return Err(too_many());
        }
        self.labels.push((name.to_owned(), text.to_owned()));
        Ok(())
    }

    pub(super) fn label_text(&mut self, text: &str) -> Result<(), Problem> {
        let (stream, mut fits) = (&mut self.labels, true);
        let read = labels::each(text, |name, value| {
            fits = stream.len() < LABELS_MAX;
            if fits {
                stream.push((name.to_owned(), value.to_owned()));
            }
        });
        read.map_err(|reason| {
            let shown: String = text.chars().take(64).collect();
            Problem::malformed(format!("the labels {shown:?} of a stream cannot be read: {reason}"))
        })?;
        if fits { Ok(()) } else { Err(too_many()) }
    }

    pub(super) fn start(&mut self, events: &mut Events<'_>) {
        events.start();
        self.fields.start();
        for (name, text) in &self.labels {
            self.fields.put(name, text, events);
        }
    }

    pub(super) fn time(&mut self, time: Option<i64>, events: &mut Events<'_>) {
        match time {
            Some(time) => events.time(time),
            None => events.time_text("beyond the range of times"),
        }
    }

    /// Nanoseconds since 1970, however few, or any other form of a time.
    pub(super) fn time_text(&mut self, text: &str, events: &mut Events<'_>) {
        match text.trim().parse() {
            Ok(nanoseconds) => events.time(nanoseconds),
            Err(_) => events.time_text(text),
        }
    }

    pub(super) fn line(&mut self, line: &str, events: &mut Events<'_>) {
        if events.fits(line.len()) {
            self.message.string(line, events);
        }
    }

    pub(super) fn metadata(&mut self, name: &str, text: &str, events: &mut Events<'_>) {
        self.fields.put(name, text, events);
    }

    pub(super) fn end(&mut self, events: &mut Events<'_>) -> Result<(), Problem> {
        self.fields.end(events);
        events.end()?;
        Ok(())
    }
}

fn too_many() -> Problem {
    Problem::malformed(format!("a stream has more than {LABELS_MAX} labels"))
}
