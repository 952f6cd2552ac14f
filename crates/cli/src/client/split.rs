//! Cuts a file into parts that hold whole events and are not larger than a batch, except for an event that is. The
//! text is read straight into the buffer that is sent; only the beginning of the event at the end is copied over.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, bail};
use bytes::Bytes;
use tidegauge_model::{Clock, Timestamp};

use super::borders::Borders;
use super::buffers::{Buffer, Buffers};
use super::input::{Encoding, Input, Opened, Source};
use super::live::{More, Stop};
use super::part::{Part, Place};

/// An event beyond this is an error: it is not one event, or the format is not what it was taken for.
pub const LONGEST_EVENT: usize = 64 * 1024 * 1024;

/// For so long an event waits for others when input comes bit by bit.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// How files are cut.
#[derive(Clone, Debug)]
pub struct Cutting {
    pub batch_bytes: usize,
    pub csv_delimiter: u8,
    /// By this it is known how long events wait to be sent.
    pub clock: Arc<dyn Clock>,
    pub stop: Stop,
}

/// The parts of one file, in order.
#[derive(Debug)]
pub struct Splitter<'a> {
    input: &'a Input,
    opened: Opened,
    borders: Borders,
    buffers: &'a Buffers,
    cutting: Cutting,
    file: Arc<str>,
    file_number: u64,
    /// The text after the last border.
    carried: Vec<u8>,
    is_ended: bool,
    is_stopped: bool,
    next_line: u64,
    next_byte: u64,
    stored_before: u64,
    csv_fields: Option<Bytes>,
}

impl<'a> Splitter<'a> {
    pub fn open(
        input: &'a Input,
        file_number: u64,
        buffers: &'a Buffers,
        cutting: Cutting,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            opened: input.open()?,
            borders: Borders::of(input.format, cutting.csv_delimiter),
            buffers,
            cutting,
            file: input.name().into(),
            input,
            file_number,
            carried: Vec::new(),
            is_ended: false,
            is_stopped: false,
            next_line: 1,
            next_byte: 0,
            stored_before: 0,
            csv_fields: None,
        })
    }

    /// The next part; none after the last one.
    pub fn next_part(&mut self) -> anyhow::Result<Option<Part>> {
        loop {
            if self.is_stopped || self.is_ended && self.carried.is_empty() {
                return Ok(None);
            }
            let is_first = self.next_byte == 0;
            let mut buffer = self.buffers.take();
            let opening = self.borders.opening().len();
            buffer.content.extend_from_slice(self.borders.opening());
            buffer.content.append(&mut self.carried);
            let whole = self
                .fill(&mut buffer, opening)
                .with_context(|| format!("{}, line {}", self.file, self.next_line))?;
            if self.is_stopped && !self.borders.has_events(whole) {
                return Ok(None);
            }
            let is_blank = buffer.content[..whole].iter().all(u8::is_ascii_whitespace);
            let part = self.cut(buffer, whole, opening);
            if is_blank {
                continue; // Such as the line break after the end of an array.
            }
            if is_first && self.is_ended && self.carried.is_empty() && self.input.encoding != Encoding::None {
                return self.as_it_is(part).map(Some);
            }
            return Ok(Some(part));
        }
    }

    /// Reads until there is a border; gives its place, or that of the end of the file.
    fn fill(&mut self, buffer: &mut Buffer, opening: usize) -> anyhow::Result<usize> {
        let mut wanted = self.cutting.batch_bytes.max(1);
        let longest = wanted.max(LONGEST_EVENT);
        loop {
            let is_due = self.read_up_to(wanted, buffer)?;
            let border = self.borders.scan(&buffer.content)?;
            if self.is_ended {
                return Ok(buffer.content.len());
            }
            // Who stops in the middle of an event sends those before it.
            if border > opening || is_due || self.is_stopped {
                return Ok(border);
            }
            if wanted >= longest {
                bail!("an event is longer than {longest} bytes: is the format right?");
            }
            wanted = (buffer.content.len() * 2).clamp(wanted, longest);
        }
    }

    /// Reads until the buffer has so many bytes or the input ends. True if events have waited for long enough before.
    fn read_up_to(&mut self, wanted: usize, buffer: &mut Buffer) -> anyhow::Result<bool> {
        let live = match &mut self.opened.source {
            Source::Stored(_) if self.cutting.stop.is_asked() => bail!("stopped before its end"),
            Source::Stored(reader) => {
                let missing = wanted.saturating_sub(buffer.content.len()) as u64;
                let got = reader.by_ref().take(missing).read_to_end(&mut buffer.content)?;
                self.is_ended = (got as u64) < missing;
                return Ok(false);
            }
            Source::Live(live) => live,
        };
        let clock = &self.cutting.clock;
        let mut waiting_since = None;
        while buffer.content.len() < wanted {
            let border = self.borders.scan(&buffer.content)?;
            if self.borders.has_events(border) {
                waiting_since.get_or_insert_with(|| clock.now());
            }
            let wait = waiting_since.map(|since| LONGEST_WAIT.saturating_sub(between(since, clock.now())));
            let missing = wanted - buffer.content.len();
            match live.read(missing, wait, &self.cutting.stop, &mut buffer.content)? {
                More::Came => {}
                More::Nothing => return Ok(true),
                More::Stopped => {
                    self.is_stopped = true;
                    break;
                }
                More::End => {
                    self.is_ended = true;
                    break;
                }
            }
        }
        Ok(false)
    }

    /// Takes the text up to the border out of the buffer, and keeps the rest for the next part.
    fn cut(&mut self, mut buffer: Buffer, whole: usize, opening: usize) -> Part {
        let content = &mut buffer.content;
        self.carried.extend_from_slice(&content[whole..]);
        content.truncate(whole);
        let lines = memchr::memchr_iter(b'\n', content).count() as u64;
        let ends_line = content.last() == Some(&b'\n');
        let from_file = (content.len() - opening) as u64;
        if !self.is_ended {
            self.borders.cut(content);
        }
        let place = Place {
            file: Arc::clone(&self.file),
            file_number: self.file_number,
            first_line: self.next_line,
            last_line: (self.next_line + lines).saturating_sub(u64::from(ends_line)).max(self.next_line),
            first_byte: self.next_byte,
        };
        self.next_line += lines;
        self.next_byte += from_file;
        let csv_fields = self.csv_fields.clone();
        if self.csv_fields.is_none() {
            self.csv_fields = self.borders.csv_names().map(Bytes::copy_from_slice);
        }
        Part {
            format: self.input.format,
            encoding: Encoding::None,
            csv_fields,
            text_bytes: content.len() as u64,
            stored_bytes: self.stored_since(from_file),
            body: buffer.into_bytes(),
            place,
        }
    }

    fn stored_since(&mut self, text_bytes: u64) -> u64 {
        let Some(consumed) = &self.opened.consumed else {
            return text_bytes;
        };
        let now = consumed.load(Ordering::Relaxed);
        now - std::mem::replace(&mut self.stored_before, now)
    }

    /// A compressed file that fits into one request need not be compressed again.
    fn as_it_is(&self, part: Part) -> anyhow::Result<Part> {
        let stored = std::fs::read(&self.input.path).with_context(|| format!("reading {}", self.file))?;
        Ok(Part { body: stored.into(), encoding: self.input.encoding, ..part })
    }
}

/// The time that has passed; none if the clock was set back.
fn between(earlier: Timestamp, later: Timestamp) -> Duration {
    Duration::from_micros(u64::try_from(later.as_micros().saturating_sub(earlier.as_micros())).unwrap_or(0))
}
